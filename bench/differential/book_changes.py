"""Small random changes of a generated workbook, to tell a result from the expected one."""

from __future__ import annotations

import copy
from collections.abc import Callable
from random import Random

from bench.differential.books import DRAW, Drawing, Sheet, value

__all__ = ["CHANGES", "changed"]


def _cell(random: Random, drawing: Drawing) -> None:
    sheet = random.choice(drawing.sheets)
    if sheet.rows and any(sheet.rows):
        row = random.randrange(len(sheet.rows))
        column = random.randrange(len(sheet.rows[row]))
        before = sheet.rows[row][column]
        sheet.rows[row][column] = random.choice(
            [
                value(random),
                str(before),
                before + random.choice([1, 1e-5, 4e-5, 1e-4, 0.0])
                if isinstance(before, int | float)
                else f"{before} ",
                before.swapcase() if isinstance(before, str) else float(3),
                None,
            ]
        )


def _row(random: Random, drawing: Drawing) -> None:
    sheet = random.choice(drawing.sheets)
    if len(sheet.rows) > 1 and random.random() < 0.5:
        sheet.rows.pop()
    else:
        sheet.rows.append([value(random)])


def _sheet(random: Random, drawing: Drawing) -> None:
    match random.randrange(4):
        case 0:
            drawing.sheets.reverse()
        case 1:
            drawing.sheets[-1].name = "Other"
        case 2:
            drawing.sheets.append(Sheet("Extra", [[1]]))
        case _ if len(drawing.sheets) > 1:
            drawing.sheets.pop()


def _print_of(random: Random, drawing: Drawing) -> None:
    for name, content in list(drawing.printed.items()):
        change = random.randrange(9)
        if change == 0:
            del drawing.printed[name]
            continue
        drawing.printed[name] = [
            content, content + b"\n", content + b"\n\n \n", content.replace(b"\n", b"\r\n"),
            content.replace(b"\n", b"\x0b"), content + b"\x0c", content.upper(),
            b" " + content, content + b"\xe9",
        ][change]  # fmt: skip


def _again(random: Random, drawing: Drawing) -> None:
    """Generate another object of the same kind."""
    for sheet in drawing.sheets:
        kinds = [
            kind for kind, held in (
                ("chart", sheet.charts), ("style", sheet.formats), ("freeze", sheet.frozen),
                ("zoom", sheet.zoom), ("data_validation", sheet.validations),
                ("row_props", sheet.heights), ("col_props", sheet.widths),
                ("filter", sheet.filter), ("sparkline", sheet.sparklines),
            ) if held
        ]  # fmt: skip
        if kinds:
            kind = random.choice(kinds)
            if kind == "chart" and random.random() < 0.7:
                fresh = Sheet(sheet.name, [])
                DRAW["chart"](random, fresh)
                key = random.choice(list(fresh.charts[0]))
                random.choice(sheet.charts)[key] = fresh.charts[0][key]
                continue
            if kind == "data_validation" and random.random() < 0.4:
                sheet.validations.pop()
                continue
            DRAW[kind](random, sheet)


def _pivot(random: Random, drawing: Drawing) -> None:
    if drawing.pivot is not None:
        key, held = random.choice(
            [("rows", "1"), ("subtotal", "average"), ("name", "Other"), ("source", "A1:B3")]
        )
        drawing.pivot[key] = held
    else:
        _again(random, drawing)


def _resaved(random: Random, drawing: Drawing) -> None:
    drawing.resaved = drawing.pivot is None


CHANGES: dict[str, Callable[[Random, Drawing], None]] = {
    "right": lambda *_: None,
    "another cell": _cell,
    "another row": _row,
    "another sheet": _sheet,
    "printed otherwise": _print_of,
    "drawn anew": _again,
    "another pivot table": _pivot,
    "saved by another program": _resaved,
}


def changed(random: Random, drawing: Drawing, names: list[str]) -> Drawing:
    """A copy of the workbook with these changes."""
    other = copy.deepcopy(drawing)
    for name in names:
        CHANGES[name](random, other)
    return other
