"""Writer's tools for tables, pictures, page numbers, styles, comments and PDF, checked with
python-docx, odfpy and pypdf, and in zip archives.
"""

from io import BytesIO
from typing import Any
from zipfile import ZipFile

import docx
import pytest
from odf.opendocument import load
from odf.style import Style, TextProperties
from PIL import Image
from pypdf import PdfReader

from ambidex.host.client.guest import Guest
from tests.desktop.proofs import proves
from tests.desktop.tool_calls import done, refused

PLAN = "~/tools/plan no 1.docx"
WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


@pytest.fixture(scope="module")
def writer(guest: Guest) -> Guest:
    """A guest with pictures and with a document of two headings open in Writer."""
    plan = docx.Document()
    plan.add_heading("Plan", 1)
    plan.add_paragraph("First we measure.")
    plan.add_paragraph("Then we cut. مرحبا")
    table = plan.add_table(2, 2)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "wide"
    table.cell(1, 1).text = "low"
    plan.add_paragraph("End.")
    content = BytesIO()
    plan.save(content)
    guest.put(PLAN, content.getvalue())
    picture = BytesIO()
    Image.effect_noise((2000, 500), 90).convert("RGB").save(picture, "PNG")
    guest.put("~/tools/a picture.png", picture.getvalue())
    guest.put("~/tools/broken.png", b"none")
    assert refused(guest, "writer_get_tables")[0] in ("no_document", "not_running")
    done(guest, "writer_open_document", path=PLAN)
    guest.wait_window("plan no 1.docx", timeout=60)
    return guest


def saved(guest: Guest) -> Any:
    """The document on the guest's disk."""
    done(guest, "writer_save")
    return docx.Document(BytesIO(guest.get(PLAN)))


@proves(
    "python-docx reads the saved file",
    writer_set_paragraph_style="the style of the paragraph",
    writer_get_outline="the headings, with their levels and paragraphs",
    writer_list_styles="a style the paragraphs have, and its display name",
)
def test_paragraphs_become_headings(writer: Guest) -> None:
    style = "writer_set_paragraph_style"
    assert done(writer, style, style="heading 2", paragraph_indices=[1]) == 1
    code, text = refused(writer, style, style="Head", paragraph_indices=[1])
    assert code == "no_style"
    assert "Heading 1" in text
    letter = saved(writer)
    assert [paragraph.style.name for paragraph in letter.paragraphs[:2]] == [
        "Heading 1",
        "Heading 2",
    ]
    outline = [
        (heading["level"], heading["index"], heading["text"])
        for heading in done(writer, "writer_get_outline")
    ]
    assert outline == [(1, 0, "Plan"), (2, 1, "First we measure.")]
    styles = {style["name"]: style for style in done(writer, "writer_list_styles")}
    assert styles["Heading 2"]["in_use"]
    assert styles["Standard"]["shown"] == "Default Paragraph Style"
    assert len(done(writer, "writer_list_styles", all=True)) > len(styles)
    assert refused(writer, "writer_get_outline", document="x")[0] == "no_document"
    assert refused(writer, "writer_list_styles", document="x")[0] == "no_document"


