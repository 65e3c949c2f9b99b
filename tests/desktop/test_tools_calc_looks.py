"""Calc's tools for formats, validation and comments; openpyxl reads the files back."""

from io import BytesIO
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook

from ambidex.host.client.guest import Guest
from tests.desktop.proofs import proves
from tests.desktop.tool_calls import done, refused

BOOK = "~/looks/numbers.xlsx"
SAVED = "openpyxl reads the saved file"


@pytest.fixture(scope="module")
def calc(guest: Guest) -> Guest:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Data"
    lines: list[list[Any]] = [["Item", "Amount", "Share"], ["pen", 1234.5, 0.25], ["ink", -20, 0.5]]
    for line in lines:
        sheet.append(line)
    numbers: list[float | str] = [1_234_567, -2_500_000_000, 999, "text", 7_200_000_000]
    for row, number in enumerate(numbers, start=10):
        sheet[f"A{row}"] = number
    content = BytesIO()
    book.save(content)
    guest.put(BOOK, content.getvalue())
    done(guest, "calc_open_workbook", path=BOOK)
    return guest


def saved(guest: Guest) -> Workbook:
    done(guest, "calc_save")
    return load_workbook(BytesIO(guest.get(BOOK)))


@proves(
    SAVED,
    calc_highlight_range="the background is the given number, name or #RRGGBB, or the default",
    calc_format_range="fill, letters, alignment and font are in the file",
)
def test_colours_are_taken_as_numbers_names_and_hex(calc: Guest) -> None:
    first = done(calc, "calc_highlight_range", range_str="A1")
    assert (first["before"], first["now"]) == (None, "#FF0000")
    done(calc, "calc_highlight_range", range_str="A1", color=0x00CC00)
    assert done(calc, "calc_highlight_range", range_str="B1", color="Yellow")["now"] == "#FFFF00"
    done(calc, "calc_highlight_range", range_str="AB1:AC2", color="#0000ff")
    look = {"background_color": "0000ff", "font_color": "white", "bold": True, "underline": True}
    done(
        calc,
        "calc_format_range",
        range_str="C1",
        alignment="right",
        font_name="DejaVu Sans",
        **look,
    )
    sheet = saved(calc)["Data"]
    fills = [sheet[cell].fill.fgColor.rgb for cell in ("A1", "B1", "AC2", "C1")]
    assert fills == ["FF00CC00", "FFFFFF00", "FF0000FF", "FF0000FF"]
    font = sheet["C1"].font
    assert font.color is not None
    assert (font.color.rgb, font.b, font.u, font.name) == (
        "FFFFFFFF",
        True,
        "single",
        "DejaVu Sans",
    )
    assert sheet["C1"].alignment.horizontal == "right"
    assert refused(calc, "calc_highlight_range", range_str="A1", color="ultra")[0] == "bad_colour"
    assert (
        refused(calc, "calc_highlight_range", range_str="A1", color=1 << 24)[0] == "bad_arguments"
    )
    assert refused(calc, "calc_format_range", range_str="A1", bold=None)[0] == "bad_arguments"


@proves(SAVED, calc_set_number_format="the format code of each kind is in the file")
@pytest.mark.parametrize(
    ("kind", "given", "code", "shown"),
    [
        ("number", {"decimal_places": 2}, "0.00", "1234.50"),
        ("number", {"thousands": True}, "#,##0", "1,235"),
        ("percentage", {}, "0.00%", "123450.00%"),
        ("scientific", {"decimal_places": 1}, "0.0E+00", "1.2E+03"),
        ("currency", {"currency": "EUR"}, "[$€]#,##0.00;\\-[$€]#,##0.00", "€1,234.50"),
        ("currency", {"currency": "CHF", "decimal_places": 0}, None, "CHF 1,235"),
        ("currency", {}, None, "$1,234.50"),
        ("accounting", {"currency": "CNY"}, None, "¥1,234.50"),
        ("date", {}, "yyyy\\-mm\\-dd", "1903-05-18"),
        ("time", {}, "hh:mm:ss", "12:00:00"),
        ("fraction", {}, "# ?/?", "1234 1/2"),
        ("text", {}, "@", "1234.5"),
        ("general", {}, "General", "1234.5"),
    ],
)
def test_a_kind_of_number_is_shown_as_such(
    calc: Guest, kind: str, given: dict[str, object], code: str | None, shown: str
) -> None:
    current = done(calc, "calc_set_number_format", range_str="B2", format_type=kind, **given)
    assert current["first_shown"].replace(" ", "") == shown.replace(" ", "")
    cell = saved(calc)["Data"]["B2"]
    assert code is None or cell.number_format.lower() == code.lower()
    wrong = {"range_str": "B2", "format_type": "money"}
    assert refused(calc, "calc_set_number_format", **wrong)[0] == "bad_arguments"


