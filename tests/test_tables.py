"""A table of cases in one test (`tests/support/tables.py`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.tables import every_case


def test_all_failing_cases_are_named_with_their_reasons() -> None:
    @every_case(("one", "other"), [(1, 1), (1, 2), (3, 3), ("a", "b")])
    def equal(one: object, other: object) -> None:
        assert one == other, f"{one} is not {other}"

    with pytest.raises(pytest.fail.Exception) as failed:
        equal()
    lines = str(failed.value).splitlines()
    assert lines[0] == "2 of 4 cases fail:"
    assert [line for line in lines if line.startswith("[")] == [
        next(line for line in lines if line.startswith("[1, 2] line ") and "1 is not 2" in line),
        next(line for line in lines if line.startswith("[a, b] line ") and "a is not b" in line),
    ]


@pytest.mark.parametrize("outcome", [pytest.fail, pytest.skip])
def test_a_case_that_ends_the_test_does_not_hide_the_others(outcome: object) -> None:
    seen = []

    @every_case("number", [1, 2, 3], ids=["first", "second", "third"])
    def ends(number: int) -> None:
        seen.append(number)
        outcome("no more")  # type: ignore[operator]

    with pytest.raises(pytest.fail.Exception, match=r"(?s)3 of 3 .*first.*second.*third"):
        ends()
    assert seen == [1, 2, 3]


@every_case("name", ["a", "b"])
@every_case("number", [1, 2])
def test_each_case_has_an_empty_folder_and_output(
    name: str, number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert list(tmp_path.iterdir()) == []
    (tmp_path / name).touch()
    print(number)
    assert capsys.readouterr().out == f"{number}\n"


def test_a_table_without_cases_is_refused() -> None:
    with pytest.raises(AssertionError, match="without cases"):
        every_case("number", [])(lambda number: None)
