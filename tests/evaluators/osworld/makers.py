"""Files for the cases of metrics, written by hand or by other libraries than those that read
them."""

from __future__ import annotations

import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import xlsxwriter

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"


def text(path: Path, said: str) -> Path:
    path.write_bytes(said.encode())
    return path


def garbage(path: Path) -> Path:
    path.write_bytes(b"PK\3\4 \xff\xfe no file of any kind")
    return path


def zipped(path: Path, members: Mapping[str, bytes | str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def tarred(path: Path, members: Mapping[str, bytes]) -> Path:
    mode: Any = {".gz": "w:gz", ".xz": "w:xz", ".bz2": "w:bz2"}.get(path.suffix, "w")
    with tarfile.open(path, mode) as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return path


def replaced(path: Path, member: str, old: str, new: str) -> Path:
    """Replace a text in one member of a package."""
    with zipfile.ZipFile(path) as archive:
        members = {part: archive.read(part) for part in archive.namelist()}
    assert old.encode() in members[member], f"{member} does not hold {old}"
    members[member] = members[member].replace(old.encode(), new.encode())
    return zipped(path, members)


def workbook(path: Path, fill: Callable[[xlsxwriter.Workbook], object]) -> Path:
    book = xlsxwriter.Workbook(str(path))
    fill(book)
    book.close()
    return path


def cells(path: Path, *sheets: list[list[Any]], names: list[str] | None = None) -> Path:
    """Sheets of plain values, row by row from A1; None leaves a cell out."""

    def fill(book: xlsxwriter.Workbook) -> None:
        for number, rows in enumerate(sheets):
            sheet = book.add_worksheet(names[number] if names else None)
            for row, line in enumerate(rows):
                for column, value in enumerate(line):
                    if value is not None:
                        sheet.write(row, column, value)

    return workbook(path, fill)


MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def pivoted(
    path: Path,
    *,
    source: str,
    rows: str = "0",
    subtotal: str = "sum",
    name: str = "Pivot",
) -> Path:
    """Add a pivot table of the first sheet's two columns to a workbook, with handwritten parts.

    `rows` is the field in rows; the other one is summed up.
    """
    with zipfile.ZipFile(path) as archive:
        members: dict[str, bytes | str] = {each: archive.read(each) for each in archive.namelist()}
    width = 4 if source.startswith("A1:D") else 2
    content = ['<sharedItems count="3"><s v="a"/><s v="b"/><s v="c"/></sharedItems>',
            '<sharedItems count="3"><n v="1"/><n v="2"/><n v="3"/></sharedItems>',
            "<sharedItems/>", "<sharedItems/>"]  # fmt: skip
    fields = "".join(
        f'<field name="f{number}" numFmtId="0">{content[number]}</field>' for number in range(width)
    )
    cache = "xl/pivotCache/pivotCacheDefinition1.xml"
    members[cache] = (
        f'<pivotCacheDefinition xmlns="{MAIN}" xmlns:r="{R}" r:id="rId1" recordCount="0">'
        f'<cacheSource type="worksheet"><worksheetSource ref="{source}" sheet="Sheet1"/>'
        f'</cacheSource><cacheFields count="{width}">{fields}</cacheFields></pivotCacheDefinition>'
    )
    members["xl/pivotCache/pivotCacheRecords1.xml"] = (
        f'<pivotCacheRecords xmlns="{MAIN}" count="0"/>'
    )
    members["xl/pivotCache/_rels/pivotCacheDefinition1.xml.rels"] = _relations(
        [("pivotCacheRecords", "pivotCacheRecords1.xml", "rId1")]
    )
    other = "1" if rows == "0" else "0"
    displayed = "".join(
        f"<pivotField {'axis=' + chr(34) + 'axisRow' + chr(34) if str(number) == rows else ''} "
        f'showAll="0"/>'
        for number in range(width)
    )
    members["xl/pivotTables/pivotTable1.xml"] = (
        f'<pivotTableDefinition xmlns="{MAIN}" name="{name}" cacheId="1" dataCaption="Values">'
        '<location ref="G1:H5" firstHeaderRow="1" firstDataRow="1" firstDataCol="1"/>'
        f'<pivotFields count="{width}">{displayed}</pivotFields>'
        f'<rowFields count="1"><field x="{rows}"/></rowFields><dataFields count="1">'
        f'<field name="All" fld="{other}" subtotal="{subtotal}"/></dataFields>'
        "</pivotTableDefinition>"
    )
    members["xl/pivotTables/_rels/pivotTable1.xml.rels"] = _relations(
        [("pivotCacheDefinition", "../pivotCache/pivotCacheDefinition1.xml", "rId1")]
    )
    members["xl/worksheets/_rels/sheet1.xml.rels"] = _relations(
        [("pivotTable", "../pivotTables/pivotTable1.xml", "rId1")]
    )
    kinds = "".join(
        f'<Override PartName="/xl/{part}" ContentType="{SHEET}.{kind}+xml"/>'
        for part, kind in (
            ("pivotCache/pivotCacheDefinition1.xml", "pivotCacheDefinition"),
            ("pivotCache/pivotCacheRecords1.xml", "pivotCacheRecords"),
            ("pivotTables/pivotTable1.xml", "pivotTable"),
        )
    )
    for member, old, new in (
        ("[Content_Types].xml", "</Types>", f"{kinds}</Types>"),
        ("xl/_rels/workbook.xml.rels", "</Relationships>",
         f'<Relationship Id="rId99" Type="{R}/pivotCacheDefinition" '
         'Target="pivotCache/pivotCacheDefinition1.xml"/></Relationships>'),
        ("xl/workbook.xml", "</workbook>",
         '<pivotCaches><pivotCache cacheId="1" r:id="rId99"/></pivotCaches></workbook>'),
    ):  # fmt: skip
        held_before = members[member]
        assert isinstance(held_before, bytes)
        members[member] = held_before.replace(old.encode(), new.encode())
    return zipped(path, members)


def paragraph(said: str = "", *, style: str = "", properties: str = "", runs: str = "") -> str:
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{properties}</w:pPr>{run(said) if said else ''}{runs}</w:p>"


def run(said: str, properties: str = "") -> str:
    pieces = escape(said).split("\t")
    inner = "<w:tab/>".join(f'<w:t xml:space="preserve">{piece}</w:t>' for piece in pieces)
    return f"<w:r><w:rPr>{properties}</w:rPr>{inner}</w:r>"


def table(*rows: list[str]) -> str:
    """A table whose cells are XML of paragraphs or plain text."""
    lines = "".join(
        "<w:tr>"
        + "".join(
            f"<w:tc>{part if part.startswith('<w:p>') else paragraph(part)}</w:tc>" for part in row
        )
        + "</w:tr>"
        for row in rows
    )
    grid = '<w:gridCol w:w="1000"/>' * len(rows[0])
    return f"<w:tbl><w:tblPr/><w:tblGrid>{grid}</w:tblGrid>{lines}</w:tbl>"


def document(
    path: Path,
    *body: str,
    styles: str = "",
    footer: str | None = None,
    pictures: tuple[bytes, ...] = (),
    theme: str = "",
    section: str = "",
) -> Path:
    """Write a docx with these paragraphs and tables (XML, or plain text for a paragraph)."""
    inner = "".join(part if part.startswith("<w:") else paragraph(part) for part in body)
    relations = [("styles", "styles.xml", "rId1")]
    parts: dict[str, bytes | str] = {}
    overrides = [("/word/document.xml", f"{WORD}.document.main+xml"),
                 ("/word/styles.xml", f"{WORD}.styles+xml")]  # fmt: skip
    reference = ""
    if footer is not None:
        relations.append(("footer", "footer1.xml", "rId2"))
        overrides.append(("/word/footer1.xml", f"{WORD}.footer+xml"))
        parts["word/footer1.xml"] = f'<w:ftr xmlns:w="{W}" xmlns:r="{R}">{footer}</w:ftr>'
        reference = '<w:footerReference w:type="default" r:id="rId2"/>'
    if theme:
        relations.append(("theme", "theme/theme1.xml", "rId3"))
        overrides.append(
            ("/word/theme/theme1.xml", "application/vnd.openxmlformats-officedocument.theme+xml")
        )
        parts["word/theme/theme1.xml"] = f'<a:theme xmlns:a="{A}">{theme}</a:theme>'
    for number, content in enumerate(pictures):
        relations.append(("image", f"media/image{number}.png", f"rIdP{number}"))
        parts[f"word/media/image{number}.png"] = content
    size = '<w:pgSz w:w="12240" w:h="15840"/><w:pgMar w:left="1440" w:right="1440"/>'
    parts["word/document.xml"] = (
        f'<w:document xmlns:w="{W}" xmlns:r="{R}" xmlns:a="{A}"><w:body>{inner}'
        f"<w:sectPr>{reference}{section or size}</w:sectPr></w:body></w:document>"
    )
    parts["word/styles.xml"] = f'<w:styles xmlns:w="{W}">{styles}</w:styles>'
    parts["word/_rels/document.xml.rels"] = _relations(relations)
    parts["_rels/.rels"] = _relations([("officeDocument", "word/document.xml", "rId1")])
    parts["[Content_Types].xml"] = (
        f'<Types xmlns="{TYPES}"><Default Extension="xml" ContentType="application/xml"/>'
        '<Default Extension="png" ContentType="image/png"/><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        + "".join(f'<Override PartName="{n}" ContentType="{t}"/>' for n, t in overrides)
        + "</Types>"
    )
    return zipped(path, parts)


def _relations(relations: list[tuple[str, str, str]]) -> str:
    inner = "".join(
        f'<Relationship Id="{name}" Type="{R}/{kind}" Target="{target}"/>'
        for kind, target, name in relations
    )
    return f'<Relationships xmlns="{RELATIONS}">{inner}</Relationships>'


def shown_picture(number: int) -> str:
    """A paragraph that shows one of the document's pictures."""
    return f'<w:p><w:r><w:drawing><a:blip r:embed="rIdP{number}"/></w:drawing></w:r></w:p>'


def odt(path: Path, body: str, automatic: str = "", common: str = "") -> Path:
    """Write an odt with this content (XML with the usual prefixes)."""
    urn = "urn:oasis:names:tc:opendocument:xmlns"
    spaces = (
        f'xmlns:office="{urn}:office:1.0" xmlns:text="{urn}:text:1.0" '
        f'xmlns:style="{urn}:style:1.0" xmlns:fo="{urn}:xsl-fo-compatible:1.0" '
        f'xmlns:manifest="{urn}:manifest:1.0" office:version="1.2"'
    )
    kind = "application/vnd.oasis.opendocument.text"
    entries = "".join(
        f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type="{part}"/>'
        for name, part in (("/", kind), ("content.xml", "text/xml"), ("styles.xml", "text/xml"))
    )
    return zipped(
        path,
        {
            "mimetype": kind,
            "META-INF/manifest.xml": f"<manifest:manifest {spaces}>{entries}</manifest:manifest>",
            "content.xml": f"<office:document-content {spaces}><office:automatic-styles>{automatic}"
            f"</office:automatic-styles><office:body><office:text>{body}</office:text>"
            "</office:body></office:document-content>",
            "styles.xml": f"<office:document-styles {spaces}><office:styles>{common}"
            "</office:styles></office:document-styles>",
        },
    )


def png(*colours: tuple[int, int, int], width: int | None = None) -> bytes:
    """A PNG with these pixels, row by row."""
    wide = width or len(colours)
    rows = b"".join(
        b"\0" + b"".join(bytes(colour) for colour in colours[start : start + wide])
        for start in range(0, len(colours), wide)
    )

    def chunk(kind: bytes, content: bytes) -> bytes:
        check = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)

    head = struct.pack(">IIBBBBB", wide, len(colours) // wide, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def pdf(*pages: str, pictures: tuple[tuple[int, int, bytes], ...] = ()) -> bytes:
    """A PDF with a line of text on each page, and pictures (width, height, RGB) on the first."""
    objects: list[bytes] = [b"", b"", b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]

    def stream(head: str, content: bytes) -> bytes:
        return f"<<{head}/Length {len(content)}>>stream\n".encode() + content + b"\nendstream"

    names = []
    for wide, high, pixels in pictures:
        head = f"/Type/XObject/Subtype/Image/Width {wide}/Height {high}/BitsPerComponent 8"
        objects.append(
            stream(f"{head}/ColorSpace/DeviceRGB/Filter/FlateDecode", zlib.compress(pixels))
        )
        names.append(f"/I{len(objects)} {len(objects)} 0 R")
    kids = []
    for number, said in enumerate(pages):
        escaped = said.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        displayed = "".join(
            f"q 100 0 0 100 50 100 cm {name.split()[0]} Do Q\n" for name in names if number == 0
        )
        objects.append(
            stream("", f"BT /F1 12 Tf 50 700 Td ({escaped}) Tj ET\n{displayed}".encode())
        )
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents {len(objects)} 0 R"
            f"/Resources<</Font<</F1 3 0 R>>/XObject<<{''.join(names) if number == 0 else ''}>>>>"
            ">>".encode()
        )
        kids.append(f"{len(objects)} 0 R")
    objects[0] = b"<</Type/Catalog/Pages 2 0 R>>"
    objects[1] = f"<</Type/Pages/Kids[{' '.join(kids)}]/Count {len(kids)}>>".encode()
    written, places = b"%PDF-1.4\n", []
    for number, part in enumerate(objects, start=1):
        places.append(len(written))
        written += f"{number} 0 obj\n".encode() + part + b"\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    return (
        written
        + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}".encode()
        + f"trailer<</Size {len(objects) + 1}/Root 1 0 R>>\n".encode()
        + f"startxref\n{len(written)}\n%%EOF".encode()
    )
