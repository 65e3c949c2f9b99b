"""Corrupted files from a guest always get a score in both verdicts."""

from __future__ import annotations

import random
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ambidex.evaluators.osworld.registry import bind_metric
from tests.evaluators.osworld.document_look_cases import H2O, HIGH, YELLOW, marked
from tests.evaluators.osworld.makers import (
    document,
    odt,
    paragraph,
    pdf,
    pivoted,
    png,
    shown_picture,
    table,
    tarred,
    workbook,
    zipped,
)
from tests.evaluators.osworld.package_cases import ONE, book

BOTH = {"sheet_idx0": 0, "sheet_idx1": "EI0"}
LOOK = ["bgcolor", "font_color", "number_format", "hyperlink"]
RULES: list[dict[str, Any]] = [
    {"type": "sheet_name"},
    {"type": "sheet_data", **BOTH},
    {"type": "sheet_fuzzy", **BOTH, "rules": [{"range": ["A1:B3"], "type": "exact_match"}]},
    {"type": "chart", **BOTH, "chart_props": ["type", "title", "legend", "anchor", "xtitle"]},
    {"type": "sparkline", **BOTH},
    {"type": "style", **BOTH, "props": LOOK},
    {"type": "freeze", **BOTH},
    {"type": "row_props", **BOTH, "props": ["hidden", "height"]},
    {"type": "col_props", **BOTH, "props": ["hidden", "width"]},
    {"type": "filter", **BOTH},
    {"type": "pivot_table", **BOTH, "pivot_props": ["row_fields", "data_fields", "selection"]},
    {"type": "check_cell", "sheet_idx": 0, "coordinate": "A1",
     "props": {"value": {"method": "eq", "ref": "Name"}}},
]  # fmt: skip
DOCX = [
    "compare_docx_files", "compare_docx_tables", "compare_docx_images", "compare_line_spacing",
    "compare_subscript_contains", "check_tabstops", "evaluate_colored_words_in_tables",
    "evaluate_strike_through_last_paragraph", "check_italic_font_size_14",
]  # fmt: skip
ALONE: dict[str, Any] = {
    "compare_font_names": {"font_name": "Arial"},
    "contains_page_break": {},
    "has_page_numbers_in_footers": None,
    "is_first_line_centered": None,
}


def sheets(path: Path) -> Path:
    def fill(content: Any) -> None:
        sheet = content.add_worksheet()
        form = content.add_format({"bg_color": "#FF0000", "num_format": "0.0"})
        sheet.write_column("A1", ["Name", "a", "b"])
        sheet.write_column("B1", ["Sum", 1, 2], form)
        sheet.merge_range("D1:E2", "x", form)
        sheet.conditional_format("B2:B3", {"type": "formula", "criteria": "=B2>1", "format": form})
        chart = content.add_chart({"type": "column"})
        chart.add_series({"values": "=Sheet1!$B$2:$B$3"})
        sheet.insert_chart("F1", chart)
        sheet.freeze_panes(1, 0)
        sheet.autofilter("A1:B3")
        sheet.add_sparkline("C2", {"range": "Sheet1!A2:B2"})
        sheet.set_row(5, 20, None, {"hidden": True})

    return pivoted(workbook(path, fill), source="A1:B3")


def essay(path: Path) -> Path:
    return document(
        path, *H2O, table([paragraph("a", style="Body")]), shown_picture(0),
        pictures=(png((1, 2, 3)),), footer=paragraph("1"),
        styles='<w:style w:type="paragraph" w:styleId="Body"/>',
    )  # fmt: skip


MADE: dict[str, tuple[str, Callable[[Path], Path], list[tuple[str, dict[str, Any], Any]]]] = {
    "workbooks": ("xlsx", sheets, [("compare_table", {"rules": [rule]}, ...) for rule in RULES]),
    "documents": (
        "docx", essay,
        [(name, {}, ...) for name in DOCX] + [(name, {}, each) for name, each in ALONE.items()],
    ),
    "texts": (
        "odt", lambda path: odt(path, marked(), HIGH.format("T1", "text", "", YELLOW)),
        [("compare_docx_files", {}, ...), ("check_highlighted_words", {}, ...)],
    ),
    "books": (
        "epub", lambda path: zipped(path, book("1", "<p>a</p>\n")), [("compare_epub", {}, ...)],
    ),
}  # fmt: skip