@proves(SAVED, calc_format_numbers_to_human_readable="values are whole, formats say M and B")
def test_large_numbers_are_abbreviated_in_display_only(calc: Guest) -> None:
    done(calc, "calc_format_numbers_to_human_readable", cell_range="A10:A14")
    shown = [done(calc, "calc_get_cell_value", cell=f"A{row}")["shown"] for row in range(10, 15)]
    assert shown == ["1.2 M", "-2.5 B", "999", "text", "7.2 B"]
    sheet = saved(calc)["Data"]
    assert [sheet[f"A{row}"].value for row in (10, 11)] == [1_234_567, -2_500_000_000]
    assert '" M"' in sheet["A10"].number_format
    tool = "calc_format_numbers_to_human_readable"
    assert refused(calc, tool, cell_range="A13")[0] == "no_numbers"


@proves(
    "against what the other tools set, and openpyxl wrote",
    calc_get_range_formats="fonts, colours, formats, merged cells and formulas of a range",
    calc_merge_cells="merged cells are listed, and no longer after a split",
)
def test_formats_of_a_range_are_returned_together(calc: Guest) -> None:
    done(calc, "calc_merge_cells", range_str="E5:F6")
    done(calc, "calc_set_cell_value", cell="E7", value="=SUM(B2:B3)")
    done(calc, "calc_format_range", range_str="E7:F7", italic=True, number_format="0.000")
    looks = done(calc, "calc_get_range_formats", range_str="E5:F7")
    assert looks["merged"] == ["E5:F6"]
    assert looks["formulas"] == {"E7": "=SUM(B2:B3)"}
    (leaning,) = [look for look in looks["looks"] if look["italic"]]
    assert (leaning["ranges"], leaning["number_format"]) == (["E7:F7"], "0.000")
    assert str(*saved(calc)["Data"].merged_cells.ranges) == "E5:F6"
    done(calc, "calc_merge_cells", range_str="E5:F6", merge=False)
    assert done(calc, "calc_get_range_formats", range_str="E5:F7")["merged"] == []
    assert not saved(calc)["Data"].merged_cells.ranges
    assert refused(calc, "calc_merge_cells", range_str="E5")[0] == "bad_range"
    assert refused(calc, "calc_get_range_formats", range_str="A1:ZZ900")[0] == "too_large"


