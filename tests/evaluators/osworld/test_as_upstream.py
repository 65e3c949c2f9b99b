"""Scores of OSWorld's own functions, observed upstream by the differential (`bench/differential`).
One case for each kind of difference that was found."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import openpyxl
from PIL import Image
from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.enum.dml import MSO_THEME_COLOR
from pptx.util import Cm

from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.registry import ENDS, bind_metric
from tests.evaluators.osworld.makers import (
    cells,
    document,
    odt,
    paragraph,
    replaced,
    text,
    workbook,
)
from tests.support.tables import every_case

ROWS: list[list[Any]] = [["Name", "Sum"], ["Ann", 1], ["Bo", 2], ["Cy", 3]]
Fill = Callable[[Any, Any], object]
RAISES = "upstream ends in an exception"


def compat(metric: str, result: Value, expected: Value = None, **options: Any) -> float | str:
    """The compat score; `RAISES` if upstream ends in an exception."""
    score = bind_metric(metric, options)(result, expected).compat
    return RAISES if score.reason.startswith(ENDS) else score.value


def book(path: Path, fill: Fill = lambda *_: None) -> Path:
    """Write a workbook with one sheet that has a table and further content."""

    def everything(content: Any) -> None:
        sheet = content.add_worksheet()
        for row, line in enumerate(ROWS):
            sheet.write_row(row, 0, line)
        fill(content, sheet)

    return workbook(path, everything)


def chart(kind: str, title: str = "Sum") -> Fill:
    def fill(content: Any, sheet: Any) -> None:
        drawn = content.add_chart({"type": kind})
        drawn.add_series({"values": "=Sheet1!$B$2:$B$4"})
        drawn.set_title({"name": title})
        sheet.insert_chart("D2", drawn)

    return fill


def link(content: Any, sheet: Any) -> None:
    sheet.write_url("A6", "https://example.org/", None, "there")


def red(criteria: str, kind: str = "formula", **more: Any) -> Fill:
    return lambda content, sheet: sheet.conditional_format(
        "B2:B4",
        {
            "type": kind,
            "criteria": criteria,
            "format": content.add_format({"bg_color": "red"}),
            **more,
        },
    )


BOTH = {"sheet_idx0": 0, "sheet_idx1": "EI0"}
COLOUR = {"type": "style", **BOTH, "props": ["bgcolor"]}
FORMAT = {"type": "style", **BOTH, "props": ["number_format"]}
PLAIN: Fill = lambda *_: None  # noqa: E731
TABLES: list[tuple[str, Fill, Fill, dict[str, Any], float | str]] = [
    ("a chart on a sheet that neither has", PLAIN, chart("line"),
     {"type": "chart", "sheet_idx0": "RNnone", "sheet_idx1": "ENnone", "chart_props": ["type"]}, 1),
    ("the direction of a chart without one", chart("line"), chart("line"),
     {"type": "chart", **BOTH, "chart_props": ["direction"]}, RAISES),
    ("the position of a sheet that is not there", PLAIN, PLAIN,
     {"type": "sheet_data", "sheet_idx0": 5, "sheet_idx1": "EI0"}, 0),
    ("the expected sheet is not there", PLAIN, PLAIN,
     {"type": "sheet_data", "sheet_idx0": 0, "sheet_idx1": "EI5"}, RAISES),
    ("a position from the end", PLAIN, PLAIN,
     {"type": "sheet_data", "sheet_idx0": -1, "sheet_idx1": "EI-1"}, 1),
    ("the widths of columns with where they begin and end",
     lambda made, sheet: sheet.set_column(0, 3, 20), lambda made, sheet: sheet.set_column(0, 3, 20),
     {"type": "col_props", **BOTH, "props": ["min", "max", "auto_size", "width"]}, 1),
    ("columns of which more are wide",
     lambda made, sheet: sheet.set_column(0, 2, 20), lambda made, sheet: sheet.set_column(0, 3, 20),
     {"type": "col_props", **BOTH, "props": ["max"]}, 0),
    ("a rule on a cell with $", red("=B2>$B$2"), red("=B2>$B$2"), COLOUR, RAISES),
    ("another column gives the own value", red("=$C2>1"), red("=$A2>1"), COLOUR, 1),
    ("a rule whose formula is in error applies", red('=B2+"x">1'), red("=B2=B2"), COLOUR, 1),
    ("a rule on the values of cells", red(">", "cell", value=1), red("=B2>1"), COLOUR, 1),
    ("a conditional format without a number format", red("=B2>1"), red("=B2>1"), FORMAT, RAISES),
    ("a link is an object", link, PLAIN,
     {"type": "check_cell", "sheet_idx": 0, "coordinate": "A6",
      "props": {"hyperlink": {"method": "eq", "ref": "https://example.org/"}}}, 0),
    ("the font of an empty cell is none", PLAIN, PLAIN,
     {"type": "check_cell", "sheet_idx": 0, "coordinate": "Z9",
      "props": {"font_bold": {"method": "eq", "ref": None}}}, 1),
    ("a rule with null for a number", PLAIN, PLAIN,
     {"type": "check_cell", "sheet_idx": 0, "coordinate": "B2",
      "props": {"value": {"method": "approx:1", "ref": None}}}, 0),
    ("a coordinate in small letters has no value", PLAIN, PLAIN,
     {"type": "check_cell", "sheet_idx": 0, "coordinate": "b2",
      "props": {"value": {"method": "eq", "ref": None}}}, 1),
    ("the first wrong property ends the check", PLAIN, PLAIN,
     {"type": "check_cell", "sheet_idx": 0, "coordinate": "B2",
      "props": {"merge": {"method": "eq", "ref": True}, "value": {"method": "re", "ref": "1"}}}, 0),
    ("blanks within a list to choose from",
     lambda made, sheet: sheet.data_validation("D2", {"validate": "list", "source": ["a", " b"]}),
     PLAIN, {"type": "data_validation", "sheet_idx": 0,
             "dv_props": [{"formula1": {"method": "str_set_eq", "ref": ["a", "b"]}}]}, 0),
    ("trimmed by null", PLAIN, PLAIN,
     {"type": "sheet_fuzzy", **BOTH, "rules": [
         {"range": ["A1:B4"], "type": "exact_match", "trim_leadings": None}]}, 1),
]  # fmt: skip


@every_case(
    ("actual", "target", "rule", "score"),
    [item[1:] for item in TABLES],
    ids=[item[0] for item in TABLES],
)
def test_compare_table_agrees_with_upstream(
    actual: Fill, target: Fill, rule: dict[str, Any], score: float | str, tmp_path: Path
) -> None:
    result, expected = book(tmp_path / "a.xlsx", actual), book(tmp_path / "b.xlsx", target)
    assert compat("compare_table", result, expected, rules=[rule]) == score


def test_rules_on_the_result_need_nothing_to_compare_with(tmp_path: Path) -> None:
    result = book(tmp_path / "a.xlsx")
    rule = {"type": "check_cell", "sheet_idx": 0, "coordinate": "B2",
            "props": {"value": {"method": "eq", "ref": 1}}}  # fmt: skip
    assert compat("compare_table", result, rules=[rule]) == 1
    assert compat("compare_table", result, rules=[{"type": "sheet_name"}]) == 0
    assert compat("compare_table", result, rules=[COLOUR]) == RAISES


def test_the_file_to_compare_with_must_be_a_workbook(tmp_path: Path) -> None:
    result = book(tmp_path / "a.xlsx")
    rule = {"type": "zoom", "sheet_idx": 0, "method": "eq", "ref": 100}
    assert compat("compare_table", result, text(tmp_path / "b.xlsx", "x"), rules=[rule]) == RAISES
    assert compat("compare_table", text(tmp_path / "c.xlsx", "x"), result, rules=[rule]) == 0


@every_case(
    ("actual", "score"),
    [("a,1\nb,2", 1), ("a,1\nb,2\n \n", 1), (" a,1\r\nb,2 ", 1), ("a,1\x0bb,2", 1),
     ("a,1\n\nb,2", 0), ("A,1\nb,2", 0)],
)  # fmt: skip
def test_a_csv_export_is_compared_by_stripped_lines(
    actual: str, score: float, tmp_path: Path
) -> None:
    result, expected = book(tmp_path / "a.xlsx"), book(tmp_path / "b.xlsx")
    text(tmp_path / "a-Sheet1.csv", actual)
    text(tmp_path / "b-Sheet1.csv", "a,1\nb,2\n")
    rule = {"type": "sheet_print", "sheet_idx0": "RNSheet1", "sheet_idx1": "ENSheet1"}
    assert compat("compare_table", result, expected, rules=[rule]) == score


def test_a_missing_csv_export_scores_0_or_raises_with_ignore_case(
    tmp_path: Path,
) -> None:
    result, expected = book(tmp_path / "a.xlsx"), book(tmp_path / "b.xlsx")
    rule = {"type": "sheet_print", "sheet_idx0": 0, "sheet_idx1": "EI0"}
    assert compat("compare_table", result, expected, rules=[rule]) == 0
    text(tmp_path / "a-Sheet1.csv", "a")
    assert compat("compare_table", result, expected, rules=[rule]) == 0
    lower = rule | {"ignore_case": True}
    assert compat("compare_table", result, expected, rules=[lower]) == RAISES


def test_an_empty_shared_text_empties_all_of_them(tmp_path: Path) -> None:
    result = cells(tmp_path / "a.xlsx", [["Ann", "Bo"]])
    rule = {"type": "check_cell", "sheet_idx": 0, "coordinate": "A1",
            "props": {"value": {"method": "eq", "ref": None}}}  # fmt: skip
    assert compat("compare_table", result, rules=[rule]) == 0
    replaced(result, "xl/sharedStrings.xml", "<t>Bo</t>", "<t/>")
    assert compat("compare_table", result, rules=[rule]) == 1


@every_case(
    ("actual", "options", "score"),
    [(b"a\nb\n", {}, 1), (b"a\x0cb", {}, 1), (b"a\r\nb\n\n", {}, 0), (b"\xef\xbb\xbfa\nb", {}, 0),
     (b"A \n b", {"strict": False, "ignore_case": True}, 1), (b"a \nb", {"strict": None}, 1)],
)  # fmt: skip
def test_a_table_of_text_is_compared_by_splitlines(
    actual: bytes, options: dict[str, Any], score: float, tmp_path: Path
) -> None:
    result, expected = tmp_path / "a.csv", text(tmp_path / "b.csv", "a\nb")
    result.write_bytes(actual)
    assert compat("compare_csv", result, [tmp_path / "none.csv", expected], **options) == score


def test_cities_are_compared_by_their_words_and_all_21_are_needed(tmp_path: Path) -> None:
    content = openpyxl.Workbook()
    for row in range(2, 23):
        content.worksheets[0].cell(
            row, 3, "SÃO-PAULO (Brazil)" if row > 2 else datetime(2024, 1, 2)
        )
    path = tmp_path / "a.xlsx"
    content.save(str(path))
    target: list[Any] = ["2024 01 02", *[["Lima", "Sao Paulo"]] * 20]
    metric = "compare_conference_city_in_order"
    assert compat(metric, path, {"expected": target}) == 1
    assert compat(metric, path, {"expected": [*target, "Paris"]}) == 1
    assert compat(metric, path, {"expected": target[:-1]}) == 0
    assert compat(metric, path, {"expected": ["", *target[1:]]}) == 0


def deck(path: Path, edit: Callable[[Any], object] = lambda _: None) -> Path:
    content = Presentation()
    slide = content.slides.add_slide(content.slide_layouts[6])
    slide.shapes.add_textbox(Cm(2), Cm(2), Cm(9), Cm(2)).text_frame.text = "Plan"
    picture = io.BytesIO()
    Image.new("RGB", (4, 3)).save(picture, "PNG")
    slide.shapes.add_picture(picture, Cm(2), Cm(8))
    edit(slide)
    content.save(str(path))
    return path


def theme(slide: Any) -> None:
    slide.background.fill.solid()
    slide.background.fill.fore_color.theme_color = MSO_THEME_COLOR.ACCENT_1


def noteless(slide: Any) -> None:
    frame = slide.notes_slide.notes_placeholder._element
    frame.getparent().remove(frame)


def empty_run(slide: Any) -> None:
    slide.shapes[0].text_frame.add_paragraph().add_run().text = " "


@every_case(
    ("edit", "options", "score"),
    [
        (lambda slide: setattr(slide.shapes[1], "left", Cm(12)), {}, 1),
        (lambda slide: setattr(slide.shapes[0], "left", Cm(12)), {}, 0),
        (lambda slide: setattr(slide.shapes[0], "left", Cm(12)), {"examine_shape": None}, 1),
        (theme, {"examine_background_color": False}, RAISES),
        (noteless, {"examine_note": False}, RAISES),
        (empty_run, {"examine_text": False}, 0),
    ],
)
def test_presentations_are_compared_as_upstream_does(
    edit: Callable[[Any], object], options: dict[str, Any], score: float | str, tmp_path: Path
) -> None:
    result, expected = deck(tmp_path / "a.pptx", edit), deck(tmp_path / "b.pptx")
    assert compat("compare_pptx_files", result, expected, **options) == score


def test_a_missing_presentation_counts_as_empty(tmp_path: Path) -> None:
    expected = deck(tmp_path / "b.pptx")
    assert compat("compare_pptx_files", None, expected) == 0
    assert compat("compare_pptx_files", None, expected, examine_number_of_slides=False) == 1


def test_the_last_coloured_text_of_the_master_is_taken_for_the_slide_number(tmp_path: Path) -> None:
    path = deck(tmp_path / "a.pptx")
    content = Presentation(str(path))
    title: Any = content.slide_masters[0].placeholders[0]
    title.text_frame.paragraphs[0].add_run().font.color.rgb = RGBColor(200, 0, 0)
    content.save(str(path))
    for colour, score in (("red", 1), ("blue", 0), ("pink", 1)):
        assert compat("check_page_number_colors", path, {"color": colour}) == score


@every_case(
    ("value", "minutes", "score"),
    [("3", 3, 1), (" +3\n", 3, 1), ("3", 3.0, 1), ("3", "3", 0), ("3.0", 3, RAISES), ("", 3, 0),
     ("3", None, 0)],
)  # fmt: skip
def test_minutes_are_parsed_by_int(
    value: str, minutes: object, score: float | str, tmp_path: Path
) -> None:
    path = text(
        tmp_path / "a.xcu",
        '<items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.'
        'Office.Common/Save/Document"><prop oor:name="AutoSaveTimeIntervall">'
        f"<value>{value}</value></prop></item></items>",
    )
    assert compat("check_auto_saving_time", path, {"minutes": minutes}) == score


def test_documents_with_other_suffixes_and_sizes_are_read_as_upstream_reads_them(
    tmp_path: Path,
) -> None:
    lines = [paragraph(item) for item in ("Trains", "1, T1, S, 1", "2, T2, S, 1")]
    start = document(tmp_path / "start.docx", *lines)
    again = document(tmp_path / "again.docx", *lines, lines[0])
    metric = "compare_unique_train_records"
    assert compat(metric, document(tmp_path / "x.txt", *lines), [start, start]) == 1
    assert compat(metric, again, [start, start]) == 0
    one, other = (odt(tmp_path / f"{name}.odt", "<text:p>a</text:p>") for name in "ab")
    assert compat("compare_docx_files", one, other) == 1
    assert compat("compare_docx_files_and_ignore_new_lines", one, other) == 0
    assert compat("compare_references", one, other) == 0
    assert compat("check_tabstops", *[document(tmp_path / f"{n}.docx") for n in "cd"]) == RAISES
    breaks = {"page_break_count": None}
    paged = document(tmp_path / "p.docx", paragraph(runs='<w:r><w:br w:type="page"/></w:r>'))
    assert compat("contains_page_break", paged, breaks) == 1
    assert compat("compare_font_names", start, {"font_name": None}) == 1
