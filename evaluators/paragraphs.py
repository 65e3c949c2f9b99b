"""What a text document holds, whatever its format: paragraphs of runs of one look."""

from __future__ import annotations

from dataclasses import dataclass, replace

DEEPEST_STYLE = 32
"""Styles inherit in chains; a hostile file's chain may be a ring."""


@dataclass(frozen=True)
class Look:
    """How characters look, as far as direct formatting and styles say; None where nothing does."""

    bold: bool | None = None
    italic: bool | None = None
    underline: bool | None = None
    size: float | None = None
    """In points."""
    font: str | None = None
    color: str | None = None
    """RRGGBB."""

    def over(self, base: Look) -> Look:
        """This look where it says something, else the base's."""
        said = {key: value for key, value in vars(self).items() if value is not None}
        return replace(base, **said)


@dataclass(frozen=True)
class Run:
    """Neighbouring characters of one look."""

    text: str
    look: Look


@dataclass(frozen=True)
class Paragraph:
    """One paragraph, of the body or of a table's cell, in the order of the file."""

    runs: tuple[Run, ...]
    alignment: str
    """left, center, right or justify."""

    @property
    def text(self) -> str:
        """All characters; tabs and line breaks as such."""
        return "".join(run.text for run in self.runs)
