"""Undo steps for presentations.

Writer and Calc record every change made through UNO for undo. Impress records only added and
removed slides and deleted boxes. So a tool that changes text, colours, places or backgrounds adds
an undo action of its own, which LibreOffice calls when the step is undone, by a tool or by Ctrl+Z.
These actions exist only as long as the process that created them.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Optional

from ambidex.mcp_tools.office import documents

__all__ = [
    "PARAGRAPH_BREAK",
    "Changes",
    "changing",
    "elements",
    "held_ranges",
    "hold",
    "place_restorer",
    "portions",
]

READONLY = 16
PARAGRAPH_BREAK, LINE_BREAK = 0, 1
OF_PARAGRAPHS, OF_CHARACTERS = ("Para", "Numbering"), ("Char",)


@dataclass
class Changes:
    """The changes of one undo step: how to revert each and how to reapply it."""

    manager: Any
    """The document's undo manager."""
    recorded: list[tuple[Callable[[], None], Callable[[], None]]] = field(default_factory=list)
    names: dict[tuple[str, str, tuple[str, ...]], list[str]] = field(default_factory=dict)
    """Names of the properties that can be set, by kind of text, kind of part and prefixes."""

    def record(self, undo: Callable[[], None], redo: Callable[[], None]) -> None:
        """Record a change that has already been made."""
        self.recorded.append((undo, redo))

    def do(self, change: Callable[[], None], undo: Callable[[], None]) -> None:
        """Make a change and record it."""
        change()
        self.record(undo, change)

    def set(self, target: Any, **values: object) -> None:
        """Set properties of a UNO object, skipping those it does not have."""
        for name, value in values.items():
            if _has(target, name):
                restore = _property_restorer(target, name)
                self.do(_setter(target, name, value), restore)

    def style(self, text: Any, values: dict[str, object], where: Optional[Any] = None) -> None:
        """Set properties of a whole text or paragraph, or only of the range `where` in it."""
        parts = list(portions(text))
        restorers = [
            _property_restorer(part, name) for part in parts for name in values if _has(part, name)
        ]
        targets = parts if where is None else [where]

        def change() -> None:
            for target in targets:
                _set_properties(target, values)

        def restore() -> None:
            for restorer in restorers:
                restorer()

        self.do(change, restore)

    def rewrite(self, text: Any, change: Callable[[], None]) -> None:
        """Change a text; undo restores its whole content and format."""
        before = self._content(text)
        change()
        after = self._content(text)
        self.record(lambda: _write(text, before), lambda: _write(text, after))

    def place(self, shape: Any, x: int, y: int, width: int, height: int) -> None:
        """Move and resize a box; in 1/100 mm."""
        self.do(lambda: _place(shape, x, y, width, height), place_restorer(shape))

    def add(
        self,
        page: Any,
        make: Callable[[], Any],
        place: tuple[int, int, int, int],
        finish: Callable[[Any], None],
    ) -> Any:
        """Add a box on top of a page: create it, place it (x, y, width, height in 1/100 mm) and
        finish it. Undo destroys the box, so redo creates a new one.
        """
        index = page.Count

        def put() -> None:
            shape = make()
            page.add(shape)
            _place(shape, *place)
            finish(shape)
            _place(shape, *place)

        with self.without_undo():  # otherwise undo would revert a table's rows after the table
            self.do(put, lambda: page.remove(page.getByIndex(index)))
        return page.getByIndex(index)

    @contextmanager
    def without_undo(self) -> Iterator[None]:
        """Suspend LibreOffice's own recording of undo actions."""
        self.manager.lock()
        try:
            yield
        finally:
            self.manager.unlock()

    def _content(self, text: Any) -> list[tuple[dict[str, object], list[Portion]]]:
        """The paragraphs of a text, each with its direct properties and its portions."""
        kind = text.getImplementationName()
        return [
            (
                self._direct_properties(paragraph, kind, OF_PARAGRAPHS),
                [
                    Portion(
                        portion.String,
                        self._direct_properties(portion, kind, OF_CHARACTERS),
                        _field(portion),
                    )
                    for portion in portions(paragraph)
                ],
            )
            for paragraph in elements(text)
        ]

    def _direct_properties(
        self, target: Any, kind: str, prefixes: tuple[str, ...]
    ) -> dict[str, object]:
        """Properties with these prefixes that are set directly, not inherited. `kind` is the text's
        implementation. LibreOffice is asked for the names once per kind, because it lists every
        property with its type.
        """
        key = (kind, target.getImplementationName(), prefixes)
        if key not in self.names:
            self.names[key] = sorted(  # as getPropertyValues requires
                property_.Name
                for property_ in target.getPropertySetInfo().getProperties()
                if property_.Name.startswith(prefixes) and not property_.Attributes & READONLY
            )
        states = target.getPropertyStates(tuple(self.names[key]))
        direct = tuple(
            name
            for name, state in zip(self.names[key], states, strict=True)
            if state.value == "DIRECT_VALUE"
        )
        return dict(zip(direct, target.getPropertyValues(direct), strict=True))

    def revert(self) -> None:
        """Undo all changes."""
        for undo, _ in reversed(self.recorded):
            undo()

    def reapply(self) -> None:
        """Redo all changes."""
        for _, redo in self.recorded:
            redo()


