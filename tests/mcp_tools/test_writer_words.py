"""Parsing of page number formats and search patterns for Writer."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.office.page_numbers import parts_of
from ambidex.mcp_tools.office.passages import to_icu


@pytest.mark.parametrize(
    ("format", "fields"),
    [
        ("1", ["PageNumber"]),
        ("Page 1", [None, "PageNumber"]),
        ("1 of N", ["PageNumber", None, "PageCount"]),
        ("Page {page} of {total}", [None, "PageNumber", None, "PageCount"]),
        ("- i -", [None, "PageNumber", None]),
    ],
)
def test_a_format_of_page_numbers_has_fields(format: str, fields: list[str | None]) -> None:
    assert [part.field for part in parts_of(format)] == fields


@given(st.text())
def test_a_format_keeps_every_character_or_is_refused(format: str) -> None:
    if re.search(r"\{page\}|\b[1iI]\b", format):
        assert "".join(part.text for part in parts_of(format)) == format
    else:
        with pytest.raises(ToolError, match="not in the format"):
            parts_of(format)


def test_named_groups_are_translated_from_python() -> None:
    assert to_icu(r"(?P<a>x)(?P=a)(?<b>y)") == r"(?<a>x)\k<a>(?<b>y)"
