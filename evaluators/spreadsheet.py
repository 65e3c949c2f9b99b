"""Workbooks (xlsx): values, formulas, formats and sheets, as the file holds them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from ambidex.evaluators import Score
from ambidex.evaluators.recomputed import refute
from ambidex.evaluators.registry import EvidenceName, evaluator
from ambidex.evaluators.values import Value, shown, unequal, verdict
from ambidex.evaluators.workbook import cells as read_cells
from ambidex.evaluators.workbook import frozen as read_frozen
from ambidex.evaluators.workbook import sheet_names

Coordinate = Annotated[str, StringConstraints(pattern=r"^[A-Z]{1,3}[1-9][0-9]{0,6}$")]
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
    """The cells hold these values (of formulas: the results, computed anew), of the same kind.

    `sheet` is the first where it is not named; `tolerance` is how far two numbers may differ.
    """
    found = read_cells(evidence, file, sheet, list(cells))
    wrong = [
        f"{where} {reason}"
        for where, expected in cells.items()
        if (reason := unequal(expected, found[where].value, tolerance))
    ]
    wrong = wrong or refute(evidence, file, sheet, found)
    return verdict(wrong, f"{file}: all {len(cells)} cells are as expected")


@evaluator
def cells_empty(
    evidence: Path, *, file: EvidenceName, cells: Coordinates, sheet: str | None = None
) -> Score:
    """The cells hold nothing, not even a formula."""
    found = read_cells(evidence, file, sheet, cells)
    wrong = [
        f"{where} holds {each.formula or shown(each.value)}"
        for where, each in found.items()
        if each.value is not None or each.formula
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
    """Each cell holds one of the formulas listed for it; case, spaces and $ do not count."""
    found = read_cells(evidence, file, sheet, list(formulas))
    wrong = [
        f"{where} holds {found[where].formula or shown(found[where].value)}, not {allowed}"
        for where, allowed in formulas.items()
        if _normal(found[where].formula) not in {_normal(each) for each in allowed}
    ]
    return verdict(wrong, f"{file}: all {len(formulas)} formulas are as expected")


@evaluator
def cells_computed(
    evidence: Path, *, file: EvidenceName, cells: Coordinates, sheet: str | None = None
) -> Score:
    """The cells hold formulas (whichever), not values typed in: to be used with cells_equal."""
    found = read_cells(evidence, file, sheet, cells)
    wrong = [
        f"{where} holds {shown(each.value)} and no formula"
        for where, each in found.items()
        if not each.formula
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
    """The cells have this format; colours are RRGGBB; what is not named does not count."""
    asked = {"bold": bold, "fill": fill, "font_color": font_color, "alignment": alignment}
    wrong = [
        f"{where} has {key} {seen or 'none'}, not {expected}"
        for where, each in read_cells(evidence, file, sheet, cells).items()
        for key, expected in asked.items()
        if expected is not None and (seen := getattr(each, key)) != expected
    ]
    return verdict(wrong, f"{file}: all {len(cells)} cells are formatted as expected")


@evaluator
def sheets_equal(
    evidence: Path, *, file: EvidenceName, names: list[str], ordered: bool = True
) -> Score:
    """The workbook has these sheets and no others, in this order unless `ordered` is false."""
    seen = sheet_names(evidence, file)
    same = seen == names if ordered else sorted(seen) == sorted(names)
    wrong = [] if same else [f"the sheets are {seen}, not {names}"]
    return verdict(wrong, f"{file}: the sheets are as expected")


@evaluator
def frozen(
    evidence: Path, *, file: EvidenceName, sheet: str, rows: int = 0, columns: int = 0
) -> Score:
    """So many rows and columns of the sheet stay in sight when it is scrolled, and no more."""
    seen = read_frozen(evidence, file, sheet)
    wrong = [
        f"{found} {what} stay, not {expected}"
        for what, found, expected in zip(("rows", "columns"), seen, (rows, columns), strict=True)
        if found != expected
    ]
    return verdict(wrong, f"{file}: {rows} rows and {columns} columns stay")


def _normal(formula: str) -> str:
    """A formula without what does not change it: case, blanks and $ outside of quoted text."""
    parts = re.split(r"(\"[^\"]*\"|'[^']*')", formula)
    parts[::2] = [re.sub(r"[\s$]", "", part).upper() for part in parts[::2]]
    return "".join(parts)