@proves(
    SAVED,
    calc_set_data_validation="lists, bounds and dates are rules in the file; any removes them",
)
def test_data_validation_is_stored_in_the_file(calc: Guest) -> None:
    tool = "calc_set_data_validation"
    choices = ["Pass", "Fail; no", "Held – é"]
    done(calc, tool, range_str="D2:D9", values=choices, message="One of three.")
    done(calc, tool, range_str="E2:E9", kind="whole_number", minimum=1, maximum=10)
    done(calc, tool, range_str="F2", kind="date", minimum="2024-05-01")
    done(calc, tool, range_str="G2", kind="list", values_from="A1:A3")
    rules = {str(item.sqref): item for item in saved(calc)["Data"].data_validations.dataValidation}
    assert (rules["D2:D9"].type, rules["D2:D9"].error) == ("list", "One of three.")
    assert rules["D2:D9"].formula1 == '"Pass,Fail; no,Held – é"'
    assert not rules["D2:D9"].showDropDown  # which would hide it
    whole = rules["E2:E9"]
    assert (whole.type, whole.operator) == ("whole", "between")
    assert (whole.formula1, whole.formula2) == ("1", "10")
    assert (rules["F2"].type, rules["F2"].operator) == ("date", "greaterThanOrEqual")
    assert rules["F2"].formula1.replace(" ", "") == "DATE(2024,5,1)"
    assert "$A$1:$A$3" in rules["G2"].formula1
    done(calc, tool, range_str="D2:G9", kind="any")
    left = saved(calc)["Data"].data_validations.dataValidation
    assert [item.type for item in left if item.type] == []
    assert refused(calc, tool, range_str="D2")[0] == "bad_arguments"
    assert refused(calc, tool, range_str="D2", values=["a,b"])[0] == "bad_values"
    assert refused(calc, tool, range_str="D2", kind="decimal")[0] == "bad_arguments"


@proves(
    SAVED,
    calc_add_conditional_format="operator, operand and colour of each rule are in the file",
    calc_set_auto_filter="the table with filter buttons is in the file, and gone when off",
)
def test_conditional_formats_and_filter_buttons_are_in_the_file(calc: Guest) -> None:
    tool = "calc_add_conditional_format"
    red = {"background_color": "#FF0000"}
    done(calc, tool, range_str="B2:B3", condition="greater", value=100, **red)
    done(calc, tool, range_str="A2:A3", condition="equal", value='a "b"', bold=True)
    done(calc, tool, range_str="C2:C3", condition="formula", value="=AND($B2>0,C2<1)", **red)
    rules = saved(calc)["Data"].conditional_formatting
    result = {str(rule.sqref): rule.rules[0] for rule in rules}
    assert (result["B2:B3"].operator, result["B2:B3"].formula) == ("greaterThan", ["100"])
    assert result["B2:B3"].dxf.fill.bgColor.rgb == "FFFF0000"
    assert result["A2:A3"].formula == ['"a ""b"""']
    assert result["A2:A3"].dxf.font.b
    assert result["C2:C3"].formula[0].replace(" ", "") == "AND($B2>0,C2<1)"
    bad = {"range_str": "B2", "condition": "between", "value": 1}
    assert refused(calc, tool, **bad, **red)[0] == "bad_arguments"
    bare = {"range_str": "B2", "condition": "formula", "value": "B2>1"}
    assert refused(calc, tool, **bare, **red)[0] == "bad_formula"
    assert done(calc, "calc_set_auto_filter")["range"] == "A1:C3"
    assert saved(calc)["Data"].auto_filter.ref == "A1:C3"
    done(calc, "calc_set_auto_filter", on=False)
    assert saved(calc)["Data"].auto_filter.ref is None
    done(calc, "calc_insert_sheet", sheet_name="Bare")
    assert refused(calc, "calc_set_auto_filter", on=False, sheet="Bare")[0] == "no_filter"


@proves(SAVED, calc_add_comment="the text is on the cell, once", calc_get_comments="the same text")
def test_a_comment_is_replaced_not_doubled(calc: Guest) -> None:
    text = 'first line\n"second" שלום 🙂'
    done(calc, "calc_add_comment", cell="AB3", text="old")
    done(calc, "calc_add_comment", cell="AB3", text=text)
    (stored,) = done(calc, "calc_get_comments")
    assert (stored["cell"], stored["text"]) == ("AB3", text)
    comment = saved(calc)["Data"]["AB3"].comment
    assert comment is not None
    assert comment.text.strip() == text
    assert done(calc, "calc_get_comments", sheet="Bare") == []
    assert refused(calc, "calc_add_comment", cell="A1:B2", text="x")[0] == "bad_range"
    assert refused(calc, "calc_get_comments", sheet="None")[0] == "no_sheet"
