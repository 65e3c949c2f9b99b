"""Variations: consistent replacements in a task's data, its files and its calls."""

from __future__ import annotations

from pathlib import Path

from docx import Document
from openpyxl import load_workbook

from ambidex.tasks import Task, verbs_of
from ambidex.tasks.load import load_suite
from ambidex.tasks.spec import Call
from ambidex.toolgen.stages.variations import EMPTY, Variation, apply_swap, variations, vary
from ambidex.toolgen.stages.wrong_calls import wrong_calls
from tests.support.served import CATALOGUE
from tests.support.tables import every_case
from tests.toolgen.drafts import CANDIDATES, draft_of


def task_of(name: str) -> Task:
    folder = CANDIDATES[name][1]
    assert folder is not None
    return load_suite(folder.parent, CATALOGUE, (folder.name,)).tasks[0]


def kinds(name: str) -> dict[str, Variation]:
    task = task_of(name)
    calls = next(oracle.calls for oracle in task.spec.oracle if oracle.by == "tools")
    return {variation.kind: variation for variation in variations(task, calls)}


def test_each_task_gets_the_variations_that_fit_it() -> None:
    assert list(kinds("calc-reverse-rows")) == [
        "other file", "other sheet", "other place", "other letters", EMPTY,
    ]  # fmt: skip
    assert list(kinds("writer-delete-paragraphs")) == ["other file", "other letters", EMPTY]
    assert list(kinds("vlc-set-repeat")) == ["other file"]
    assert list(kinds("gnome-set-night-light")) == ["other value"]


def calls_in(name: str, kind: str) -> list[object]:
    swap = kinds(name)[kind].swap
    return [apply_swap(call["with"], swap) for call in draft_of(name)[2]]


def test_calls_are_varied_like_the_task() -> None:
    assert calls_in("calc-reverse-rows", "other place") == [{"range_str": "C6:E10"}, {}]
    assert calls_in("calc-reverse-rows", "other sheet") == [{"range_str": "A2:C6"}, {}]
    assert calls_in("gnome-set-night-light", "other value") == [
        {"enable": True, "temperature": 3850}
    ]


def test_a_varied_task_is_consistent_with_its_files(tmp_path: Path) -> None:
    task = task_of("calc-reverse-rows")
    by_kind = kinds("calc-reverse-rows")
    moved = vary(task, by_kind["other place"], tmp_path / "moved")
    cells = verbs_of(moved).spec.check[0].with_["cells"]
    assert (cells["C5"], cells["D6"], cells["E12"]) == ("Boat", "Sólrún", 5)
    sheet = load_workbook(tmp_path / "moved" / "files" / "regatta.xlsx").active
    assert sheet is not None
    assert (sheet["C5"].value, sheet["A1"].value) == ("Boat", None)
    other = vary(task, by_kind["other sheet"], tmp_path / "sheet")
    book = load_workbook(tmp_path / "sheet" / "files" / "regatta.xlsx")
    assert (book.sheetnames, book.active is book.worksheets[1]) == (
        ["0", "Übersicht Ω Starts"],
        True,
    )
    assert verbs_of(other).spec.check[0].with_["sheet"] == "Übersicht Ω Starts"
    named = verbs_of(vary(task, by_kind["other file"], tmp_path / "file")).spec
    put, opened = named.setup
    assert put.model_dump()["to"] == "~/Documents/Ведомость № 7 数据.xlsx"
    assert put.model_dump()["put"] == "files/regatta.xlsx"
    assert isinstance(opened, Call)
    assert opened.with_ == {"path": "~/Documents/Ведомость № 7 数据.xlsx"}
    assert named.collect[0].kept_as == named.check[0].with_["file"]
    empty = vary(task, by_kind[EMPTY], tmp_path / "empty")
    sheet = load_workbook(tmp_path / "empty" / "files" / "regatta.xlsx").active
    assert sheet is not None
    assert not any(value for row in sheet.values for value in row)
    assert empty.spec == task.spec


def test_the_texts_that_checks_refer_to_get_a_prefix(tmp_path: Path) -> None:
    task = task_of("writer-delete-paragraphs")
    other = vary(task, kinds("writer-delete-paragraphs")["other letters"], tmp_path / "t")
    document = Document(str(tmp_path / "t/files/minutes.docx"))
    texts = [paragraph.text for paragraph in document.paragraphs]
    assert texts[0] == "Жé数Minutes of the garden committee"
    assert texts[2] == "Lars came late again."
    assert verbs_of(other).spec.check[0].with_["paragraphs"][0] == texts[0]


@every_case(
    ("value", "other"),
    [("B2", "D6"), ("$A$1:C3", "$C$5:E7"), ("A:C", "A:C"), ("B0", "B0"), ("text", "text"), (5, 5)],
)
def test_only_cell_addresses_are_moved(value: object, other: object) -> None:
    assert kinds("calc-reverse-rows")["other place"].swap(value) == other


def test_wrong_calls_are_derived_from_the_schema() -> None:
    schema = {
        "properties": {
            "cell": {"type": "string"},
            "count": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "rows": {"type": "array"},
        },
        "required": ["cell"],
    }
    calls = {call.what: call for call in wrong_calls(schema, {"cell": "B2", "count": 1})}
    assert calls["without cell"].arguments == {"count": 1}
    assert calls["an unknown argument"].must_be_refused
    assert calls["cell is an object"].must_be_refused
    assert not calls["cell is empty"].must_be_refused
    assert calls["rows is an empty list"].arguments == {"cell": "B2", "count": 1, "rows": []}
    assert {"count is far below zero", "count is far too large"} <= calls.keys()
