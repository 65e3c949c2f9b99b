"""Documents of LibreOffice: found by name, opened, saved, exported, changed in one undo step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.office import connection
from ambidex.mcp_tools.office.questions import decliner
from ambidex.mcp_tools.waiting import wait_for

__all__ = [
    "OPENS_WITHIN",
    "Document",
    "Kind",
    "Saved",
    "editing",
    "export_pdf",
    "file_of",
    "find",
    "open_file",
    "save",
]

Document = Annotated[
    Optional[str],
    Field(description="title, name or path; default: the active document"),
]


OPENS_WITHIN = 180
"""Seconds; an emulated processor that has neighbours needs more than 60."""


@dataclass(frozen=True)
class Kind:
    """What an app works on: UNO's name for it, ours, and the filters by file extension."""

    service: str
    word: str
    filters: dict[str, str]


@dataclass(frozen=True)
class Saved:
    """A file that was written."""

    path: str
    bytes: int


def absolute(path: str) -> Path:
    """The path with ~ resolved; relative ones are taken from the home folder."""
    return Path.home() / Path(path.removeprefix("file://")).expanduser()


def file_of(model: Any) -> Optional[Path]:
    """Where the document lies on disk; None if it was never saved."""
    import uno

    return Path(uno.fileUrlToSystemPath(model.URL)) if model.URL.startswith("file:") else None


def opened(kind: Kind) -> list[Any]:
    """The open documents of this kind."""
    components = connection.desktop().Components.createEnumeration()
    found = []
    while components.hasMoreElements():
        each = components.nextElement()
        if hasattr(each, "supportsService") and each.supportsService(kind.service):
            found.append(each)
    return found


def find(kind: Kind, document: Optional[str]) -> Any:
    """The open document of that title, name or path, else the active one; `ToolError` lists what is
    open.
    """
    with connection.answering():
        if document is None:
            current = connection.desktop().getCurrentComponent()
            if hasattr(current, "supportsService") and current.supportsService(kind.service):
                return current
        models = opened(kind)
        if document is None:
            matching = models
        else:
            path = absolute(document)
            matching = [each for each in models if document == each.Title or path == file_of(each)]
            matching = matching or [
                each for each in models if (file := file_of(each)) and file.name == document
            ]
        if len(matching) == 1:
            return matching[0]
        names = [str(file_of(each) or each.Title) for each in models]
    listed = f"Open {kind.word}s: {', '.join(names) or 'none'}."
    if not models:
        hint = "Open one with the app's open tool first."
        raise ToolError(f"No {kind.word} is open.", code="no_document", hint=hint)
    if matching:
        message = (
            f"Several {kind.word}s are open." if document is None else f"Several are {document!r}."
        )
        raise ToolError(message, code="ambiguous", hint=f"Give the path as `document`. {listed}")
    raise ToolError(f"No open {kind.word} is {document!r}.", code="no_document", hint=listed)


def open_file(kind: Kind, path: str) -> Any:
    """Open the file in a window, starting the office if need be; one that is open comes to the
    front.
    """
    file = absolute(path)
    if not file.is_file():
        raise ToolError(
            f"There is no file {file}.", code="not_found", hint="Paths may start with ~."
        )
    if not connection.processes():
        connection.start()
        wait_for(connection.listens, connection.STARTS_WITHIN)
    with connection.answering():
        # A load off the main thread may wait for an event that an idle desktop never sends.
        given = property_values(OnMainThread=True)
        model = connection.desktop().loadComponentFromURL(file.as_uri(), "_default", 0, given)
        if model is None or not model.supportsService(kind.service):
            other = f"{file.name} was opened, but it is not a {kind.word}."
            raise ToolError(
                other, code="wrong_kind", hint="Use the tools of the app it belongs to."
            )
        return model


