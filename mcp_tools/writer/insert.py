"""Tools that insert page breaks, page numbers, pictures and formulas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.office import connection, documents
from ambidex.mcp_tools.office.documents import Document
from ambidex.mcp_tools.office.page_numbers import Part, parts_of
from ambidex.mcp_tools.office.passages import TEXT, cursor_at, enum
from ambidex.mcp_tools.writer import app

__all__ = ["app"]

PIXEL = 2540 / 96
"""One pixel at 96 dpi, in hundredths of a millimetre."""


@dataclass(frozen=True)
class InsertedImage:
    """An inserted picture; its displayed size is in pixels at 96 dpi."""

    name: str
    width: int
    height: int


@app.tool()
def insert_page_break(
    position: Annotated[
        Literal["at_cursor", "end_of_document", "cursor", "start", "end"],
        Field(
            description="at the blinking cursor (cursor is the same), or the end of the document "
            "(end is the same) or its start"
        ),
    ] = "at_cursor",
    document: Document = None,
) -> str:
    """Insert a page break: start a chapter or text on a new page; the text after that position
    moves to it.
    """
    model = documents.find(TEXT, document)
    where = {"at_cursor": "cursor", "end_of_document": "end"}.get(position, position)
    with documents.editing(model, "Page break"):
        cursor = cursor_at(model, where)
        cursor.Text.insertControlCharacter(cursor, 0, False)
        cursor.BreakType = enum("com.sun.star.style.BreakType", "PAGE_BEFORE")
    return f"Inserted a page break at the {where}."


@app.tool()
def insert_formula_at_cursor(
    formula: Annotated[
        str,
        Field(
            min_length=1,
            description="in LibreOffice Math's syntax, such as {a over b} + sqrt{x^2}",
        ),
    ],
    document: Document = None,
) -> str:
    """Insert a mathematical formula or equation (LibreOffice Math object) at the text cursor."""
    model = documents.find(TEXT, document)
    with connection.uno_errors():
        modules = connection.service("com.sun.star.frame.ModuleManager")
        if not modules.hasByName("com.sun.star.formula.FormulaProperties"):
            message = "LibreOffice Math, which formulas need, is not installed."
            hint = "Insert the formula as text instead."
            raise ToolError(message, code="not_installed", hint=hint)
    with documents.editing(model, "Insert formula"):
        frame = model.createInstance("com.sun.star.text.TextEmbeddedObject")
        frame.CLSID = "078B7ABA-54FC-457F-8551-6147e776a997"
        frame.AnchorType = enum("com.sun.star.text.TextContentAnchorType", "AS_CHARACTER")
        _insert_at_cursor(model, frame)
        math = frame.getEmbeddedObject()  # the property EmbeddedObject is a different object
        math.Formula = formula
        return f"Inserted the formula {math.Formula} as {frame.Name}."


@app.tool(timeout=60)
def insert_image_at_cursor(
    image_path: Annotated[str, Field(min_length=1, description="such as ~/Pictures/map.png")],
    width: Annotated[
        Optional[int], Field(ge=1, le=10000, description="pixels; default: proportional to height")
    ] = None,
    height: Annotated[
        Optional[int], Field(ge=1, le=10000, description="pixels; default: proportional to width")
    ] = None,
    document: Document = None,
) -> InsertedImage:
    """Insert an image file (picture, photo) at the text cursor; it is embedded in the document.
    Default size: its own, at most the page's.
    """
    model = documents.find(TEXT, document)
    file = documents.absolute_path(image_path)
    if not file.is_file():
        raise ToolError(f"No such file: {file}.", code="not_found", hint="Paths may start with ~.")
    with documents.editing(model, "Insert picture"):
        arguments = documents.property_values(URL=file.as_uri())
        picture = connection.service("com.sun.star.graphic.GraphicProvider").queryGraphic(arguments)
        if picture is None or picture.SizePixel.Width < 1:
            message = f"Not a picture that LibreOffice can read: {file.name}."
            raise ToolError(message, code="bad_format", hint="Use png, jpg, gif, bmp, svg or tiff.")
        frame = model.createInstance("com.sun.star.text.TextGraphicObject")
        frame.Graphic = picture
        frame.AnchorType = enum("com.sun.star.text.TextContentAnchorType", "AS_CHARACTER")
        size = picture.SizePixel
        fitted = _size(model, (size.Width, size.Height), width, height)
        frame.Width, frame.Height = (round(length * PIXEL) for length in fitted)
        _insert_at_cursor(model, frame)
        return InsertedImage(frame.Name, round(frame.Width / PIXEL), round(frame.Height / PIXEL))


def _size(
    model: Any, natural: tuple[int, int], width: Optional[int], height: Optional[int]
) -> tuple[float, float]:
    wide, high = natural
    if width is not None or height is not None:
        return width or height * wide / high, height or (width or 0) * high / wide  # type: ignore[operator]
    cursor = model.getCurrentController().getViewCursor()
    page = model.StyleFamilies.getByName("PageStyles").getByName(cursor.PageStyleName)
    room = (
        (page.Width - page.LeftMargin - page.RightMargin) / PIXEL,
        (page.Height - page.TopMargin - page.BottomMargin) / PIXEL,
    )
    scale = min(1.0, room[0] / wide, room[1] / high)
    return wide * scale, high * scale


def _insert_at_cursor(model: Any, content: Any) -> None:
    cursor = cursor_at(model, "cursor")
    cursor.Text.insertTextContent(cursor, content, False)


@app.tool(timeout=60)
def add_page_numbers(
    position: Annotated[
        Literal[
            "bottom_left", "bottom_center", "bottom_right", "top_left", "top_center", "top_right"
        ],
        Field(description="bottom: footer, top: header"),
    ],
    start_number: Annotated[
        Optional[int],
        Field(
            ge=1,
            le=9999,
            description="of the first page; as it is, mostly 1, if left out. "
            "LibreOffice shows an empty page before an even one",
        ),
    ] = None,
    format: Annotated[
        Optional[str],
        Field(
            max_length=200,
            description="1 or {page} is the number, i or I the number in Roman figures, N or "
            "{total} how many pages: 'Page 1 of N'. The number alone if left out",
        ),
    ] = None,
    document: Document = None,
) -> str:
    """Add automatic page numbers to the footer (bottom) or header (top): number the pages (Page 1
    of N), left, centre or right, starting at any number. Other text there stays; existing page
    numbers are replaced.
    """
    parts = parts_of(format or "1")
    model = documents.find(TEXT, document)
    top, _, side = position.partition("_")
    area = "Header" if top == "top" else "Footer"
    with documents.editing(model, "Page numbers"):
        styles = model.StyleFamilies.getByName("PageStyles")
        styles_in_use = [
            style for name in styles.ElementNames if (style := styles.getByName(name)).isInUse()
        ]
        for style in styles_in_use:
            style.setPropertyValue(f"{area}IsOn", True)
            for text in _texts(style, area):
                _write_number(model, text, side, parts)
        if start_number is not None:
            _count_from(model, start_number)
    names = ", ".join(style.DisplayName for style in styles_in_use)
    return f"Page numbers in the {area.lower()} at the {side}, for pages of the style {names}."


def _texts(style: Any, area: str) -> list[Any]:
    """Header or footer texts of a page style: of right pages, left pages and the first page."""
    kinds = [f"{area}Text"]
    if not style.getPropertyValue(f"{area}IsShared"):
        kinds.append(f"{area}TextLeft")
    if not style.FirstIsShared:
        kinds.append(f"{area}TextFirst")
    return [style.getPropertyValue(kind) for kind in kinds]


def _write_number(model: Any, text: Any, side: str, parts: list[Part]) -> None:
    cursor = text.createTextCursor()
    cursor.gotoStart(False)
    line = text.createEnumeration().nextElement()
    if _has_number(line):
        line.setString("")
    elif text.String:
        text.insertControlCharacter(cursor, 0, False)
        cursor.gotoStart(False)
    cursor.ParaAdjust = enum("com.sun.star.style.ParagraphAdjust", side.upper())
    for part in parts:
        if part.field is None:
            text.insertString(cursor, part.text, False)
            continue
        field = model.createInstance(f"com.sun.star.text.TextField.{part.field}")
        field.NumberingType = part.numbering
        if part.field == "PageNumber":
            field.SubType = enum("com.sun.star.text.PageNumberType", "CURRENT")
        text.insertTextContent(cursor, field, False)


def _has_number(paragraph: Any) -> bool:
    if not paragraph.supportsService("com.sun.star.text.Paragraph"):
        return False
    portions = paragraph.createEnumeration()
    while portions.hasMoreElements():
        portion = portions.nextElement()
        kind = "com.sun.star.text.TextField.PageNumber"
        if portion.TextPortionType == "TextField" and portion.TextField.supportsService(kind):
            return True
    return False


def _count_from(model: Any, number: int) -> None:
    """Start page numbering at this number, set on the first paragraph or table."""
    first = model.Text.createEnumeration().nextElement()
    if not first.PageDescName:
        view = model.getCurrentController().getViewCursor()
        position = view.Text.createTextCursorByRange(view.getStart())
        view.gotoStart(False)
        first.PageDescName = view.PageStyleName
        view.gotoRange(position, False)
    first.PageNumberOffset = number
