"""How the formats of a cell and the layout of a sheet differ from those before.

Two programs write the same format in different ways, such as `yyyy-mm-dd` and `yyyy\\-mm\\-dd`;
what is compared is what a reader sees.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ambidex.evaluators.formulas.workbook import THEME, CellContent, Layout
from ambidex.evaluators.values import shown

__all__ = ["rearranged", "restyled"]

OF_CELL = ("fill", "borders")
OF_TEXT = (
    "font", "size", "font_color", "bold", "italic", "underline", "struck", "alignment",
    "number_format",
)  # fmt: skip
BLACK = "000000"


def restyled(before: CellContent, now: CellContent) -> str:
    """What differs in the formats of two cells, such as "has fill FFFF00, not none"; empty if
    nothing does. An empty cell shows only its fill and borders."""
    has_text = before.value is not None or before.formula
    for name in (*OF_CELL, *(OF_TEXT if has_text else ())):
        old, new = getattr(before, name), getattr(now, name)
        if not _same(name, old, new):
            return f"has {name.replace('_', ' ')} {_shown(new)}, not {_shown(old)}"
    return ""


def _same(name: str, old: object, new: object) -> bool:
    if name == "number_format":
        return _plain(str(old)) == _plain(str(new))
    if name == "font_color":
        old, new = old or BLACK, new or BLACK
    # One program may write a colour of the theme by name, another by value.
    return old == new or THEME in (old, new)


def _plain(number_format: str) -> str:
    """A number format without quotes, escapes and locales: `[$€-407]` is `€`."""
    bare = re.sub(r"\[\$([^\]-]*)[^\]]*\]", r"\1", number_format)
    return re.sub(r"[\\\"]", "", bare).lower()


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return "/".join(side or "none" for side in value)
    return str(value) if value != "" else "none"


def rearranged(before: Layout, now: Layout, free: Callable[[str], bool]) -> Iterator[str]:
    """What differs in the layouts of two sheets. `free` says whether comments and merges at a cell
    or range do not count.
    """
    if before.state != now.state:
        yield f"the sheet is {now.state}, not {before.state}"
    for row in sorted(before.hidden_rows ^ now.hidden_rows):
        yield f"row {row} is {'hidden' if row in now.hidden_rows else 'shown'}"
    if before.hidden_columns != now.hidden_columns:
        yield f"the hidden columns are {_ranges(now)}, not {_ranges(before)}"
    for area in sorted(before.merged ^ now.merged):
        if not free(area):
            yield f"{area} is {'merged' if area in now.merged else 'no longer merged'}"
    for place in sorted(before.notes.keys() | now.notes.keys()):
        old, new = before.notes.get(place), now.notes.get(place)
        if old != new and not free(place):
            yield f"{place} has comment {shown(new) or 'none'}, not {shown(old) or 'none'}"


def _ranges(layout: Layout) -> str:
    return ", ".join(f"{first} to {last}" for first, last in layout.hidden_columns) or "none"
