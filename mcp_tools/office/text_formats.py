"""Character formatting in Writer: conversion between tool arguments and UNO properties."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal, Optional

from ambidex.mcp_tools.colours import colour
from ambidex.mcp_tools.office.passages import enum

__all__ = [
    "ALIGNMENTS",
    "Run",
    "escapement",
    "for_all_scripts",
    "highlighting",
    "runs_of",
    "text_properties",
]

ALIGNMENTS = ("left", "right", "justify", "center", "justify")
"""Names of UNO's ParagraphAdjust values; the last one also justifies the last line."""

WORD_MARKERS = frozenset(
    {
        *(0x000000, 0x0000FF, 0x00FFFF, 0x00FF00, 0xFF00FF, 0xFF0000, 0xFFFF00, 0xFFFFFF),
        *(0x000080, 0x008080, 0x008000, 0x800080, 0x800000, 0x808000, 0x808080, 0xC0C0C0),
    }
)
"""Word's highlight colours; a docx stores any other colour as a background."""


@dataclass(frozen=True)
class Run:
    """A run of equally formatted text. Colours are #RRGGBB; None means automatic, or no highlight.
    A field, note or picture has its `kind`.
    """

    text: str
    font: str
    size: float
    bold: bool
    italic: bool
    underline: bool
    strikethrough: bool
    raised: Literal["normal", "superscript", "subscript"]
    color: Optional[str]
    highlight: Optional[str]
    kind: str


def _hex(number: int) -> Optional[str]:
    return None if number < 0 else f"#{number & 0xFFFFFF:06X}"


def for_all_scripts(**values: object) -> dict[str, object]:
    """Expand properties for Western, Asian and complex (Arabic, Hebrew, Hindi ...) scripts."""
    return {f"{name}{kind}": value for name, value in values.items() for kind in SCRIPTS}


SCRIPTS = ("", "Asian", "Complex")


def text_properties(
    *,
    bold: Optional[bool] = None,
    italic: Optional[bool] = None,
    underline: Optional[bool] = None,
    strikethrough: Optional[bool] = None,
    size: Optional[float] = None,
) -> dict[str, object]:
    """UNO properties for the arguments that are not None."""
    properties: dict[str, object] = {}
    if bold is not None:
        properties.update(for_all_scripts(CharWeight=150.0 if bold else 100.0))
    if italic is not None:
        slant = enum("com.sun.star.awt.FontSlant", "ITALIC" if italic else "NONE")
        properties.update(for_all_scripts(CharPosture=slant))
    if underline is not None:
        properties["CharUnderline"] = 1 if underline else 0
    if strikethrough is not None:
        properties["CharStrikeout"] = 1 if strikethrough else 0
    if size is not None:
        properties.update(for_all_scripts(CharHeight=size))
    return properties


def escapement(subscript: Optional[bool], superscript: Optional[bool]) -> dict[str, object]:
    """UNO properties for subscript, superscript or neither; empty if both arguments are None."""
    if subscript is None and superscript is None:
        return {}
    if subscript or superscript:  # LibreOffice's automatic distance
        lift = 14000 if superscript else -14000
        return {"CharEscapement": lift, "CharEscapementHeight": 58}
    return {"CharEscapement": 0, "CharEscapementHeight": 100}


def highlighting(highlight: int | str | None) -> dict[str, object]:
    """UNO properties for a highlight colour; "none" removes the highlight."""
    if highlight is None:
        return {}
    if highlight == "none":
        return {"CharBackColor": -1, "CharHighlight": -1}
    number = colour(highlight)
    return {"CharBackColor": number, "CharHighlight": number if number in WORD_MARKERS else -1}


READ = (
    "CharBackColor",
    "CharColor",
    "CharEscapement",
    "CharFontName",
    "CharHeight",
    "CharHighlight",
    "CharPosture",
    "CharStrikeout",
    "CharUnderline",
    "CharWeight",
)


def runs_of(paragraph: Any) -> list[Run]:
    """The runs of a paragraph; adjacent runs of equal format are merged."""
    runs: list[Run] = []
    portions = paragraph.createEnumeration()
    while portions.hasMoreElements():
        portion = portions.nextElement()
        kind, text = portion.TextPortionType, portion.String
        if kind == "Text" and not text:
            continue
        run = _run(portion, text, {"TextField": "field", "TextContent": "object"}.get(kind, kind))
        if runs and runs[-1] == _run_with(run, runs[-1].text):
            runs[-1] = _run_with(run, runs[-1].text + text)
        else:
            runs.append(run)
    return runs


def _run(portion: Any, text: str, kind: str) -> Run:
    properties = dict(zip(READ, portion.getPropertyValues(READ), strict=True))
    lift = properties["CharEscapement"]
    marker = (
        properties["CharHighlight"]
        if properties["CharHighlight"] >= 0
        else properties["CharBackColor"]
    )
    return Run(
        text,
        properties["CharFontName"],
        properties["CharHeight"],
        properties["CharWeight"] > 100,
        properties["CharPosture"].value != "NONE",
        properties["CharUnderline"] != 0,
        properties["CharStrikeout"] != 0,
        "superscript" if lift > 0 else "subscript" if lift < 0 else "normal",
        _hex(properties["CharColor"]),
        _hex(marker),
        kind.lower(),
    )


def _run_with(run: Run, text: str) -> Run:
    return dataclasses.replace(run, text=text)
