"""LibreOffice Writer: paragraph styles, headings, and the default font."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.office import connection, documents
from ambidex.mcp_tools.office.documents import Document
from ambidex.mcp_tools.office.passages import TEXT, Indices, chosen, paragraphs_of
from ambidex.mcp_tools.office.text_formats import every_script, look
from ambidex.mcp_tools.writer import app

__all__ = ["app"]


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the highest, `index` is its paragraph."""

    level: int
    index: int
    text: str


@dataclass(frozen=True)
class Style:
    """A paragraph style, by the name tools take and the name windows show."""

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
    with connection.answering():
        return [
            Heading(each.OutlineLevel, index, each.String)
            for index, each in enumerate(paragraphs_of(model))
            if each.OutlineLevel
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
    with connection.answering():
        styles = _styles(model)
        found = []
        for name in styles.ElementNames:
            each = styles.getByName(name)
            used, own = each.isInUse(), each.isUserDefined()
            if all or used or own or name.startswith("Heading "):
                found.append(Style(name, each.DisplayName, used))
        return found


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
        name = _named(_styles(model), style)
        places = chosen(model, paragraph_indices)
        for each in places:
            each.ParaStyleName = name
    return len(places)


def _named(styles: Any, style: str) -> str:
    """The style's own name; the shown one will do, in any case of letters."""
    if styles.hasByName(style):
        return style
    names: list[str] = list(styles.ElementNames)
    for name in names:
        if style.lower() in (name.lower(), styles.getByName(name).DisplayName.lower()):
            return name
    like = [each for each in names if style.lower() in each.lower()] or names
    hint = f"There are {', '.join(like[:20])}; writer_list_styles tells all."
    raise ToolError(f"There is no paragraph style {style!r}.", code="no_style", hint=hint)


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
        values = {**every_script(CharFontName=font_name), **look(size=font_size)}
        for name, value in values.items():
            style.setPropertyValue(name, value)
        _remember(font_name, font_size)
        return DefaultFont(before, Font(style.CharFontName, style.CharHeight))


def _remember(name: str, size: Optional[float]) -> None:
    """Write it to the user's settings, on disk when this returns."""
    import uno

    provider = connection.service("com.sun.star.configuration.ConfigurationProvider")
    given = documents.property_values(nodepath="/org.openoffice.Office.Writer/DefaultFont")
    kind = "com.sun.star.configuration.ConfigurationUpdateAccess"
    settings = provider.createInstanceWithArguments(kind, given)
    settings.setPropertyValue("Standard", name)
    if size is not None:  # kept in hundredths of a millimetre
        height = uno.Any("short", round(size * 2540 / 72))
        uno.invoke(settings, "setPropertyValue", ("StandardHeight", height))
    settings.commitChanges()
    connection.singleton("com.sun.star.configuration.theDefaultProvider").flush()
