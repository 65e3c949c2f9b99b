"""Whether the results that a workbook stores are those of its formulas: a file may say anything.

What is understood here is computed here. Everything else, and whatever comes out otherwise, is left
to an office in a fresh guest, which writes the workbook anew; its results are then part of the
evidence (`recomputed/NAME`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import date, time
from pathlib import Path

from openpyxl.utils.cell import coordinate_to_tuple, get_column_letter

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.formula import FormulaError, UnknownValueError, formula
from ambidex.evaluators.formula_values import number
from ambidex.evaluators.manifest import NAME as MANIFEST
from ambidex.evaluators.workbook import SeenCell, SeenError, cells, whole_sheet

__all__ = ["FOLDER", "NotRecomputedError", "refute"]

FOLDER = "recomputed"
"""Of the workbooks that an office computed anew, in the evidence directory."""
DEEPEST = 200
"""Formulas that need one another in a row."""
CLOSE = 1e-9


class NotRecomputedError(UnreadableError):
    """An office has to compute this workbook first."""

    def __init__(self, file: str) -> None:
        super().__init__(f"{file} was not computed anew, so its stored results are not believed")
        self.wants = (file,)


def refute(evidence: Path, file: str, sheet: str | None, seen: Mapping[str, SeenCell]) -> list[str]:
    """What is wrong with the stored results of those cells: "B2 stores 7, and its formula gives 5".

    `NotRecomputedError` where only an office can tell. Evidence without a manifest is of older
    runs, in which nothing was computed anew: it is believed, as it was then.
    """
    places = [place for place, cell in seen.items() if cell.formula]
    if not places or not (evidence / MANIFEST).exists() or _confirmed(evidence, file, sheet, seen):
        return []
    anew = f"{FOLDER}/{file}"
    if not (evidence / anew).exists():
        raise NotRecomputedError(file)
    computed = cells(evidence, anew, sheet, places)
    return [
        f"{place} stores {seen[place].value}, and its formula gives {computed[place].value}"
        for place in places
        if not _same(seen[place].value, computed[place].value)
    ]


def _confirmed(evidence: Path, file: str, sheet: str | None, seen: Mapping[str, SeenCell]) -> bool:
    """Whether the formulas are understood here and give what is stored."""
    held = {coordinate_to_tuple(place): cell for place, cell in whole_sheet(evidence, file, sheet)}
    values = _Values(held)
    try:
        return all(
            _same(cell.value, values.at(coordinate_to_tuple(place)))
            for place, cell in seen.items()
            if cell.formula
        )
    except (UnknownValueError, RecursionError):
        return False


class _Values(Mapping[tuple[int, int], object]):
    """The values of a sheet, formulas computed when they are asked for."""

    def __init__(self, held: Mapping[tuple[int, int], SeenCell]) -> None:
        self._held = held
        self._known: dict[tuple[int, int], object] = {}
        self._under_way: list[tuple[int, int]] = []

    def at(self, place: tuple[int, int]) -> object:
        cell = self._held.get(place)
        if cell is None or not cell.formula:
            return cell.value if cell else None
        if place not in self._known:
            if place in self._under_way or len(self._under_way) > DEEPEST:
                raise UnknownValueError("formulas need one another")
            self._under_way.append(place)
            name = f"{get_column_letter(place[1])}{place[0]}"
            try:
                self._known[place] = formula(cell.formula.removeprefix("="), origin=name)(
                    name, self
                )
            except FormulaError:
                raise UnknownValueError("a formula gives an error") from None
            finally:
                self._under_way.pop()
        return self._known[place]

    def __getitem__(self, place: tuple[int, int]) -> object:
        if place not in self._held:
            raise KeyError(place)
        value = self.at(place)
        if isinstance(value, SeenError):
            raise UnknownValueError("a cell holds an error")
        return value

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)


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
