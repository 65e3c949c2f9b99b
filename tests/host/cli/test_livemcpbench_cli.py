"""LiveMCPBench on the command line: what its tasks need."""

import json
from pathlib import Path

import pytest

from ambidex.host.cli import main
from tests.support.commands import ambidex
from tests.support.livemcpbench import TASKS, annotation, write_checkout
from tests.support.peer import CATALOGUE


@pytest.fixture(autouse=True)
def _peer_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main, "read_catalogue", lambda: CATALOGUE)


def test_check_counts_what_can_run_and_says_why_the_rest_cannot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checkout = write_checkout(tmp_path)
    assert ambidex("check", checkout, "--verbose") == 0
    printed = capsys.readouterr().out
    assert "office.aaaaaaaa (offline): ready" in printed
    assert "1 left out: it needs the network (--net web)" in printed
    assert "4 tasks with 8 key points, 1 ready" in printed
    assert ambidex("check", checkout, "--json", "--category", "Travel") == 0
    [task] = json.loads(capsys.readouterr().out)["tasks"]
    assert (task["name"], task["tools"], task["ready"]) == ("travel.bbbbbbbb", ["fetch"], False)


def test_check_fails_for_a_task_without_key_points(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unclear = {**annotation("eeeeeeee", "1. fetch")["Annotator Metadata"], "Steps": "Do it well."}
    pointless = annotation("eeeeeeee", "1. fetch", **{"Annotator Metadata": unclear})
    assert ambidex("check", write_checkout(tmp_path, pointless, TASKS[0])) == 2
    assert "has no numbered key points" in capsys.readouterr().err