@contextmanager
def editing(model: Any, step: str) -> Iterator[None]:
    """One undo step called `step`; a failure inside takes back what was already changed."""
    with connection.answering():
        undo = model.getUndoManager()
        before = len(undo.getAllUndoActionTitles())
        undo.enterUndoContext(step)
        try:
            yield
        except BaseException:
            undo.leaveUndoContext()
            if len(undo.getAllUndoActionTitles()) > before:
                undo.undo()
            raise
        undo.leaveUndoContext()


def undo(model: Any) -> str:
    """Take back the last undo step; says which."""
    with connection.answering():
        manager = model.getUndoManager()
        if not manager.isUndoPossible():
            raise ToolError("There is nothing to undo.", code="nothing")
        title = manager.getCurrentUndoActionTitle()
        manager.undo()
    return f"Taken back: {title}."


def property_values(**values: object) -> tuple[Any, ...]:
    """UNO's named arguments."""
    from com.sun.star.beans import PropertyValue

    made = []
    for name, value in values.items():
        each = PropertyValue()
        each.Name, each.Value = name, value
        made.append(each)
    return tuple(made)


def _written(file: Path) -> Saved:
    return Saved(str(file), file.stat().st_size)


def target(path: str, overwrite: bool) -> Path:
    """Where to write; `ToolError` if that would lose a file or there is no such folder."""
    file = absolute(path)
    if file.exists() and not overwrite:
        hint = "Choose another path or pass overwrite=true."
        raise ToolError(f"{file} exists already.", code="exists", hint=hint)
    if not file.parent.is_dir():
        raise ToolError(
            f"There is no folder {file.parent}.", code="not_found", hint="Create it first."
        )
    return file


def save(model: Any) -> Saved:
    """Write the document to its own file in that file's own format; no dialog appears, also where
    the file was changed by another program: that change is lost.
    """
    file = file_of(model)
    if file is None:
        message = f"{model.Title} has never been saved, so it has no file yet."
        raise ToolError(message, code="no_file", hint="Use save_as with a path.")
    if model.isReadonly():
        raise ToolError(f"{file} was opened read-only.", code="read_only", hint="Use save_as.")
    asked = decliner()
    try:
        with connection.answering():
            # Without somebody to ask, it would ask on the screen where another program changed the
            # file meanwhile, and wait; so the document as it is wins.
            model.storeSelf(property_values(InteractionHandler=asked))
    except ToolError as error:
        if not asked.asked:
            raise
        said = f"LibreOffice did not save {file}; it asks: {'; '.join(asked.asked)}"
        raise ToolError(said, code="refused", hint="Use save_as.") from error
    return _written(file)


def save_as(model: Any, kind: Kind, path: str, overwrite: bool) -> Saved:
    """Write the document to another file, in the format of that name's extension, and go on with
    it.
    """
    name = kind.filters.get(Path(path).suffix.lower())
    if name is None:
        known = " ".join(kind.filters)
        raise ToolError(f"Unknown format of {path!r}.", code="bad_format", hint=f"Known: {known}")
    file = target(path, overwrite)
    with connection.answering():
        model.storeAsURL(file.as_uri(), property_values(FilterName=name, Overwrite=overwrite))
    return _written(file)


def export_pdf(
    model: Any,
    name: str,
    path: Optional[str],
    overwrite: bool,
    options: Optional[dict[str, object]] = None,
) -> Saved:
    """Write a PDF by that filter and its options, beside the document unless told where; the
    document stays as it is.
    """
    import uno

    own = file_of(model)
    if path is None and own is None:
        message = f"{model.Title} has never been saved, so there is no folder for its PDF."
        raise ToolError(message, code="no_file", hint="Give a path for it.")
    file = target(path or str(own.with_suffix(".pdf") if own else ""), overwrite)
    data = uno.Any("[]com.sun.star.beans.PropertyValue", property_values(**options or {}))
    how = property_values(FilterName=name, Overwrite=overwrite, FilterData=data)
    with connection.answering():
        model.storeToURL(file.as_uri(), how)
    return _written(file)
