"""Undo steps of presentations.

Writer and Calc note every change made through UNO in their undo list. Impress notes slides that
come and go and boxes that are deleted, and nothing else: what a tool changes of text, colours,
places or backgrounds it notes itself, as an action that the office calls when it is taken back, by
a tool or by Ctrl+Z. The actions live as long as the process that made them.
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
    "keep",
    "keeping_place",
    "kept",
    "portions",
]

READONLY = 16
PARAGRAPH_BREAK, LINE_BREAK = 0, 1
OF_PARAGRAPHS, OF_CHARACTERS = ("Para", "Numbering"), ("Char",)


@dataclass
class Changes:
    """What one step changed: how to take each change back, and how to make it again."""

    manager: Any
    """The document's undo list."""
    made: list[tuple[Callable[[], None], Callable[[], None]]] = field(default_factory=list)

    def note(self, back: Callable[[], None], again: Callable[[], None]) -> None:
        """A change that is already made."""
        self.made.append((back, again))

    def do(self, change: Callable[[], None], back: Callable[[], None]) -> None:
        """Make a change."""
        change()
        self.note(back, change)

    def set(self, target: Any, **values: object) -> None:
        """Give something of UNO these properties; those it does not have are left out."""
        for name, value in values.items():
            if _has(target, name):
                old = _property(target, name)
                self.do(_setting(target, name, value), old)

    def style(self, text: Any, values: dict[str, object], where: Optional[Any] = None) -> None:
        """Give all characters of a text or a paragraph these properties, or only a range in it."""
        parts = list(portions(text))
        old = [_property(each, name) for each in parts for name in values if _has(each, name)]
        targets = parts if where is None else [where]

        def change() -> None:
            for each in targets:
                _give(each, values)

        def back() -> None:
            for each in old:
                each()

        self.do(change, back)

    def rewrite(self, text: Any, change: Callable[[], None]) -> None:
        """Change what a text says; its whole content and look come back."""
        before = _content(text)
        change()
        after = _content(text)
        self.note(lambda: _write(text, before), lambda: _write(text, after))

    def place(self, shape: Any, x: int, y: int, width: int, height: int) -> None:
        """Move and resize a box; in 1/100 mm."""
        self.do(lambda: _place(shape, x, y, width, height), keeping_place(shape))

    def add(
        self,
        page: Any,
        make: Callable[[], Any],
        place: tuple[int, int, int, int],
        finish: Callable[[Any], None],
    ) -> Any:
        """Put a new box on a page, above the others: it is made, put where it belongs (x, y, width,
        height in 1/100 mm), then finished. Undone it is destroyed, so making it again means anew.
        """
        index = page.Count

        def put() -> None:
            shape = make()
            page.add(shape)
            _place(shape, *place)
            finish(shape)
            _place(shape, *place)

        with self.unnoted():  # rows of a new table would be taken back after the table itself
            self.do(put, lambda: page.remove(page.getByIndex(index)))
        return page.getByIndex(index)

    @contextmanager
    def unnoted(self) -> Iterator[None]:
        """The office notes nothing of what is done within."""
        self.manager.lock()
        try:
            yield
        finally:
            self.manager.unlock()

    def back(self) -> None:
        """As it was before."""
        for back, _ in reversed(self.made):
            back()

    def again(self) -> None:
        """As it was after."""
        for _, again in self.made:
            again()


@contextmanager
def changing(model: Any, step: str) -> Iterator[Changes]:
    """One undo step called `step`; a failure inside takes back what was already changed."""
    kept().clear()
    with documents.editing(model, step):
        changes = Changes(model.getUndoManager())
        try:
            yield changes
        finally:
            if changes.made:
                changes.manager.addUndoAction(_action(step, changes))


def _action(step: str, changes: Changes) -> Any:
    import unohelper
    from com.sun.star.document import XUndoAction

    class Action(unohelper.Base, XUndoAction):  # type: ignore[misc]
        Title = step

        def undo(self) -> None:
            changes.back()

        def redo(self) -> None:
            changes.again()

    return Action()


def _setting(target: Any, name: str, value: object) -> Callable[[], None]:
    return lambda: target.setPropertyValue(name, value)


def keeping_place(shape: Any) -> Callable[[], None]:
    """How to have a box where it is now."""
    at, size = shape.Position, shape.Size
    return lambda: _place(shape, at.X, at.Y, size.Width, size.Height)


