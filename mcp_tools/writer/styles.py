"""Tools for paragraph styles, headings and the default font."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.office import connection, documents
from ambidex.mcp_tools.office.documents import Document
from ambidex.mcp_tools.office.passages import TEXT, Indices, paragraphs_at, paragraphs_of
from ambidex.mcp_tools.office.text_formats import for_all_scripts, text_properties
from ambidex.mcp_tools.writer import app

__all__ = ["app"]


@dataclass(frozen=True)
class Heading:
    """A heading. Level 1 is the highest; `index` is that of its paragraph."""

    level: int
    index: int
    text: str


@dataclass(frozen=True)
class Style:
    """A paragraph style; `name` is used by tools, `shown` in the window."""

    name: str
    shown: str
    in_use: bool


@dataclass(frozen=True)
class Font:
    """A font and its size in points."""

    name: str
    size: float


@dataclass(frozen=True)
class DefaultFont:
    """The default paragraph style of the document, before and after."""

    before: Font
    after: Font


@app.tool(reads_only=True, timeout=60)
def get_outline(document: Document = None) -> list[Heading]:
    """List the headings of a document with levels and positions: its outline (table of contents),
    the structure of chapters and sections.
    """
    model = documents.find(TEXT, document)
    with connection.uno_errors():
        return [
            Heading(paragraph.OutlineLevel, index, paragraph.String)
            for index, paragraph in enumerate(paragraphs_of(model))
            if paragraph.OutlineLevel
        ]


def _styles(model: Any) -> Any:
    return model.StyleFamilies.getByName("ParagraphStyles")


@app.tool(reads_only=True, timeout=60)
def list_styles(
    all: Annotated[bool, Field(description="unused styles too")] = False,
    document: Document = None,
) -> list[Style]:
    """List available paragraph styles to choose from: those the document uses, headings, and custom
    ones.
    """
    model = documents.find(TEXT, document)
    with connection.uno_errors():
        styles = _styles(model)
        listed = []
        for name in styles.ElementNames:
            style = styles.getByName(name)
            is_used, is_custom = style.isInUse(), style.isUserDefined()
            if all or is_used or is_custom or name.startswith("Heading "):
                listed.append(Style(name, style.DisplayName, is_used))
        return listed


@app.tool(timeout=60)
def set_paragraph_style(
    style: Annotated[
        str, Field(min_length=1, description="such as Heading 1, Title, Quotations, Standard")
    ],
    paragraph_indices: Indices = None,
    document: Document = None,
) -> int:
    """Apply a paragraph style: turn lines into a heading (Heading 1), Title, Quotations and so on.
    Returns how many paragraphs.
    """
    model = documents.find(TEXT, document)
    with documents.editing(model, f"Style {style}"):
        name = _style_name(_styles(model), style)
        paragraphs = paragraphs_at(model, paragraph_indices)
        for paragraph in paragraphs:
            paragraph.ParaStyleName = name
    return len(paragraphs)


def _style_name(styles: Any, style: str) -> str:
    """Internal name of a style, which may be given by its displayed name and in any case."""
    if styles.hasByName(style):
        return style
    names: list[str] = list(styles.ElementNames)
    for name in names:
        if style.lower() in (name.lower(), styles.getByName(name).DisplayName.lower()):
            return name
    similar = [name for name in names if style.lower() in name.lower()] or names
    hint = f"Some styles: {', '.join(similar[:20])}. writer_list_styles lists all."
    raise ToolError(f"No such paragraph style: {style!r}.", code="no_style", hint=hint)


@app.tool(timeout=60)
def set_default_font(
    font_name: Annotated[str, Field(min_length=1, description="such as Times New Roman")],
    font_size: Annotated[Optional[float], Field(gt=1, le=400, description="points")] = None,
    document: Document = None,
) -> DefaultFont:
    """Set the default font (standard, basic typeface) and its size: for this document's text
    without a font of its own, and in Writer's settings for new documents after LibreOffice
    restarts. Undo reverts only the former. Returns the document's default before and after.
    """
    model = documents.find(TEXT, document)
    with documents.editing(model, "Default font"):
        style = _styles(model).getByName("Standard")
        before = Font(style.CharFontName, style.CharHeight)
        values = {**for_all_scripts(CharFontName=font_name), **text_properties(size=font_size)}
        for name, value in values.items():
            style.setPropertyValue(name, value)
        _save_default(font_name, font_size)
        return DefaultFont(before, Font(style.CharFontName, style.CharHeight))


def _save_default(name: str, size: Optional[float]) -> None:
    """Write the default font to the user's settings, flushed to disk on return."""
    import uno

    provider = connection.service("com.sun.star.configuration.ConfigurationProvider")
    arguments = documents.property_values(nodepath="/org.openoffice.Office.Writer/DefaultFont")
    kind = "com.sun.star.configuration.ConfigurationUpdateAccess"
    settings = provider.createInstanceWithArguments(kind, arguments)
    settings.setPropertyValue("Standard", name)
    if size is not None:  # stored in hundredths of a millimetre
        height = uno.Any("short", round(size * 2540 / 72))
        uno.invoke(settings, "setPropertyValue", ("StandardHeight", height))
    settings.commitChanges()
    connection.singleton("com.sun.star.configuration.theDefaultProvider").flush()
