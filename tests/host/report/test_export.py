"""Exported rows, read back, and the failure sheet."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from pyarrow import parquet

from ambidex.host import Stop
from ambidex.host.records.rows import Row
from ambidex.host.report.export import COLUMNS, records, write_csv, write_json, write_parquet
from ambidex.host.report.failure_sheet import CAUSES, sheet, write_sheet
from ambidex.host.report.failure_sheet import COLUMNS as SHEET
from ambidex.host.report.report_lines import Line, lines
from tests.support.played import row, run_of

ROWS = [
    row("a", beneficial=True, score=1, tool=2, errors=1, steps=3, cost=None, requests=1,
        useful_tools=["calc_save"], seconds={"model": 1.5}, screen=[1280, 720],
        jury={"jury": {"judges": ["one"]}, "prompts": "p", "sitting": "s"}),
    row("b", beneficial=False, score=None, fate="void",
        failure={"type": "GuestError", "message": "no, it said \"no\"\nand was gone"}),
]  # fmt: skip


@pytest.fixture
def found(tmp_path: Path) -> list[Line]:
    return lines([run_of(tmp_path / "r", ROWS)])


def test_parquet_has_every_column_with_its_type_and_the_rows_as_they_were(
    found: list[Line], tmp_path: Path
) -> None:
    write_parquet(found, tmp_path / "rows.parquet")
    table = parquet.read_table(tmp_path / "rows.parquet")
    assert table.column_names == list(COLUMNS)
    kinds = {str: "string", int: "int64", float: "double", bool: "bool"}
    assert [str(each) for each in table.schema.types] == [kinds[k] for k in COLUMNS.values()]
    assert table.to_pylist() == records(found)
    first, second = table.to_pylist()
    assert (first["cost"], first["success"], first["tool_calls"]) == (None, True, 2)
    assert first["seconds_model"] == 1.5
    assert json.loads(first["calls"])[0] == ROWS[0].calls[0].model_dump()
    assert json.loads(second["failure"])["message"].endswith("and was gone")
    assert second["score"] is None
    assert json.loads(first["jury"])["jury"]["judges"] == ["one"]


def test_csv_and_json_have_the_same_records(found: list[Line], tmp_path: Path) -> None:
    write_json(found, tmp_path / "rows.json")
    said = json.loads((tmp_path / "rows.json").read_text())
    assert said == records(found)
    write_csv(found, tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open(newline="") as file:
        read = list(csv.DictReader(file))
    assert list(read[0]) == list(COLUMNS)
    for told, each in zip(said, read, strict=True):
        for name, value in told.items():
            if value is None:
                assert each[name] == ""
            elif isinstance(value, bool):
                assert each[name] == str(value).lower()
            else:
                assert COLUMNS[name](each[name]) == value


def test_every_field_of_a_row_is_exported() -> None:
    assert COLUMNS.keys() >= Row.model_fields.keys()


def failed(run: Path, **other: object) -> dict[str, object]:
    said: dict[str, object] = {"beneficial": True, "score": 0, "steps": 2}
    useful = {"useful_tools": ["calc_save"], "offered": ["calc_save", "vlc_play"]}
    one = row("a", **(said | useful | other))  # type: ignore[arg-type]
    (record,) = sheet(lines([run_of(run, [one])]))
    return record


def test_solved_and_unscored_trials_are_not_failures(found: list[Line]) -> None:
    assert list(sheet(found)) == []


def test_automatic_labels_of_a_failure(tmp_path: Path) -> None:
    unused = failed(tmp_path / "1", gui=2)
    assert (unused["no_tool_used"], unused["wrong_tool"], unused["kind"]) == (
        "yes",
        "no",
        "implicit",
    )
    vlc = [{"tool": "vlc_play", "app": "vlc", "calls": 1, "errors": 0}]
    wrong = failed(tmp_path / "2", calls=vlc, stop=Stop.STEP_LIMIT, malformed=1)
    assert (wrong["no_tool_used"], wrong["wrong_tool"]) == ("no", "yes")
    assert (wrong["kind"], wrong["malformed"], wrong["end"]) == ("turn_limit", "yes", "step_limit")
    right = failed(tmp_path / "3", tool=1)
    assert (right["no_tool_used"], right["wrong_tool"]) == ("no", "no")
    away = failed(tmp_path / "4", calls=vlc, offered=["vlc_play"])
    assert away["wrong_tool"] == "no", "no useful tool was on offer"


def trajectory(folder: Path, *steps: tuple[str, str]) -> None:
    folder.mkdir(parents=True)
    told = [{"kind": "start", "task": "a"}] + [
        {"kind": "step", "decision": {"thought": thought}, "results": [{"error": error}]}
        for thought, error in steps
    ]
    (folder / "trajectory.jsonl").write_text("".join(json.dumps(each) + "\n" for each in told))


def test_thought_and_refused_arguments_are_unknown_without_the_trajectory(
    tmp_path: Path,
) -> None:
    assert failed(tmp_path / "1")["wrong_arguments"] == ""
    trajectory(tmp_path / "2" / "f", ("so", "bad_arguments"), ("=SUM(A1)", ""), ("later", ""))
    with_it = failed(tmp_path / "2")
    assert with_it["wrong_arguments"] == "yes"
    assert with_it["last_thought"] == "=SUM(A1)", "nothing of a later step"
    trajectory(tmp_path / "3" / "f", ("so", "not_found"))
    assert failed(tmp_path / "3")["wrong_arguments"] == "no"


def test_the_sheet_has_room_for_two_reviewers(tmp_path: Path) -> None:
    run = run_of(tmp_path / "r", [row("a", beneficial=True, score=0.5)])
    assert write_sheet(lines([run]), tmp_path / "sheet.csv") == 1
    with (tmp_path / "sheet.csv").open(newline="") as file:
        (record,) = csv.DictReader(file)
    assert tuple(record) == SHEET
    asked = [f"reviewer {n}: {cause}" for n in (1, 2) for cause in CAUSES]
    assert len(asked) == 10
    assert all(record[name] == "" for name in asked)