@contextmanager
def changing(model: Any, step: str) -> Iterator[Changes]:
    """Group changes into one undo step called `step`; an exception reverts them."""
    held_ranges().clear()
    with documents.editing(model, step):
        changes = Changes(model.getUndoManager())
        try:
            yield changes
        finally:
            held_ranges().clear()
            if changes.recorded:
                changes.manager.addUndoAction(_action(step, changes))


def _action(step: str, changes: Changes) -> Any:
    import unohelper
    from com.sun.star.document import XUndoAction

    class Action(unohelper.Base, XUndoAction):  # type: ignore[misc]
        Title = step

        def undo(self) -> None:
            changes.revert()

        def redo(self) -> None:
            changes.reapply()

    return Action()


def _setter(target: Any, name: str, value: object) -> Callable[[], None]:
    return lambda: target.setPropertyValue(name, value)


def place_restorer(shape: Any) -> Callable[[], None]:
    """A function that restores the current place of a box."""
    position, size = shape.Position, shape.Size
    return lambda: _place(shape, position.X, position.Y, size.Width, size.Height)


def _has(target: Any, name: str) -> bool:
    return bool(target.getPropertySetInfo().hasPropertyByName(name))


def _place(shape: Any, x: int, y: int, width: int, height: int) -> None:
    from com.sun.star.awt import Point, Size

    shape.setSize(Size(width, height))
    shape.setPosition(Point(x, y))


def _property_restorer(target: Any, name: str) -> Callable[[], None]:
    """A function that restores the current value of a property, which may be its default."""
    if not hasattr(target, "getPropertyState"):
        return _setter(target, name, target.getPropertyValue(name))
    if target.getPropertyState(name).value == "DEFAULT_VALUE":
        return lambda: target.setPropertyToDefault(name)
    return _setter(target, name, target.getPropertyValue(name))


@functools.cache
def held_ranges() -> list[Any]:
    """Text ranges in use by the current call."""
    return []


def hold(text_range: Any) -> Any:
    """Keep a reference to a range until the end of the call. LibreOffice 7.4 can crash when one
    range is released while another is created in the same text, because it does both at once. A
    range that is kept for longer spoils a text that a person then edits: LibreOffice saves no more
    of it than the range has.
    """
    held_ranges().append(text_range)
    return text_range


def elements(container: Any) -> Iterator[Any]:
    """Iterate over a UNO enumeration."""
    enumeration = container.createEnumeration()
    while enumeration.hasMoreElements():
        yield hold(enumeration.nextElement())


def portions(text: Any) -> Iterator[Any]:
    """The non-empty portions of equal format in a text or a paragraph."""
    for element in elements(text):
        if hasattr(element, "createEnumeration"):  # a paragraph
            yield from portions(element)
        elif element.String:
            yield element


@dataclass(frozen=True)
class Portion:
    """A portion of equally formatted text, or a text field."""

    text: str
    look: dict[str, object]
    field: Optional[Any]


def _field(portion: Any) -> Optional[Any]:
    return portion.TextField if portion.TextPortionType == "TextField" else None


def _write(text: Any, content: list[tuple[dict[str, object], list[Portion]]]) -> None:
    text.setString("")
    for number, (look, pieces) in enumerate(content):
        cursor = hold(text.createTextCursor())
        cursor.gotoEnd(False)
        if number:
            text.insertControlCharacter(cursor, PARAGRAPH_BREAK, False)
        _set_direct(cursor, look)
        for piece in pieces:
            _insert(text, piece)


def _insert(text: Any, piece: Portion) -> None:
    cursor = hold(text.createTextCursor())
    cursor.gotoEnd(False)
    if piece.field is not None:
        text.insertTextContent(cursor, piece.field, False)
        cursor.gotoEnd(False)
        cursor.goLeft(1, True)
        _set_direct(cursor, piece.look)
        return
    for number, line in enumerate(piece.text.split("\n")):
        if number:
            text.insertControlCharacter(cursor, LINE_BREAK, False)
        text.insertString(cursor, line, False)
        cursor.gotoEnd(False)
        cursor.goLeft(len(line.encode("utf-16-le")) // 2, True)
        _set_direct(cursor, piece.look)
        cursor.gotoEnd(False)


def _set_properties(target: Any, look: dict[str, object]) -> None:
    for name, value in look.items():
        if _has(target, name):
            target.setPropertyValue(name, value)


def _set_direct(target: Any, look: dict[str, object]) -> None:
    from com.sun.star.uno import Exception as UnoException

    for name, value in look.items():
        with contextlib.suppress(UnoException):  # some properties can be read but not set
            target.setPropertyValue(name, value)
