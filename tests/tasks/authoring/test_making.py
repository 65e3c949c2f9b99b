"""Generators of instances: what they write, and that it is what is committed."""

from __future__ import annotations

import io
import tomllib
from pathlib import Path
from zipfile import ZipFile

import openpyxl
import pytest
from docx import Document

from ambidex.tasks.authoring.making import GENERATOR, differences, make_instances
from ambidex.tasks.authoring.packages import write_document, write_workbook
from ambidex.tasks.authoring.toml import toml_text
from tests.support.tables import every_case

TASKS = Path(__file__).resolve().parents[3] / "tasks"
MADE = sorted(path.parent for path in TASKS.glob(f"*/*/{GENERATOR}"))

MAKE = """
from ambidex.tasks.authoring.packages import write_workbook
import openpyxl

INSTANCES = 2

def make(number, random, files):
    workbook = openpyxl.Workbook()
    workbook.active["A1"] = total = random.randint(1, 10**9)
    write_workbook(workbook, files / "book.xlsx")
    (files / "note.txt").write_text(f"{number}")
    return {"total": total, "names": ["Åsa", 'a "b"'], "cells": {"A1": total, "x y": 1.5}}
"""


def test_a_generator_gives_the_same_files_and_values_again(tmp_path: Path) -> None:
    task = tmp_path / "task"
    task.mkdir()
    (task / GENERATOR).write_text(MAKE)
    make_instances(task, task)
    make_instances(task, tmp_path / "again")
    assert list(differences(task, tmp_path / "again")) == []
    tables = tomllib.loads((task / "instances.toml").read_text())["instance"]
    assert [table["names"] for table in tables] == [["Åsa", 'a "b"']] * 2
    assert tables[0]["cells"] == {"A1": tables[0]["total"], "x y": 1.5}
    assert tables[0]["total"] != tables[1]["total"]
    book = openpyxl.load_workbook(task / "files" / "2" / "book.xlsx")
    assert book["Sheet"]["A1"].value == tables[1]["total"]


def test_files_that_differ_from_what_is_made_are_named(tmp_path: Path) -> None:
    task, made = tmp_path / "task", tmp_path / "made"
    task.mkdir()
    (task / GENERATOR).write_text(MAKE)
    make_instances(task, task)
    make_instances(task, made)
    (task / "files" / "1" / "note.txt").write_text("changed")
    (task / "files" / "2" / "old.txt").write_text("left over")
    (task / "files" / "2" / "note.txt").unlink()
    (task / "files" / "1" / "book.xlsx").write_bytes(
        (task / "files" / "2" / "book.xlsx").read_bytes()
    )
    assert list(differences(task, made)) == [
        "files/1/book.xlsx: not what make.py writes",
        "files/1/note.txt: not what make.py writes",
        "files/2/note.txt: missing, but make.py writes it",
        "files/2/old.txt: make.py does not write it",
    ]


def test_documents_have_no_time_of_their_own(tmp_path: Path) -> None:
    write_workbook(openpyxl.Workbook(), tmp_path / "a.xlsx")
    write_document(Document(), tmp_path / "a.docx")
    for name in ("a.xlsx", "a.docx"):
        with ZipFile(io.BytesIO((tmp_path / name).read_bytes())) as package:
            assert b"2025-01-02T08:00:00Z" in package.read("docProps/core.xml")
            assert {item.date_time for item in package.infolist()} == {(1980, 1, 1, 0, 0, 0)}


@every_case(
    "value",
    [
        7, -0.5, 1e300, True, "a\\b\n\t\"'é\x7f\x01", [], {},
        [{"call": "x", "with": {"a b": [1, 2.5, "c"]}}] * 5, {"A1": {"deep": False}},
    ],
)  # fmt: skip
def test_a_value_is_read_as_it_was_written(value: object) -> None:
    assert tomllib.loads(toml_text([{"value": value}])) == {"instance": [{"value": value}]}


def test_a_value_that_toml_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="not a value of TOML: None"):
        toml_text([{"value": None}])


@pytest.mark.parametrize("task", MADE, ids=[task.name for task in MADE])
def test_what_is_committed_is_what_its_generator_writes(task: Path, tmp_path: Path) -> None:
    make_instances(task, tmp_path)
    assert list(differences(task, tmp_path)) == []