def _has(target: Any, name: str) -> bool:
    return bool(target.getPropertySetInfo().hasPropertyByName(name))


def _place(shape: Any, x: int, y: int, width: int, height: int) -> None:
    from com.sun.star.awt import Point, Size

    shape.setSize(Size(width, height))
    shape.setPosition(Point(x, y))


def _property(target: Any, name: str) -> Callable[[], None]:
    """How to give a property back what it has now, which may be nothing of its own."""
    if not hasattr(target, "getPropertyState"):
        return _setting(target, name, target.getPropertyValue(name))
    if target.getPropertyState(name).value == "DEFAULT_VALUE":
        return lambda: target.setPropertyToDefault(name)
    return _setting(target, name, target.getPropertyValue(name))


@functools.cache
def kept() -> list[Any]:
    """Ranges of text that are in use by the call that runs."""
    return []


def keep(found: Any) -> Any:
    """Hold on to a range until the next call: an office (7.4) that is told to let go of one while
    another is made in the same text may break down, as it does both at once.
    """
    kept().append(found)
    return found


def elements(container: Any) -> Iterator[Any]:
    """What UNO enumerates."""
    found = container.createEnumeration()
    while found.hasMoreElements():
        yield keep(found.nextElement())


def portions(text: Any) -> Iterator[Any]:
    """The stretches of equal look in a text or a paragraph, none of them empty."""
    for each in elements(text):
        if hasattr(each, "createEnumeration"):  # a paragraph
            yield from portions(each)
        elif each.String:
            yield each


@dataclass(frozen=True)
class Portion:
    """A stretch of text of equal look; or the field that stands there."""

    text: str
    look: dict[str, object]
    field: Optional[Any]


def _content(text: Any) -> list[tuple[dict[str, object], list[Portion]]]:
    """Its paragraphs, each with its own properties and its portions."""
    return [(_own(each, OF_PARAGRAPHS), list(_pieces(each))) for each in elements(text)]


def _pieces(paragraph: Any) -> Iterator[Portion]:
    for each in portions(paragraph):
        yield Portion(each.String, _own(each, OF_CHARACTERS), _field(each))


def _own(target: Any, kinds: tuple[str, ...]) -> dict[str, object]:
    """The properties of these kinds that are set here, not inherited."""
    names = [
        each.Name
        for each in target.getPropertySetInfo().getProperties()
        if each.Name.startswith(kinds) and not each.Attributes & READONLY
    ]
    states = target.getPropertyStates(tuple(names))
    return {
        name: target.getPropertyValue(name)
        for name, state in zip(names, states, strict=True)
        if state.value == "DIRECT_VALUE"
    }


def _field(portion: Any) -> Optional[Any]:
    return portion.TextField if portion.TextPortionType == "TextField" else None


def _write(text: Any, content: list[tuple[dict[str, object], list[Portion]]]) -> None:
    text.setString("")
    for number, (look, pieces) in enumerate(content):
        cursor = keep(text.createTextCursor())
        cursor.gotoEnd(False)
        if number:
            text.insertControlCharacter(cursor, PARAGRAPH_BREAK, False)
        _restore(cursor, look)
        for piece in pieces:
            _insert(text, piece)


def _insert(text: Any, piece: Portion) -> None:
    cursor = keep(text.createTextCursor())
    cursor.gotoEnd(False)
    if piece.field is not None:
        text.insertTextContent(cursor, piece.field, False)
        cursor.gotoEnd(False)
        cursor.goLeft(1, True)
        _restore(cursor, piece.look)
        return
    for number, line in enumerate(piece.text.split("\n")):
        if number:
            text.insertControlCharacter(cursor, LINE_BREAK, False)
        text.insertString(cursor, line, False)
        cursor.gotoEnd(False)
        cursor.goLeft(len(line.encode("utf-16-le")) // 2, True)
        _restore(cursor, piece.look)
        cursor.gotoEnd(False)


def _give(target: Any, look: dict[str, object]) -> None:
    for name, value in look.items():
        if _has(target, name):
            target.setPropertyValue(name, value)


def _restore(target: Any, look: dict[str, object]) -> None:
    from com.sun.star.uno import Exception as UnoException

    for name, value in look.items():
        with contextlib.suppress(UnoException):  # rules that are not there are read and not set
            target.setPropertyValue(name, value)