@proves(
    "python-docx reads the saved file",
    writer_insert_table="shape, place and text of the table",
    writer_set_table_cell="text of the cell",
    writer_get_tables="the same tables as in the file",
)
def test_tables_are_made_and_filled(writer: Guest) -> None:
    data = [["a", 1.5, None], ["quote \" ' ", "世界"]]
    result = done(writer, "writer_insert_table", rows=2, columns=3, data=data, position="end")
    assert result["rows"] == [["a", "1.5", ""], ["quote \" ' ", "世界", ""]]
    cell = done(writer, "writer_set_table_cell", table=result["name"], cell="c2", text="two\nlines")
    assert (cell["before"], cell["after"]) == ("", "two\nlines")
    assert done(writer, "writer_set_table_cell", table=0, cell="B2", text=7)["before"] == "low"
    first, second = saved(writer).tables
    assert [[cell.text for cell in row.cells] for row in second.rows] == [
        ["a", "1.5", ""],
        ["quote \" ' ", "世界", "two\nlines"],
    ]
    assert first.cell(1, 1).text == "7"
    listed = done(writer, "writer_get_tables")
    assert [entry["row_count"] for entry in listed] == [2, 2]
    assert listed[0]["cells"] == {"A1": "wide", "A2": "", "B2": "7"}
    assert listed[1]["rows"][1] == ["quote \" ' ", "世界", "two\nlines"]
    for wrong in ({"table": 9, "cell": "A1"}, {"table": "Nothing", "cell": "A1"}):
        assert refused(writer, "writer_set_table_cell", **wrong, text="x")[0] == "no_table"
    assert refused(writer, "writer_set_table_cell", table=0, cell="Z9", text="x")[0] == "no_cell"
    assert refused(writer, "writer_get_tables", document="x")[0] == "no_document"
    small = refused(writer, "writer_insert_table", rows=1, columns=1, data=[["a", "b"]])
    assert small[0] == "bad_arguments"


@proves(
    "the comments in the saved file's XML",
    writer_add_comment="author, text, and the text it is about",
    writer_get_comments="the same comments as in the file",
)
def test_comments_are_about_text(writer: Guest) -> None:
    add = "writer_add_comment"
    assert done(writer, add, text="With what?\nSay it ❄", pattern="measure", author="Ana") == 1
    assert done(writer, add, text="All of it", paragraph_indices=[2]) == 1
    assert refused(writer, add, text="x", pattern="nowhere")[0] == "not_found"
    reported = {comment["text"]: comment for comment in done(writer, "writer_get_comments")}
    assert reported["With what?\nSay it ❄"]["about"] == "measure"
    assert reported["All of it"]["about"] == "Then we cut. مرحبا"
    saved(writer)
    with ZipFile(BytesIO(writer.get(PLAN))) as archive:
        comments = archive.read("word/comments.xml").decode()
        text = archive.read("word/document.xml").decode()
    assert 'w:author="Ana"' in comments
    assert "Say it ❄" in comments
    assert text.index("commentRangeStart") < text.index("measure") < text.index("commentRangeEnd")
    assert refused(writer, "writer_get_comments", document="x")[0] == "no_document"


@proves(
    "python-docx and pypdf read the files that were written",
    writer_insert_image_at_cursor="the picture's bytes and size in the file",
    writer_add_page_numbers="a field in the footer, and the numbers printed",
    writer_insert_page_break="a break in the text, and another page",
    writer_export_to_pdf="text, pages, pictures and notes of the PDF",
)
def test_pictures_pages_and_their_numbers_are_printed(writer: Guest) -> None:
    image = done(writer, "writer_insert_image_at_cursor", image_path="~/tools/a picture.png")
    assert image["width"] == pytest.approx(image["height"] * 4, abs=3)  # fitted to the page
    small = {"image_path": "~/tools/a picture.png", "width": 96}
    assert done(writer, "writer_insert_image_at_cursor", **small)["height"] == 24
    done(writer, "writer_insert_page_break", position="end_of_document")
    done(writer, "writer_write_text", text="Last page", position="end")
    numbers = "writer_add_page_numbers"
    done(writer, numbers, position="bottom_center", format="1 of N")
    done(writer, numbers, position="bottom_left", format="Page 1", start_number=5)
    plan = saved(writer)
    assert [round(inline_shape.width.inches, 2) for inline_shape in plan.inline_shapes][1] == 1
    blobs = [image_part.blob for image_part in plan.part.package.image_parts]
    assert writer.get("~/tools/a picture.png") in blobs
    footer = plan.sections[0].footer.paragraphs
    assert [item.text[:-1] for item in footer] == ["Page "]  # the digit is of the page seen last
    assert "PAGE" in footer[0]._p.xml
    breaks = [item for item in plan.element.iter(f"{WORD}br") if item.get(f"{WORD}type") == "page"]
    assert len(breaks) == 1

    plain = done(writer, "writer_export_to_pdf", output_path="~/tools", output_filename="out é")
    pdf = PdfReader(BytesIO(writer.get(plain["path"])))
    assert plain["path"].endswith("/tools/out é.pdf")
    last = pdf.pages[-1].extract_text()
    assert "Last page" in last
    assert f"Page {4 + len(pdf.pages)}" in last
    assert "/Annots" not in pdf.pages[0]
    filters = [_filters(page) for page in pdf.pages]
    assert "/DCTDecode" in filters[0]
    again = {"output_path": "~/tools/out é.pdf", "include_comments": True, "quality": "print"}
    assert refused(writer, "writer_export_to_pdf", **again)[0] == "exists"
    done(writer, "writer_export_to_pdf", **again, overwrite=True)
    pdf = PdfReader(BytesIO(writer.get(plain["path"])))
    assert "/DCTDecode" not in _filters(pdf.pages[0])
    annotations: Any = pdf.pages[0]["/Annots"]
    notes = [item.get_object().get("/Contents") for item in annotations]
    assert "With what?\nSay it ❄" in [str(note).replace("\r", "\n") for note in notes if note]
    other = {"output_path": "~/tools/no/out.pdf", "output_filename": "x"}
    assert refused(writer, "writer_export_to_pdf", **other)[0] == "not_found"


