"""Evaluators of workbooks (xlsx): values, formulas, formats and sheets as stored in the file."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from openpyxl.utils.cell import coordinate_to_tuple
from pydantic import Field, StringConstraints

from ambidex.evaluators import Score
from ambidex.evaluators.formulas.appearance import rearranged, restyled
from ambidex.evaluators.formulas.recomputed import refute
from ambidex.evaluators.formulas.workbook import (
    AREA,
    CELL,
    CellContent,
    layout,
    sheet_names,
    whole_sheet,
)
from ambidex.evaluators.formulas.workbook import cells as read_cells
from ambidex.evaluators.formulas.workbook import frozen as read_frozen
from ambidex.evaluators.registry import EvidenceName, TaskFile, evaluator
from ambidex.evaluators.values import Value, shown, unequal, verdict

Coordinate = Annotated[str, StringConstraints(pattern=f"^{CELL}$")]
Area = Annotated[str, StringConstraints(pattern=f"^{AREA}$")]
Coordinates = Annotated[list[Coordinate], Field(min_length=1)]
Colour = Annotated[str, StringConstraints(pattern=r"^[0-9A-F]{6}$")]


@evaluator
def cells_equal(
    evidence: Path,
    *,
    file: EvidenceName,
    cells: Annotated[dict[Coordinate, Value], Field(min_length=1)],
    sheet: str | None = None,
    tolerance: float = 1e-9,
) -> Score:
    """The cells have these values, of the same type; for formulas, the recalculated results count.

    `sheet` defaults to the first; `tolerance` is the largest difference of two equal numbers.
    """
    found = read_cells(evidence, file, sheet, list(cells))
    wrong = [
        f"{place} {reason}"
        for place, expected in cells.items()
        if (reason := unequal(expected, found[place].value, tolerance))
    ]
    wrong = wrong or refute(evidence, file, sheet, found)
    return verdict(wrong, f"{file}: all {len(cells)} cells are as expected")


@evaluator
def cells_empty(
    evidence: Path, *, file: EvidenceName, cells: Coordinates, sheet: str | None = None
) -> Score:
    """The cells are empty, without even a formula."""
    found = read_cells(evidence, file, sheet, cells)
    wrong = [
        f"{place} holds {cell.formula or shown(cell.value)}"
        for place, cell in found.items()
        if cell.value is not None or cell.formula
    ]
    return verdict(wrong, f"{file}: all {len(cells)} cells are empty")


@evaluator
def formulas_equal(
    evidence: Path,
    *,
    file: EvidenceName,
    formulas: Annotated[dict[Coordinate, Annotated[list[str], Field(min_length=1)]], Field()],
    sheet: str | None = None,
) -> Score:
    """Each cell has one of the formulas listed for it; case, spaces and $ do not count."""
    found = read_cells(evidence, file, sheet, list(formulas))
    wrong = [
        f"{place} holds {found[place].formula or shown(found[place].value)}, not {allowed}"
        for place, allowed in formulas.items()
        if _normalised(found[place].formula) not in {_normalised(formula) for formula in allowed}
    ]
    return verdict(wrong, f"{file}: all {len(formulas)} formulas are as expected")


@evaluator
def cells_computed(
    evidence: Path, *, file: EvidenceName, cells: Coordinates, sheet: str | None = None
) -> Score:
    """The cells have formulas, whichever, rather than typed values; use it with cells_equal."""
    found = read_cells(evidence, file, sheet, cells)
    wrong = [
        f"{place} has the value {shown(cell.value)} and no formula"
        for place, cell in found.items()
        if not cell.formula
    ]
    wrong = wrong or refute(evidence, file, sheet, found)
    return verdict(wrong, f"{file}: all {len(cells)} cells are computed")


@evaluator
def cells_formatted(
    evidence: Path,
    *,
    file: EvidenceName,
    cells: Coordinates,
    sheet: str | None = None,
    bold: bool | None = None,
    fill: Colour | None = None,
    font_color: Colour | None = None,
    alignment: Literal["left", "center", "right", "general"] | None = None,
) -> Score:
    """The cells have this format; colours are RRGGBB; attributes not given are not checked."""
    expected = {"bold": bold, "fill": fill, "font_color": font_color, "alignment": alignment}
    wrong = [
        f"{place} has {key} {actual or 'none'}, not {value}"
        for place, cell in read_cells(evidence, file, sheet, cells).items()
        for key, value in expected.items()
        if value is not None and (actual := getattr(cell, key)) != value
    ]
    return verdict(wrong, f"{file}: all {len(cells)} cells are formatted as expected")


@evaluator
def sheets_equal(
    evidence: Path, *, file: EvidenceName, names: list[str], ordered: bool = True
) -> Score:
    """The workbook has these sheets and no others, in this order unless `ordered` is false."""
    actual = sheet_names(evidence, file)
    same = actual == names if ordered else sorted(actual) == sorted(names)
    wrong = [] if same else [f"the sheets are {actual}, not {names}"]
    return verdict(wrong, f"{file}: the sheets are as expected")


@evaluator
def frozen(
    evidence: Path, *, file: EvidenceName, sheet: str, rows: int = 0, columns: int = 0
) -> Score:
    """Exactly this many rows and columns of the sheet are frozen, and so stay visible."""
    actual = read_frozen(evidence, file, sheet)
    wrong = [
        f"{count} {kind} are frozen, not {expected}"
        for kind, count, expected in zip(("rows", "columns"), actual, (rows, columns), strict=True)
        if count != expected
    ]
    return verdict(wrong, f"{file}: {rows} rows and {columns} columns are frozen")


@evaluator
def rest_unchanged(
    evidence: Path,
    *,
    file: EvidenceName,
    original: TaskFile,
    changed: dict[str, list[Area]] | None = None,
    added: list[str] | None = None,
    tolerance: float = 1e-9,
) -> Score:
    """Apart from these cells, the workbook is the task's original: values, formulas, formats,
    comments, merged cells, and which rows, columns and sheets are hidden.

    `changed` has cells and ranges such as "B2:C9", by sheet; `added` names sheets that may be new.
    No other sheet may be new, missing, renamed or elsewhere. Results of formulas, the widths of
    columns, conditional formats, charts and views do not count.
    """
    names = sheet_names(evidence, file)
    expected_names = sheet_names(original.parent, original.name)
    new = [name for name in names if name in (added or []) and name not in expected_names]
    kept = [name for name in names if name not in new]
    if kept != expected_names:
        return Score(0.0, f"the sheets are {names}, not {expected_names}")
    wrong: list[str] = []
    for name in expected_names:
        allowed = [_boundaries(area) for area in (changed or {}).get(name, [])]
        before = dict(whole_sheet(original.parent, original.name, name))
        now = dict(whole_sheet(evidence, file, name))
        for place in {**before, **now}:
            if not _lies_in(place, allowed):
                cells = before.get(place, NOTHING), now.get(place, NOTHING)
                reason = _difference(*cells, tolerance) or restyled(*cells)
                wrong += [f"{name}.{place} {reason}"] if reason else []
        layouts = layout(original.parent, original.name, name), layout(evidence, file, name)
        differences = rearranged(*layouts, partial(_lies_in, areas=allowed))
        wrong += [f"{name}: {reason}" for reason in differences]
    return verdict(wrong, f"{file}: nothing else has changed")


def _lies_in(place: str, areas: list[tuple[int, int, int, int]]) -> bool:
    """Whether a cell or range lies in one of the areas."""
    first_column, first_row, last_column, last_row = _boundaries(place)
    return any(
        left <= first_column and last_column <= right and top <= first_row and last_row <= bottom
        for left, top, right, bottom in areas
    )


NOTHING = CellContent()


def _boundaries(area: str) -> tuple[int, int, int, int]:
    """The left, top, right and bottom of a range."""
    first, _, last = area.partition(":")
    top, left = coordinate_to_tuple(first)
    bottom, right = coordinate_to_tuple(last or first)
    return left, top, right, bottom


def _difference(before: CellContent, now: CellContent, tolerance: float) -> str:
    if before.formula or now.formula:
        same = _normalised(before.formula) == _normalised(now.formula)
        return (
            ""
            if same
            else f"holds {now.formula or shown(now.value) or 'nothing'}, "
            f"not {before.formula or shown(before.value) or 'nothing'}"
        )
    if before.value is None and now.value is None:
        return ""
    return unequal(before.value, now.value, tolerance)


def _normalised(formula: str) -> str:
    """The formula without insignificant parts: case, blanks and $ outside of quoted text."""
    parts = re.split(r"(\"[^\"]*\"|'[^']*')", formula)
    parts[::2] = [re.sub(r"[\s$]", "", part).upper() for part in parts[::2]]
    return "".join(parts)
