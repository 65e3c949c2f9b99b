"""Tools that export slides as images or as a text document, and configure auto-save."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.impress import app, slides
from ambidex.mcp_tools.impress.slides import PRESENTATION
from ambidex.mcp_tools.office import connection, documents
from ambidex.mcp_tools.office.documents import Document, Saved

__all__ = ["app"]

MEDIA = {
    "png": "image/png",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "gif": "image/gif",
    "bmp": "image/x-MS-bmp",
    "tiff": "image/tiff",
}
EXTENSIONS = {"image/jpeg": {".jpg", ".jpeg"}, "image/tiff": {".tif", ".tiff"}}
AUTO_SAVE = "/org.openoffice.Office.Recovery/AutoSave"
AUTO_SAVE_SHOWN = "/org.openoffice.Office.Common/Save/Document"
"""Copy of the same two settings, which the options dialog uses."""
WRITER = "private:factory/swriter"


@dataclass(frozen=True)
class AutoSave:
    """Auto-save of LibreOffice before and after; intervals in minutes."""

    enabled: bool
    interval_minutes: int
    enabled_before: bool
    interval_minutes_before: int


@app.tool(timeout=120)
def export_to_image(
    file_path: Annotated[str, Field(min_length=1, description="such as ~/Pictures/slide.png")],
    format: Annotated[
        Literal["png", "jpeg", "jpg", "gif", "bmp", "tiff"], Field(description="image format")
    ],
    slide_index: Annotated[
        Optional[int], Field(ge=1, description="1 is the first; default: all slides")
    ] = None,
    width: Annotated[
        int, Field(ge=16, le=8000, description="pixels; height is proportional")
    ] = 1920,
    overwrite: Annotated[bool, Field(description="replace an existing file")] = False,
    document: Document = None,
) -> list[Saved]:
    """Export a slide as an image (PNG, JPEG): save one slide as a picture, or every slide as
    talk-1.png, talk-2.png and so on. The presentation stays unchanged.
    """
    model = documents.find(PRESENTATION, document)
    with connection.uno_errors():
        all_slides = slides.pages(model)
        selected = all_slides if slide_index is None else [slides.slide_at(model, slide_index)]
    exports = [
        (page, documents.check_target(path, overwrite))
        for page, path in zip(selected, _paths(file_path, format, len(selected)), strict=True)
    ]
    return [_image(page, file, MEDIA[format], width) for page, file in exports]


def _paths(path: str, kind: str, count: int) -> list[str]:
    """File names for the slides; `ToolError` if the extension is that of another format."""
    file = Path(path)
    extensions = EXTENSIONS.get(MEDIA[kind], {f".{kind}"})
    if file.suffix.lower() not in extensions:
        if file.suffix and file.suffix.lower().lstrip(".") in {*MEDIA, "tif", "webp", "svg", "pdf"}:
            message = f"The extension of {file.name} does not match the format {kind}."
            raise ToolError(message, code="bad_format", hint=f"Use the extension .{kind}.")
        file = file.with_name(f"{file.name}.{kind}")
    if count == 1:
        return [str(file)]
    return [str(file.with_stem(f"{file.stem}-{number}")) for number in range(1, count + 1)]


def _image(page: Any, file: Path, media: str, width: int) -> Saved:
    import uno

    with connection.uno_errors():
        size = documents.property_values(
            PixelWidth=width, PixelHeight=max(1, round(width * page.Height / page.Width))
        )
        arguments = documents.property_values(
            URL=file.as_uri(),
            MediaType=media,
            FilterData=uno.Any("[]com.sun.star.beans.PropertyValue", size),
        )
        exporter = connection.service("com.sun.star.drawing.GraphicExportFilter")
        exporter.setSourceDocument(page)
        if not exporter.filter(arguments) or not file.is_file() or not file.stat().st_size:
            raise ToolError(f"LibreOffice did not write {file}.", code="failed")
    return Saved(str(file), file.stat().st_size)


@app.tool(timeout=120)
def convert_to_docx(
    output_path: Annotated[
        Optional[str], Field(description="ends in .docx; default: next to the file itself")
    ] = None,
    content: Annotated[
        Literal["slides", "notes", "both"],
        Field(description="text of the boxes, speaker notes, or both"),
    ] = "slides",
    overwrite: Annotated[bool, Field(description="replace an existing file")] = False,
    document: Document = None,
) -> Saved:
    """Convert a presentation into a Word document: write the text of all slides to a new docx file,
    one paragraph per line, without formatting or images. The presentation stays unchanged.
    """
    model = documents.find(PRESENTATION, document)
    own_file = documents.file_of(model)
    if output_path is None and own_file is None:
        message = f"{model.Title} has never been saved, so there is no folder for its docx."
        raise ToolError(message, code="no_file", hint="Give output_path.")
    path = output_path or str(own_file.with_suffix(".docx") if own_file else "")
    if Path(path).suffix.lower() != ".docx":
        raise ToolError(f"{path!r} does not end in .docx.", code="bad_format")
    file = documents.check_target(path, overwrite)
    with connection.uno_errors():
        lines = [line for page in slides.pages(model) for line in _lines(page, content)]
        arguments = documents.property_values(Hidden=True)
        text_document = connection.desktop().loadComponentFromURL(WRITER, "_blank", 0, arguments)
        try:
            text_document.Text.setString("\r".join(lines))
            options = documents.property_values(FilterName="MS Word 2007 XML", Overwrite=overwrite)
            text_document.storeToURL(file.as_uri(), options)
        finally:
            text_document.close(True)
    return Saved(str(file), file.stat().st_size)


def _lines(page: Any, content: str) -> list[str]:
    """Lines of text of a slide: of its boxes, its notes, or both."""
    boxes = [page.getByIndex(index) for index in range(page.Count)]
    texts = [text for box in boxes for text in slides.texts(box)] if content != "notes" else []
    notes = slides.notes_of(page)
    if content != "slides" and notes is not None:
        texts.append(notes)
    return [line for text in texts if text.String for line in text.String.split("\n")]


@app.tool()
def configure_auto_save(
    enabled: Annotated[bool, Field(description="on or off")],
    interval_minutes: Annotated[
        float, Field(ge=1, le=60, description="whole minutes between two saves")
    ],
) -> AutoSave:
    """Turn autosave (autorecovery, automatic saving every few minutes) on or off. Applies to all of
    LibreOffice, documents and spreadsheets too, permanently. Returns the setting before and after.
    """
    minutes = round(interval_minutes)
    if minutes != interval_minutes:
        hint = f"Pass {minutes}."
        raise ToolError("interval_minutes must be whole minutes.", code="bad_arguments", hint=hint)
    with connection.uno_errors():
        provider = connection.service("com.sun.star.configuration.ConfigurationProvider")
        node = _settings(provider, AUTO_SAVE)
        before = bool(node.Enabled), int(node.TimeIntervall)
        node.setPropertyValue("Enabled", enabled)
        node.setPropertyValue("TimeIntervall", minutes)
        node.commitChanges()
        dialog_node = _settings(provider, AUTO_SAVE_SHOWN)
        dialog_node.setPropertyValue("AutoSave", enabled)
        dialog_node.setPropertyValue("AutoSaveTimeIntervall", minutes)
        dialog_node.commitChanges()
        provider.flush()  # otherwise the file is written a second later
        return AutoSave(bool(node.Enabled), int(node.TimeIntervall), *before)


def _settings(provider: Any, path: str) -> Any:
    """A writable node of LibreOffice's settings."""
    return provider.createInstanceWithArguments(
        "com.sun.star.configuration.ConfigurationUpdateAccess",
        documents.property_values(nodepath=path),
    )
