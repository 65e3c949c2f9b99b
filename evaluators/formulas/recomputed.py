"""Verification that the stored results of a workbook are those of its formulas.

A file can store any result. Supported formulas are computed here. All others, and all whose result
differs from the stored one, are left to LibreOffice in a fresh guest, which recalculates the
workbook; the recalculated copy is part of the evidence (`recomputed/NAME`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import date, time
from pathlib import Path

from openpyxl.utils.cell import coordinate_to_tuple, get_column_letter

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.formulas.formula import FormulaError, UnknownValueError, formula
from ambidex.evaluators.formulas.formula_values import number
from ambidex.evaluators.formulas.workbook import CellContent, CellError, cells, whole_sheet
from ambidex.evaluators.manifest import NAME as MANIFEST

__all__ = ["FOLDER", "NotRecomputedError", "refute"]

FOLDER = "recomputed"
"""Folder of the recalculated workbooks in the evidence directory."""
DEEPEST = 200
"""Maximum length of a chain of formulas that depend on each other."""
CLOSE = 1e-9


class NotRecomputedError(UnreadableError):
    """LibreOffice has to recalculate this workbook first."""

    def __init__(self, file: str) -> None:
        super().__init__(f"{file} was not recalculated, so its stored results are not trusted")
        self.wants = (file,)


def refute(
    evidence: Path, file: str, sheet: str | None, stored: Mapping[str, CellContent]
) -> list[str]:
    """List wrong stored results, such as "B2 stores 7, but its formula results in 5".

    Raises `NotRecomputedError` if only LibreOffice can tell. Evidence without a manifest comes from
    older runs, which recalculated nothing: it is trusted, as it was then.
    """
    places = [place for place, cell in stored.items() if cell.formula]
    if (
        not places
        or not (evidence / MANIFEST).exists()
        or _confirmed(evidence, file, sheet, stored)
    ):
        return []
    recomputed = f"{FOLDER}/{file}"
    if not (evidence / recomputed).exists():
        raise NotRecomputedError(file)
    computed = cells(evidence, recomputed, sheet, places)
    return [
        f"{place} stores {stored[place].value}, but its formula results in {computed[place].value}"
        for place in places
        if not _same(stored[place].value, computed[place].value)
    ]


def _confirmed(
    evidence: Path, file: str, sheet: str | None, stored: Mapping[str, CellContent]
) -> bool:
    """Whether all formulas are supported here and result in the stored values."""
    sheet_cells = {
        coordinate_to_tuple(place): cell for place, cell in whole_sheet(evidence, file, sheet)
    }
    values = _Values(sheet_cells)
    try:
        return all(
            _same(cell.value, values.at(coordinate_to_tuple(place)))
            for place, cell in stored.items()
            if cell.formula
        )
    except (UnknownValueError, RecursionError):
        return False


class _Values(Mapping[tuple[int, int], object]):
    """The values of a sheet; formulas are computed on access."""

    def __init__(self, cells: Mapping[tuple[int, int], CellContent]) -> None:
        self._cells = cells
        self._computed: dict[tuple[int, int], object] = {}
        self._pending: list[tuple[int, int]] = []

    def at(self, place: tuple[int, int]) -> object:
        cell = self._cells.get(place)
        if cell is None or not cell.formula:
            return cell.value if cell else None
        if place not in self._computed:
            if place in self._pending or len(self._pending) > DEEPEST:
                raise UnknownValueError("the formulas depend on each other")
            self._pending.append(place)
            name = f"{get_column_letter(place[1])}{place[0]}"
            try:
                self._computed[place] = formula(cell.formula.removeprefix("="), origin=name)(
                    name, self
                )
            except FormulaError:
                raise UnknownValueError("a formula results in an error") from None
            finally:
                self._pending.pop()
        return self._computed[place]

    def __getitem__(self, place: tuple[int, int]) -> object:
        if place not in self._cells:
            raise KeyError(place)
        value = self.at(place)
        if isinstance(value, CellError):
            raise UnknownValueError("a cell has an error")
        return value

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self._cells)

    def __len__(self) -> int:
        return len(self._cells)


def _same(stored: object, computed: object) -> bool:
    if stored in (None, "") and computed in (None, ""):
        return True
    if isinstance(stored, date | time) or isinstance(computed, date | time):
        try:
            return math.isclose(number(stored), number(computed), abs_tol=1e-6)
        except FormulaError:
            return False
    if isinstance(stored, bool) or isinstance(computed, bool):
        return stored is computed
    if isinstance(stored, int | float) and isinstance(computed, int | float):
        return math.isclose(stored, computed, rel_tol=CLOSE, abs_tol=CLOSE)
    return type(stored) is type(computed) and stored == computed