def spoiled(path: Path, seed: int) -> None:
    """Truncate, duplicate, swap or overwrite part of one member."""
    chance = random.Random(seed)
    with zipfile.ZipFile(path) as archive:
        members = {item: archive.read(item) for item in archive.namelist()}
    name = chance.choice(sorted(members))
    members[name] = _broken(members[name], chance)
    zipped(path, members)


def _broken(content: bytes, chance: random.Random) -> bytes:
    if not content:
        return b"<a/>"
    start, end = sorted(chance.randrange(len(content) + 1) for _ in range(2))
    match chance.randrange(5):
        case 0:
            return content[:start] + content[end:]
        case 1:
            return content[:end] + content[start:]
        case 2:
            words = [b"-1", b"99999999999", b"x", b"", b"NaN", b"0"]
            digits = [at for at in range(len(content)) if content[at : at + 1].isdigit()]
            at = chance.choice(digits or [0])
            return content[:at] + chance.choice(words) + content[at + 1 :]
        case 3:
            parts = content.split(b'"')
            values = range(1, len(parts), 2)
            if values:
                parts[chance.choice(values)] = chance.choice(
                    [b"", b"-3", b"A1:XFD9", b"rId7", b"{"]
                )
            return b'"'.join(parts)
        case _:
            tags = content.split(b">")
            chance.shuffle(tags)
            return b">".join(tags)


@pytest.mark.parametrize("kind", MADE)
@settings(max_examples=4, derandomize=True)
@given(seed=st.integers(0, 2**32))
def test_a_corrupted_package_gets_a_score(kind: str, seed: int) -> None:
    ending, make, asked = MADE[kind]
    with tempfile.TemporaryDirectory() as folder:
        complete = make(Path(folder) / f"whole.{ending}")
        broken = make(Path(folder) / f"broken.{ending}")
        spoiled(broken, seed)
        for name, options, expected in asked:
            check = bind_metric(name, options)
            for one, other in ((broken, complete), (complete, broken)):
                result = check(one, other if expected is ... else expected)
                assert result.strict.reason


@settings(max_examples=30, derandomize=True)
@given(seed=st.integers(0, 2**32))
def test_a_corrupted_pdf_gets_a_score(seed: int) -> None:
    complete = pdf("some text", "more", pictures=(ONE,))
    broken = _broken(complete, random.Random(seed))
    with tempfile.TemporaryDirectory() as folder:
        one, other = Path(folder) / "a.pdf", Path(folder) / "b.pdf"
        one.write_bytes(broken)
        other.write_bytes(complete)
        for name in ("compare_pdfs", "compare_pdf_images"):
            assert 0 <= bind_metric(name, {})(one, other).compat.value <= 1
        pages = bind_metric("check_pdf_pages", {})(one, {"relation": "ge", "ref_value": 1})
        assert pages.compat.value in {0, 1}


@pytest.mark.parametrize("ending", [".tar", ".tar.gz", ".zip"])
@settings(max_examples=15, derandomize=True)
@given(seed=st.integers(0, 2**32))
def test_a_corrupted_archive_gets_a_score(ending: str, seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, held = Path(folder) / f"a{ending}", {"x/a": b"1\n" * 400, "x/b": b"2"}
        content = zipped(path, held) if ending == ".zip" else tarred(path, held)
        gold = path.with_name(f"b{ending}")
        gold.write_bytes(content.read_bytes())
        path.write_bytes(_broken(content.read_bytes(), random.Random(seed)))
        for name, options in (("compare_archive", {"file_path": "x"}), ("compare_zip_files", {})):
            result = bind_metric(name, options)(path, gold)
            assert 0 <= result.strict.value <= 1
