"""Finding, opening, saving, exporting and editing LibreOffice documents."""

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
"""Timeout in seconds; a busy emulated processor needs more than 60."""


@dataclass(frozen=True)
class Kind:
    """A kind of document: its UNO service, our word for it, and its filters by file extension."""

    service: str
    word: str
    filters: dict[str, str]


@dataclass(frozen=True)
class Saved:
    """A file that was written."""

    path: str
    bytes: int


def absolute_path(path: str) -> Path:
    """Expand ~ and file:// in a path; relative paths start at the home folder."""
    return Path.home() / Path(path.removeprefix("file://")).expanduser()


def file_of(model: Any) -> Optional[Path]:
    """Path of a document's file; None if it was never saved."""
    import uno

    return Path(uno.fileUrlToSystemPath(model.URL)) if model.URL.startswith("file:") else None


def open_documents(kind: Kind) -> list[Any]:
    """All open documents of a kind."""
    components = connection.desktop().Components.createEnumeration()
    models = []
    while components.hasMoreElements():
        component = components.nextElement()
        if hasattr(component, "supportsService") and component.supportsService(kind.service):
            models.append(component)
    return models


def find(kind: Kind, document: Optional[str]) -> Any:
    """Find an open document by title, file name or path; the active one if `document` is None.
    `ToolError` lists the open documents.
    """
    with connection.uno_errors():
        if document is None:
            current = connection.desktop().getCurrentComponent()
            if hasattr(current, "supportsService") and current.supportsService(kind.service):
                return current
        models = open_documents(kind)
        if document is None:
            matching = models
        else:
            path = absolute_path(document)
            matching = [
                model for model in models if document == model.Title or path == file_of(model)
            ]
            matching = matching or [
                model for model in models if (file := file_of(model)) and file.name == document
            ]
        if len(matching) == 1:
            return matching[0]
        names = [str(file_of(model) or model.Title) for model in models]
    listing = f"Open {kind.word}s: {', '.join(names) or 'none'}."
    if not models:
        hint = "Open one with the app's open tool first."
        raise ToolError(f"No {kind.word} is open.", code="no_document", hint=hint)
    if matching:
        message = (
            f"Several {kind.word}s are open."
            if document is None
            else f"Several open {kind.word}s match {document!r}."
        )
        raise ToolError(message, code="ambiguous", hint=f"Give the path as `document`. {listing}")
    raise ToolError(f"No open {kind.word} matches {document!r}.", code="no_document", hint=listing)


def open_file(kind: Kind, path: str) -> Any:
    """Open a file in a window, starting LibreOffice if necessary. A file that is already open comes
    to the front.
    """
    file = absolute_path(path)
    if not file.is_file():
        raise ToolError(f"No such file: {file}.", code="not_found", hint="Paths may start with ~.")
    if not connection.processes():
        connection.start()
        wait_for(connection.is_answering, connection.STARTS_WITHIN)
    with connection.uno_errors():
        # Off the main thread, loading may wait for an event that an idle desktop never sends.
        arguments = property_values(OnMainThread=True)
        model = connection.desktop().loadComponentFromURL(file.as_uri(), "_default", 0, arguments)
        if model is None or not model.supportsService(kind.service):
            message = f"{file.name} was opened, but it is not a {kind.word}."
            raise ToolError(
                message, code="wrong_kind", hint="Use the tools of the app it belongs to."
            )
        return model


@contextmanager
def editing(model: Any, step: str) -> Iterator[None]:
    """Group changes into one undo step called `step`; an exception reverts them."""
    with connection.uno_errors():
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
    """Undo the last step; return a sentence that names it."""
    with connection.uno_errors():
        manager = model.getUndoManager()
        if not manager.isUndoPossible():
            raise ToolError("There is nothing to undo.", code="nothing")
        title = manager.getCurrentUndoActionTitle()
        manager.undo()
    return f"Undone: {title}."


def property_values(**values: object) -> tuple[Any, ...]:
    """Build UNO's PropertyValue arguments."""
    from com.sun.star.beans import PropertyValue

    arguments = []
    for name, value in values.items():
        argument = PropertyValue()
        argument.Name, argument.Value = name, value
        arguments.append(argument)
    return tuple(arguments)


def _saved(file: Path) -> Saved:
    return Saved(str(file), file.stat().st_size)


def check_target(path: str, overwrite: bool) -> Path:
    """Return a path that may be written; `ToolError` if that would lose a file or has no folder."""
    file = absolute_path(path)
    if file.exists() and not overwrite:
        hint = "Choose another path or pass overwrite=true."
        raise ToolError(f"{file} already exists.", code="exists", hint=hint)
    if not file.parent.is_dir():
        raise ToolError(
            f"No such folder: {file.parent}.", code="not_found", hint="Create it first."
        )
    return file


def save(model: Any) -> Saved:
    """Write a document to its own file, in that file's format and without a dialog. A change that
    another program made to the file meanwhile is overwritten.
    """
    file = file_of(model)
    if file is None:
        message = f"{model.Title} has never been saved, so it has no file yet."
        raise ToolError(message, code="no_file", hint="Use save_as with a path.")
    if model.isReadonly():
        raise ToolError(f"{file} was opened read-only.", code="read_only", hint="Use save_as.")
    handler = decliner()
    try:
        with connection.uno_errors():
            # Without a handler, a file that another program changed meanwhile would open a dialog
            # and block. The document in memory wins.
            model.storeSelf(property_values(InteractionHandler=handler))
    except ToolError as error:
        if not handler.asked:
            raise
        message = f"LibreOffice did not save {file}; it asked: {'; '.join(handler.asked)}"
        raise ToolError(message, code="refused", hint="Use save_as.") from error
    return _saved(file)


def save_as(model: Any, kind: Kind, path: str, overwrite: bool) -> Saved:
    """Write a document to another file, in the format of its extension; the document is that file
    from then on.
    """
    name = kind.filters.get(Path(path).suffix.lower())
    if name is None:
        extensions = " ".join(kind.filters)
        raise ToolError(
            f"Unknown file format: {path!r}.", code="bad_format", hint=f"Known: {extensions}"
        )
    file = check_target(path, overwrite)
    with connection.uno_errors():
        model.storeAsURL(file.as_uri(), property_values(FilterName=name, Overwrite=overwrite))
    return _saved(file)


def export_pdf(
    model: Any,
    name: str,
    path: Optional[str],
    overwrite: bool,
    options: Optional[dict[str, object]] = None,
) -> Saved:
    """Export a PDF with the filter `name` and its options, by default next to the document's file.
    The document stays unchanged.
    """
    import uno

    own = file_of(model)
    if path is None and own is None:
        message = f"{model.Title} has never been saved, so there is no folder for its PDF."
        raise ToolError(message, code="no_file", hint="Give a path for it.")
    file = check_target(path or str(own.with_suffix(".pdf") if own else ""), overwrite)
    data = uno.Any("[]com.sun.star.beans.PropertyValue", property_values(**options or {}))
    arguments = property_values(FilterName=name, Overwrite=overwrite, FilterData=data)
    with connection.uno_errors():
        model.storeToURL(file.as_uri(), arguments)
    return _saved(file)
