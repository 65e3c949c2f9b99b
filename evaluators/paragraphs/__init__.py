"""The format-independent model of a text document: paragraphs, runs and their formatting."""

from __future__ import annotations

from dataclasses import dataclass, replace

DEEPEST_STYLE = 32
"""Maximum length of a chain of inherited styles: in a hostile file the chain may be a cycle."""


@dataclass(frozen=True)
class CharacterFormat:
    """Character formatting from direct formatting and styles; None where nothing sets it."""

    bold: bool | None = None
    italic: bool | None = None
    underline: bool | None = None
    size: float | None = None
    """In points."""
    font: str | None = None
    color: str | None = None
    """RRGGBB."""
    struck: bool | None = None
    highlighted: bool | None = None
    """Whether the characters have a background of their own, in whichever colour."""

    def over(self, base: CharacterFormat) -> CharacterFormat:
        """This formatting, with attributes that it does not set taken from `base`."""
        attributes = {key: value for key, value in vars(self).items() if value is not None}
        return replace(base, **attributes)


@dataclass(frozen=True)
class Run:
    """Consecutive characters with the same formatting."""

    text: str
    format: CharacterFormat


@dataclass(frozen=True)
class Paragraph:
    """One paragraph of the body or of a table cell."""

    runs: tuple[Run, ...]
    alignment: str
    """left, center, right or justify."""

    @property
    def text(self) -> str:
        """All characters, including tabs and line breaks."""
        return "".join(run.text for run in self.runs)
