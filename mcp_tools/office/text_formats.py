"""How text of a Writer document looks: what tools are given as UNO's properties, and back."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal, Optional

from ambidex.mcp_tools.colours import colour
from ambidex.mcp_tools.office.passages import enum

__all__ = [
    "ALIGNMENTS",
    "Run",
    "every_script",
    "look",
    "marked",
    "raised",
    "runs_of",
]

ALIGNMENTS = ("left", "right", "justify", "center", "justify")
"""UNO's ParagraphAdjust by its number; the last one stretches the last line too."""

WORD_MARKERS = frozenset(
    {
        *(0x000000, 0x0000FF, 0x00FFFF, 0x00FF00, 0xFF00FF, 0xFF0000, 0xFFFF00, 0xFFFFFF),
        *(0x000080, 0x008080, 0x008000, 0x800080, 0x800000, 0x808000, 0x808080, 0xC0C0C0),
    }
)
"""The colours of Word's marker; a docx keeps any other only as a background."""


@dataclass(frozen=True)
class Run:
    """Text that looks the same; colours are #RRGGBB, None is automatic or no marker. A field,
    note or picture within the text shows as its kind.
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


def _colour_name(number: int) -> Optional[str]:
    return None if number < 0 else f"#{number & 0xFFFFFF:06X}"


def every_script(**values: object) -> dict[str, object]:
    """Properties for Western, Asian and complex (Arabic, Hebrew, Hindi ...) text alike."""
    return {f"{name}{kind}": value for name, value in values.items() for kind in SCRIPTS}


SCRIPTS = ("", "Asian", "Complex")


def look(
    *,
    bold: Optional[bool] = None,
    italic: Optional[bool] = None,
    underline: Optional[bool] = None,
    strikethrough: Optional[bool] = None,
    size: Optional[float] = None,
) -> dict[str, object]:
    """The text properties for what was given."""
    made: dict[str, object] = {}
    if bold is not None:
        made.update(every_script(CharWeight=150.0 if bold else 100.0))
    if italic is not None:
        slant = enum("com.sun.star.awt.FontSlant", "ITALIC" if italic else "NONE")
        made.update(every_script(CharPosture=slant))
    if underline is not None:
        made["CharUnderline"] = 1 if underline else 0
    if strikethrough is not None:
        made["CharStrikeout"] = 1 if strikethrough else 0
    if size is not None:
        made.update(every_script(CharHeight=size))
    return made


def raised(subscript: Optional[bool], superscript: Optional[bool]) -> dict[str, object]:
    """The properties that put text lower or higher and make it small, or back."""
    if subscript is None and superscript is None:
        return {}
    if subscript or superscript:  # LibreOffice's automatic distance
        lift = 14000 if superscript else -14000
        return {"CharEscapement": lift, "CharEscapementHeight": 58}
    return {"CharEscapement": 0, "CharEscapementHeight": 100}


def marked(highlight: int | str | None) -> dict[str, object]:
    """The properties of a marker of this colour; "none" takes it away."""
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
    """The runs of a paragraph, neighbours that look the same as one."""
    found: list[Run] = []
    portions = paragraph.createEnumeration()
    while portions.hasMoreElements():
        each = portions.nextElement()
        kind, text = each.TextPortionType, each.String
        if kind == "Text" and not text:
            continue
        run = _run(each, text, {"TextField": "field", "TextContent": "object"}.get(kind, kind))
        if found and found[-1] == _run_with(run, found[-1].text):
            found[-1] = _run_with(run, found[-1].text + text)
        else:
            found.append(run)
    return found


def _run(portion: Any, text: str, kind: str) -> Run:
    seen = dict(zip(READ, portion.getPropertyValues(READ), strict=True))
    lift = seen["CharEscapement"]
    marker = seen["CharHighlight"] if seen["CharHighlight"] >= 0 else seen["CharBackColor"]
    return Run(
        text,
        seen["CharFontName"],
        seen["CharHeight"],
        seen["CharWeight"] > 100,
        seen["CharPosture"].value != "NONE",
        seen["CharUnderline"] != 0,
        seen["CharStrikeout"] != 0,
        "superscript" if lift > 0 else "subscript" if lift < 0 else "normal",
        _colour_name(seen["CharColor"]),
        _colour_name(marker),
        kind.lower(),
    )


def _run_with(run: Run, text: str) -> Run:
    return dataclasses.replace(run, text=text)
