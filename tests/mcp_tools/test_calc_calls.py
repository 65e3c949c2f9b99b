"""Calls of Calc's tools as written for OSWorld-MCP, and parsing of their arguments."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.mcp_tools import ToolError, catalogue
from ambidex.mcp_tools.office import columns, number_codes
from ambidex.mcp_tools.office.cells import column_name, column_number, parse_area, parse_number

CALLS: dict[str, dict[str, object]] = {
    "adjust_column_width": {"columns": "A:C", "width": 12.5, "autofit": False},
    "adjust_row_height": {"rows": "1:10", "height": 20, "autofit": True},
    "copy_sheet": {"source_sheet": "Sheet1", "new_sheet_name": "Copy"},
    "create_chart": {
        "chart_type": "column",
        "data_range": "A1:B10",
        "title": "t",
        "x_axis_title": "x",
        "y_axis_title": "y",
    },
    "create_pivot_table": {
        "source_sheet": "Sheet1",
        "table_name": "Pivot",
        "row_fields": ["A"],
        "col_fields": ["B"],
        "value_fields": ["C"],
        "aggregation_function": "Sum",
        "target_cell": "A1",
    },
    "env_info": {"sheet_name": "Sheet1"},
    "export_to_csv": {},
    "export_to_pdf": {"file_path": "/tmp/a.pdf", "sheets": ["S"], "open_after_export": False},
    "format_range": {
        "range_str": "A1:B2",
        "background_color": "#0000ff",
        "font_color": "#ffffff",
        "bold": True,
        "alignment": "center",
    },
    "freeze_panes": {"rows": 1, "columns": 0},
    "get_column_data": {"column_name": "AB"},
    "get_workbook_info": {},
    "hide_row_data": {"value": "N/A"},
    "highlight_range": {"range_str": "A1:B10", "color": 0xFF0000},
    "merge_cells": {"range_str": "A1:C1"},
    "rename_sheet": {"old_name": "Sheet1", "new_name": "Data"},
    "reorder_columns": {"column_order": ["B", "A", "C"]},
    "reorder_sheets": {"sheet_name": "Sheet1", "position": 0},
    "save": {},
    "set_cell_value": {"cell": "A1", "value": "42"},
    "set_column_values": {"column_name": "A", "data": [1, 2.5, "x"], "start_index": 2},
    "set_number_format": {"range_str": "A1", "format_type": "currency", "decimal_places": 2},
    "set_zoom_level": {"zoom_percentage": 75},
    "sort_column": {"column_name": "A", "ascending": True, "start_index": 2},
    "switch_active_sheet": {"sheet_name": "Sheet2"},
    "transpose_range": {"source_range": "A1:D5", "target_cell": "B8"},
    "copy_cells_between_sheets": {
        "source_range": "A1:B2",
        "target_sheet_name": "Sheet2",
        "target_start_cell": "A1",
    },
    "fill_blank_down": {"columns": ["A", "B"]},
    "format_numbers_to_human_readable": {"cell_range": "A1:A9"},
    "scale_first_sheet_and_export_pdf": {"pages_x": 1, "pages_y": 1, "output_path": "/tmp/a.pdf"},
}
OPTIONAL = {"export_to_csv": [], "fill_blank_down": ["columns"], "hide_row_data": ["value"]}


@pytest.mark.parametrize("name", CALLS)
def test_a_complete_call_is_accepted(name: str) -> None:
    tool = catalogue.tools()[f"calc_{name}"]
    taken = tool.arguments(CALLS[name])
    assert {key: taken[key] for key in CALLS[name]} == CALLS[name]
    for left_out in OPTIONAL.get(name, []):
        tool.arguments({key: value for key, value in CALLS[name].items() if key != left_out})


@given(st.integers(0, 16383))
def test_a_column_name_and_number_convert_both_ways(number: int) -> None:
    assert column_number(column_name(number)) == number
    assert parse_area(f"{column_name(number)}7").left == number


HEADERS = st.lists(st.text("abc äö1", min_size=4, max_size=9), min_size=1, max_size=9, unique=True)


@given(HEADERS, st.integers(0, 40), st.data())
def test_columns_are_found_by_letter_and_by_header(
    headers: list[str], first: int, data: st.DataObject
) -> None:
    places = data.draw(st.permutations(range(first, first + len(headers))))
    assert columns.find_columns([column_name(place) for place in places], headers, first) == places
    titled = [headers[place - first] for place in places]
    assert columns.find_columns(titled, headers, first) == places


def test_a_header_is_found_in_any_case_unless_it_is_ambiguous() -> None:
    assert columns.find_columns([" ORDER id", "B"], ["Order ID", "Sum"]) == [0, 1]
    with pytest.raises(ToolError) as caught:
        columns.find_columns(["Sum"], ["Sum", "x", "Sum"])
    assert caught.value.code == "ambiguous"
    with pytest.raises(ToolError, match="Order ID") as caught:
        columns.find_columns(["Z"], ["Order ID", 7.0])
    assert caught.value.code == "no_column"


@given(st.integers(-(10**14), 10**14))
def test_unambiguous_numbers_in_text_are_converted(number: int) -> None:
    assert parse_number(str(number)) == number


@pytest.mark.parametrize("text", ["007", "+49", "1 000", "1,5", ".5", "1e5", "", "٣", "9" * 16])
def test_text_that_only_looks_like_a_number_stays_text(text: str) -> None:
    assert parse_number(text) == text


@given(st.integers(0, 20))
def test_a_format_code_has_the_requested_decimals(places: int) -> None:
    digits = "." + "0" * places if places else ""
    assert number_codes.format_code("percentage", places, "", None) == f"0{digits}%"
    assert number_codes.format_code("currency", places, "CHF", None).startswith(
        f"[$CHF] #,##0{digits};"
    )