def _filters(page: Any) -> list[str]:
    """The compression filters of a page's pictures."""
    return [str(image.indirect_reference.get_object()["/Filter"]) for image in page.images]


def test_invalid_insertions_are_refused(writer: Guest) -> None:
    image = "writer_insert_image_at_cursor"
    before = done(writer, "writer_env_info")
    assert refused(writer, image, image_path="~/tools/none.png")[0] == "not_found"
    assert refused(writer, image, image_path="~/tools/broken.png")[0] == "bad_format"
    numbers = refused(writer, "writer_add_page_numbers", position="top_left", format="page")
    assert numbers[0] == "bad_format"
    assert refused(writer, "writer_insert_page_break", position="middle")[0] == "bad_arguments"
    assert done(writer, "writer_env_info") == before


@proves(
    "the XML of the saved docx",
    writer_insert_formula_at_cursor="a fraction stands in the text",
)
def test_a_formula_is_inserted(writer: Guest) -> None:
    formula = "{a over b} + sqrt{x^2}"
    assert refused(writer, "writer_insert_formula_at_cursor", formula="")[0] == "bad_arguments"
    answer = done(writer, "writer_insert_formula_at_cursor", formula=formula)
    assert formula in answer
    assert "<m:f>" in saved(writer).element.xml


@proves(
    "odfpy reads the saved file, and the office's settings file is read",
    writer_set_default_font="font and size of the default style, and of documents to come",
)
def test_the_default_font_applies_to_this_and_new_documents(writer: Guest) -> None:
    done(writer, "writer_save_as", file_path="~/tools/plan.odt")
    changed = done(writer, "writer_set_default_font", font_name="Times New Roman", font_size=14)
    assert changed["after"] == {"name": "Times New Roman", "size": 14}
    done(writer, "writer_save")
    styles = load(BytesIO(writer.get("~/tools/plan.odt"))).styles.getElementsByType(Style)
    standard = next(style for style in styles if style.getAttribute("name") == "Standard")
    text = standard.getElementsByType(TextProperties)[0]
    assert text.getAttribute("fontsize") == "14pt"
    assert text.getAttribute("fontname").startswith("Times New Roman")
    file = "~/.config/libreoffice/4/user/registrymodifications.xcu"
    lines = [
        line for line in writer.get(file).decode().splitlines() if "Writer/DefaultFont" in line
    ]
    assert any('"Standard"' in line and ">Times New Roman<" in line for line in lines)
    assert any('"StandardHeight"' in line and ">494<" in line for line in lines)
    assert refused(writer, "writer_set_default_font", font_name="")[0] == "bad_arguments"
