"""Hostile evidence from a guest always scores 0 with a reason, and quickly."""

import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import docx
import openpyxl
import pytest
from PIL import Image

from ambidex.evaluators import Score
from ambidex.evaluators.registry import evaluators

OFFICE: dict[str, dict[str, object]] = {
    "spreadsheet.cells_equal": {"file": "a.xlsx", "cells": {"A1": 1}},
    "spreadsheet.sheets_equal": {"file": "a.xlsx", "names": ["a"]},
    "document.contains": {"file": "a.docx", "texts": ["a"]},
    "document.aligned": {"file": "a.odt", "paragraphs": ["a"], "alignment": "left"},
    "presentation.slides_equal": {"file": "a.pptx", "slides": [["a"]]},
    "review.nothing_tracked": {"file": "a.docx"},
}
OTHERS: dict[str, dict[str, object]] = {
    "files.text_equals": {"file": "a.txt", "text": "a"},
    "changes.only": {"file": "a.json"},
    "output.json_fields_equal": {"file": "a.txt", "fields": {"a": 1}},
    "output.json_equals": {"file": "a.txt", "one_of": [{"a": 1}]},
    "output.setting_equals": {"file": "a.txt", "value": 1},
    "vlc.player_is": {"file": "a.txt", "state": "Playing"},
    "image.size_equals": {"file": "a.png", "width": 1, "height": 1},
    "database.rows": {"file": "a.json", "table": "a", "columns": ["b"], "rows": []},
    "database.unchanged": {"file": "a.json"},
    "sqlite.contains": {"file": "a.db", "table": "a", "rows": [{"b": 1}]},
    "files.archive_holds": {"file": "a.zip", "files": {}, "texts": {"b": "c"}},
    "forge.changes": {"file": "a.json"},
    "tracker.changes": {"file": "a.json"},
    "company.cloud": {"file": "a.json"},
    "company.chat": {"file": "a.json"},
    "company.documents": {"file": "a.json"},
    "company.calendar": {"file": "a.json"},
}
Judge = Callable[..., Score]
Package = Callable[[str, dict[str, bytes]], Path]


@pytest.mark.parametrize(("use", "arguments"), [*OFFICE.items(), *OTHERS.items()])
@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe\0garbage", b"PK\3\4", b"[" * 9000])
def test_missing_empty_and_broken_files_score_0(
    judge: Judge, tmp_path: Path, use: str, arguments: dict[str, object], content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / str(arguments["file"])).write_bytes(content)
    score = judge(use, **arguments)
    assert score.value == 0
    assert score.reason


@pytest.mark.parametrize(("use", "arguments"), OFFICE.items())
@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({}, "not a readable"),
        ({"[Content_Types].xml": b"<Types/>", "content.xml": b"<a/>"}, "not a readable"),
        ({"a.xml": b" " * 33 * 1024 * 1024}, "larger than"),
        ({f"{n}.bin": b"\0" * 1024 * 1024 * 20 for n in range(8)}, "unpacks to more than"),
        ({f"{n}": b"" for n in range(5000)}, "5000 members"),
        ({"a.xml": b"<?xml version='1.0'?>\n<!DOCTYPE a [<!ENTITY b 'c'>]><a/>"}, "document type"),
        ({"a.bin": b"<!DOCTYPE plist PUBLIC '-//Apple//DTD' [<!ENTITY b 'c'>]>"}, "document type"),
        ({"a.xml": "<?xml version='1.0'?><!DOCTYPE a []><a/>".encode("utf-16")}, "not XML in UTF"),
        ({"a.xml": b"<?xml version='1.0' encoding='utf-7'?><a/>"}, "not XML in UTF-8"),
    ],
)
def test_bombs_entities_and_odd_encodings_are_refused_before_a_library_opens_them(
    judge: Judge,
    package: Package,
    use: str,
    arguments: dict[str, object],
    members: dict[str, bytes],
    message: str,
) -> None:
    package(str(arguments["file"]), members)
    score = judge(use, **arguments)
    assert score.value == 0
    assert message in score.reason


def test_a_member_larger_than_it_declares_is_refused(judge: Judge, package: Package) -> None:
    path = package("a.xlsx", {"a.bin": b"\0" * 50_000_000})
    content = path.read_bytes()
    # The size in the central directory is what zipfile and everybody else believes.
    path.write_bytes(content.replace(struct.pack("<L", 50_000_000), struct.pack("<L", 10)))
    score = judge("spreadsheet.sheets_equal", file="a.xlsx", names=[])
    assert score.value == 0
    assert "not an intact office file" in score.reason


def _replaced(path: Path, member: str, old: bytes, new: bytes) -> None:
    with zipfile.ZipFile(path) as archive:
        members = {name_: archive.read(name_) for name_ in archive.namelist()}
    assert old in members[member]
    members[member] = members[member].replace(old, new)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def test_a_merged_range_over_the_whole_sheet_costs_nothing(judge: Judge, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book["Sheet"]["A1"] = 1
    book["Sheet"].merge_cells("B2:C3")
    book.save(tmp_path / "a.xlsx")
    _replaced(tmp_path / "a.xlsx", "xl/worksheets/sheet1.xml", b"B2:C3", b"B2:XFD1048576")
    score = judge("spreadsheet.cells_equal", file="a.xlsx", cells={"A1": 1, "B2": 2})
    assert score == Score(0.0, "B2 is empty, not number 2")


def test_styles_that_inherit_in_a_cycle_score_0(judge: Judge, tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("a", style="List Bullet")
    document.save(str(tmp_path / "a.docx"))
    cycle = b'<w:basedOn w:val="ListBullet"/>'
    _replaced(
        tmp_path / "a.docx",
        "word/styles.xml",
        b'<w:name w:val="List Bullet"/><w:basedOn w:val="Normal"/>',
        b'<w:name w:val="List Bullet"/>' + cycle,
    )
    score = judge("document.contains", file="a.docx", texts=["a"])
    assert score.value == 0
    assert "cycle" in score.reason


def test_a_picture_with_too_many_pixels_is_not_decoded(judge: Judge, tmp_path: Path) -> None:
    Image.new("1", (9000, 9000)).save(tmp_path / "a.png")
    score = judge("image.size_equals", file="a.png", width=9000, height=9000)
    assert score.value == 0
    assert "pixels" in score.reason


def test_a_link_out_of_the_evidence_is_not_followed(judge: Judge, tmp_path: Path) -> None:
    (tmp_path / "a.txt").symlink_to("/etc/hostname")
    score = judge("files.exists", file="a.txt")
    assert score == Score(0.0, "a.txt points outside the evidence directory")


def test_every_evaluator_scores_0_on_an_empty_folder_unless_it_expects_one() -> None:
    # files.absent is the one evaluator that an empty folder may satisfy.
    # answer.states reads answer.txt alone; see its own tests.
    known = {*OFFICE, *OTHERS, "files.absent", "answer.states"}
    modules = {name.partition(".")[0] for name in evaluators()}
    assert modules == {name.partition(".")[0] for name in known}
