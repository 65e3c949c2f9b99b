"""Writer's tools in the real Writer; the saved file is read back by python-docx."""

from io import BytesIO
from typing import Any

import docx
import pytest
from docx.enum.text import WD_ALIGN_PARAGRAPH

from host.guest import Guest
from tests.desktop.tool_calls import done, refused

LETTER = "~/tools/letter.docx"


@pytest.fixture(scope="module")
def writer(guest: Guest) -> Guest:
    """A guest in which the tool opened a letter."""
    letter = docx.Document()
    letter.add_heading("Invitation", 1)
    greeting = letter.add_paragraph("Dear ")
    greeting.add_run("Mr Okafor").bold = True
    greeting.add_run(", come.")
    letter.add_paragraph("")
    letter.add_paragraph("Mr Okafor again.")
    letter.add_table(1, 1).cell(0, 0).text = "Mr Okafor"
    content = BytesIO()
    letter.save(content)
    guest.put(LETTER, content.getvalue())
    done(guest, "writer_open_document", path=LETTER)
    guest.wait_window("letter.docx", timeout=60)
    return guest


def saved(guest: Guest) -> Any:
    """The file as it is on the guest's disk."""
    done(guest, "writer_save")
    return docx.Document(BytesIO(guest.get(LETTER)))


def test_text_is_replaced_and_keeps_its_look(writer: Guest) -> None:
    assert done(writer, "writer_get_text").startswith("Invitation\nDear Mr Okafor, come.\n\n")
    given = {"pattern": "Mr Okafor", "replacement": "Ms Yılmaz"}
    assert done(writer, "writer_find_and_replace", **given, paragraph_indices=[3]) == 1
    assert done(writer, "writer_find_and_replace", **given) == 2
    assert refused(writer, "writer_find_and_replace", **given)[0] == "not_found"
    letter = saved(writer)
    assert letter.paragraphs[1].text == "Dear Ms Yılmaz, come."
    assert [run.text for run in letter.paragraphs[1].runs if run.bold] == ["Ms Yılmaz"]
    assert letter.tables[0].cell(0, 0).text == "Ms Yılmaz"


def test_text_and_paragraphs_get_a_look(writer: Guest) -> None:
    done(writer, "writer_set_paragraph_alignment", alignment="right", paragraph_indices=[1])
    done(writer, "writer_set_font_size", font_size=20, pattern="again")
    done(writer, "writer_set_color", color="#CC0000", paragraph_indices=[3])
    done(writer, "writer_set_text_style", italic=True, pattern="come")
    done(writer, "writer_set_font", font_name="Liberation Mono", paragraph_indices=[3])
    done(writer, "writer_set_line_spacing", spacing_value=2, paragraph_indices=[3])
    info = done(writer, "writer_env_info")
    assert [each["alignment"] for each in info["paragraphs"][:2]] == ["left", "right"]
    code, text = refused(writer, "writer_set_color", color="#CC0000", paragraph_indices=[99])
    assert code == "no_paragraph"
    assert "from 0 to" in text
    letter = saved(writer)
    assert letter.paragraphs[1].alignment == WD_ALIGN_PARAGRAPH.RIGHT
    assert letter.paragraphs[0].alignment != WD_ALIGN_PARAGRAPH.RIGHT
    runs = {run.text: run for run in letter.paragraphs[3].runs}
    assert runs["again"].font.size.pt == 20
    assert {str(run.font.color.rgb) for run in runs.values()} == {"CC0000"}
    assert {run.font.name for run in runs.values()} == {"Liberation Mono"}
    assert letter.paragraphs[3].paragraph_format.line_spacing == 2
    assert [run.text for run in letter.paragraphs[1].runs if run.italic] == ["come"]


def test_text_goes_where_it_is_asked_for_as_one_undo_step(writer: Guest) -> None:
    before = done(writer, "writer_get_text")
    done(writer, "writer_write_text", text="Top\n", position="start")
    done(writer, "writer_insert_page_break", position="end")
    done(writer, "writer_write_text", text="The end ❄", position="end", bold=True)
    assert done(writer, "writer_env_info")["pages"] == 2
    # The document ends with a table, so text after it needs a paragraph of its own.
    assert done(writer, "writer_get_text") == f"Top\n{before}\n\nThe end ❄"
    for _ in range(3):
        done(writer, "writer_undo")
    assert done(writer, "writer_get_text") == before


def test_files_are_written_in_the_format_of_their_name(writer: Guest) -> None:
    written = done(writer, "writer_export_to_pdf", output_path="~/tools/letter out.pdf")
    assert writer.get(written["path"]).startswith(b"%PDF")
    code, text = refused(writer, "writer_save_as", file_path="~/tools/letter.xyz")
    assert code == "bad_format"
    assert ".odt" in text
    done(writer, "writer_save_as", file_path="~/tools/letter.odt")
    assert b"opendocument.text" in writer.get("~/tools/letter.odt")[:100]
