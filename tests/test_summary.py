"""What `make test` says at its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.summary import STAGES, main

GOOD = '<testcase classname="tests.host.test_x" name="test_a" time="2.5"/>'
FAILURE = '<failure message="assert 1 == 2">no</failure>'
BAD = f'<testcase classname="tests.host.test_x" name="test_b">{FAILURE}</testcase>'
LEFT = '<testcase classname="tests.host.test_y" name="test_c"><skipped/></testcase>'


def write(folder: Path, name: str, *cases: str, status: int = 0) -> None:
    text = f'<testsuites><testsuite time="3">{"".join(cases)}</testsuite></testsuites>'
    (folder / f"{name}.xml").write_text(text)
    (folder / f"{name}.status").write_text(f"{status}\n")


def test_all_stages_that_passed_are_a_success(tmp_path: Path) -> None:
    for name in STAGES:
        write(tmp_path, name, GOOD, LEFT)
    assert main(tmp_path) == 0


def test_a_stage_that_failed_is_named_with_its_tests(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in STAGES:
        write(tmp_path, name, GOOD, *([BAD] if name == "tools" else []))
    assert main(tmp_path) == 1
    said = capsys.readouterr().out
    assert "FAILED tests/host/test_x.py::test_b\n  assert 1 == 2\nfailed: tools\n" in said
    assert "    2.5 s  tests/host/test_x.py::test_a" in said


def test_a_stage_that_left_nothing_has_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in STAGES[1:]:
        write(tmp_path, name, GOOD)
    assert main(tmp_path) == 1
    assert capsys.readouterr().out.splitlines()[-1] == f"failed: {STAGES[0]}"


def test_a_stage_that_ended_badly_has_failed_whatever_its_tests_did(tmp_path: Path) -> None:
    for name in STAGES:
        write(tmp_path, name, GOOD, status=5 if name == "vm" else 0)
    assert main(tmp_path) == 1
