"""LibreOffice Impress: slides as images and as a text document, and the office's auto-save."""

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
SUFFIXES = {"image/jpeg": {".jpg", ".jpeg"}, "image/tiff": {".tif", ".tiff"}}
AUTO_SAVE = "/org.openoffice.Office.Recovery/AutoSave"
AUTO_SAVE_SHOWN = "/org.openoffice.Office.Common/Save/Document"
"""Where the dialog of the office's options writes the same two settings."""
WRITER = "private:factory/swriter"


@dataclass(frozen=True)
class AutoSave:
    """Auto-save of the whole office, before and after; minutes."""

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
    with connection.answering():
        every = slides.pages(model)
        chosen = every if slide_index is None else [slides.slide_at(model, slide_index)]
    named = [
        (page, documents.target(path, overwrite))
        for page, path in zip(chosen, _paths(file_path, format, len(chosen)), strict=True)
    ]
    return [_image(page, file, MEDIA[format], width) for page, file in named]


def _paths(path: str, kind: str, count: int) -> list[str]:
    """A name for each slide; `ToolError` if it says another format."""
    file = Path(path)
    suffixes = SUFFIXES.get(MEDIA[kind], {f".{kind}"})
    if file.suffix.lower() not in suffixes:
        if file.suffix and file.suffix.lower().lstrip(".") in {*MEDIA, "tif", "webp", "svg", "pdf"}:
            message = f"{file.name} does not fit the format {kind}."
            raise ToolError(message, code="bad_format", hint=f"Let it end in .{kind}.")
        file = file.with_name(f"{file.name}.{kind}")
    if count == 1:
        return [str(file)]
    return [str(file.with_stem(f"{file.stem}-{number}")) for number in range(1, count + 1)]


def _image(page: Any, file: Path, media: str, width: int) -> Saved:
    import uno

    with connection.answering():
        size = documents.property_values(
            PixelWidth=width, PixelHeight=max(1, round(width * page.Height / page.Width))
        )
        given = documents.property_values(
            URL=file.as_uri(),
            MediaType=media,
            FilterData=uno.Any("[]com.sun.star.beans.PropertyValue", size),
        )
        exporter = connection.service("com.sun.star.drawing.GraphicExportFilter")
        exporter.setSourceDocument(page)
        if not exporter.filter(given) or not file.is_file() or not file.stat().st_size:
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
    own = documents.file_of(model)
    if output_path is None and own is None:
        message = f"{model.Title} has never been saved, so there is no folder for its text."
        raise ToolError(message, code="no_file", hint="Give output_path.")
    path = output_path or str(own.with_suffix(".docx") if own else "")
    if Path(path).suffix.lower() != ".docx":
        raise ToolError(f"{path!r} does not end in .docx.", code="bad_format")
    file = documents.target(path, overwrite)
    with connection.answering():
        said = [line for page in slides.pages(model) for line in _lines(page, content)]
        given = documents.property_values(Hidden=True)
        made = connection.desktop().loadComponentFromURL(WRITER, "_blank", 0, given)
        try:
            made.Text.setString("\r".join(said))
            word = documents.property_values(FilterName="MS Word 2007 XML", Overwrite=overwrite)
            made.storeToURL(file.as_uri(), word)
        finally:
            made.close(True)
    return Saved(str(file), file.stat().st_size)


def _lines(page: Any, content: str) -> list[str]:
    """What a slide says."""
    boxes = [page.getByIndex(index) for index in range(page.Count)]
    found = [text for box in boxes for text in slides.texts(box)] if content != "notes" else []
    notes = slides.notes_of(page)
    if content != "slides" and notes is not None:
        found.append(notes)
    return [line for text in found if text.String for line in text.String.split("\n")]


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
        hint = f"Give {minutes}."
        raise ToolError("LibreOffice counts whole minutes.", code="bad_arguments", hint=hint)
    with connection.answering():
        provider = connection.service("com.sun.star.configuration.ConfigurationProvider")
        node = _settings(provider, AUTO_SAVE)
        before = bool(node.Enabled), int(node.TimeIntervall)
        node.setPropertyValue("Enabled", enabled)
        node.setPropertyValue("TimeIntervall", minutes)
        node.commitChanges()
        shown = _settings(provider, AUTO_SAVE_SHOWN)
        shown.setPropertyValue("AutoSave", enabled)
        shown.setPropertyValue("AutoSaveTimeIntervall", minutes)
        shown.commitChanges()
        provider.flush()  # else the file has it a second later
        return AutoSave(bool(node.Enabled), int(node.TimeIntervall), *before)


def _settings(provider: Any, path: str) -> Any:
    """A node of the office's settings that can be changed."""
    return provider.createInstanceWithArguments(
        "com.sun.star.configuration.ConfigurationUpdateAccess",
        documents.property_values(nodepath=path),
    )
