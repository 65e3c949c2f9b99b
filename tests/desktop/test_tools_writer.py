"""Writer's tools for text and formatting in the real Writer, checked with python-docx."""

from io import BytesIO
from typing import Any

import docx
import pytest
from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_COLOR_INDEX

from ambidex.host.client.guest import Guest
from tests.desktop.proofs import proves
from tests.desktop.tool_calls import done, refused

LETTER = "~/tools/letter & co.docx"


def put_letter(guest: Guest, path: str = LETTER) -> None:
    """A letter with bold text, an empty paragraph, several scripts and a table."""
    letter = docx.Document()
    letter.add_heading("Invitation", 1)
    greeting = letter.add_paragraph("Dear ")
    greeting.add_run("Mr Okafor").bold = True
    greeting.add_run(", come.")
    letter.add_paragraph("")
    letter.add_paragraph("Mr Okafor again.")
    letter.add_paragraph('Water is H2O; pages 12-34 cost $5 (or so). مرحبا 世界 😀 "end"')
    letter.add_table(1, 1).cell(0, 0).text = "Mr Okafor"
    content = BytesIO()
    letter.save(content)
    guest.put(path, content.getvalue())


@pytest.fixture(scope="module")
def writer(guest: Guest) -> Guest:
    """A guest in which a tool has opened a letter."""
    put_letter(guest)
    assert refused(guest, "writer_open_document", path="~/tools/none.docx")[0] == "not_found"
    assert done(guest, "writer_open_document", path=LETTER)["paragraph_count"] == 5
    guest.wait_window("letter & co.docx", timeout=60)
    return guest


def saved(guest: Guest) -> Any:
    """The document on the guest's disk."""
    done(guest, "writer_save")
    return docx.Document(BytesIO(guest.get(LETTER)))


@proves(
    "python-docx reads the saved file",
    writer_save="the change is in the file",
    writer_get_text="the text that was put into the file",
    writer_find_and_replace="new text in the old look, in the table too",
)
def test_text_is_replaced_and_keeps_its_format(writer: Guest) -> None:
    assert done(writer, "writer_get_text").startswith("Invitation\nDear Mr Okafor, come.\n\n")
    assert refused(writer, "writer_get_text", start=-1)[0] == "bad_arguments"
    arguments = {"pattern": "Mr Okafor", "replacement": "Ms Yılmaz"}
    assert done(writer, "writer_find_and_replace", **arguments, paragraph_indices=[3]) == 1
    assert done(writer, "writer_find_and_replace", **arguments, paragraph_indices=[]) == 2
    assert refused(writer, "writer_find_and_replace", **arguments)[0] == "not_found"
    letter = saved(writer)
    assert letter.paragraphs[1].text == "Dear Ms Yılmaz, come."
    assert [run.text for run in letter.paragraphs[1].runs if run.bold] == ["Ms Yılmaz"]
    assert letter.tables[0].cell(0, 0).text == "Ms Yılmaz"


@proves(
    "python-docx reads the saved file",
    writer_find_and_replace="groups are filled in; & and $ stand for themselves",
)
def test_a_pattern_is_a_regular_expression_by_default(writer: Guest) -> None:
    replace = "writer_find_and_replace"
    done(writer, replace, pattern=r"(\d+)-(?P<to>\d+)", replacement=r"\g<to> & \1 ($1)")
    code, text = refused(writer, replace, pattern="$5 (or so)", replacement="")
    assert code == "not_found"
    assert "regular_expression=false" in text
    done(writer, replace, pattern="$5 (or so)", replacement=r"\1", regular_expression=False)
    assert refused(writer, replace, pattern="(x", replacement="")[0] == "bad_pattern"
    assert refused(writer, replace, pattern="(H)2", replacement=r"\2")[0] == "bad_pattern"
    expected = 'Water is H2O; pages 34 & 12 ($1) cost \\1. مرحبا 世界 😀 "end"'
    assert saved(writer).paragraphs[4].text == expected


@proves(
    "python-docx reads the saved file",
    writer_set_paragraph_alignment="the paragraph's alignment, and its neighbour's",
    writer_set_font_size="size of the run",
    writer_set_color="colour of the runs, from a number and from #RRGGBB",
    writer_set_text_style="italic, struck, subscript and highlighted runs",
    writer_set_font="font of the runs, in Western and other scripts",
    writer_set_line_spacing="spacing of the paragraph",
    writer_get_look="the same runs as in the file",
)
def test_text_and_paragraphs_are_formatted(writer: Guest) -> None:
    done(writer, "writer_set_paragraph_alignment", alignment="right", paragraph_indices=[1])
    done(writer, "writer_set_font_size", font_size=20, pattern=r"ag\w+")
    done(writer, "writer_set_color", color="#CC0000", pattern=".+", paragraph_indices=[3])
    done(writer, "writer_set_color", color=0x0000FF, pattern=r"\bI\w+")
    done(writer, "writer_set_text_style", italic=True, pattern="come")
    done(writer, "writer_set_text_style", pattern="(?<=H)2", subscript=True)
    done(writer, "writer_set_text_style", pattern="😀", strikethrough=True, highlight="#FFFF00")
    done(writer, "writer_set_font", font_name="Liberation Mono", paragraph_indices=[3])
    done(writer, "writer_set_line_spacing", spacing_value=2, paragraph_indices=[3, 4])
    letter = saved(writer)
    assert letter.paragraphs[1].alignment == WD_ALIGN_PARAGRAPH.RIGHT
    assert letter.paragraphs[0].alignment != WD_ALIGN_PARAGRAPH.RIGHT
    assert {str(run.font.color.rgb) for run in letter.paragraphs[0].runs} == {"0000FF"}
    runs = {run.text: run for run in letter.paragraphs[3].runs}
    assert runs["again"].font.size.pt == 20
    assert {str(run.font.color.rgb) for run in runs.values()} == {"CC0000"}
    fonts = [dict(run._r.rPr.rFonts.attrib).values() for run in runs.values()]
    assert {name for font in fonts for name in font} == {"Liberation Mono"}
    assert [letter.paragraphs[i].paragraph_format.line_spacing for i in (3, 4)] == [2, 2]
    assert [run.text for run in letter.paragraphs[1].runs if run.italic] == ["come"]
    mixed = {run.text: run.font for run in letter.paragraphs[4].runs}
    assert [text for text, font in mixed.items() if font.subscript] == ["2"]
    assert [text for text, font in mixed.items() if font.strike] == ["😀"]
    assert mixed["😀"].highlight_color == WD_COLOR_INDEX.YELLOW

    looks = done(writer, "writer_get_look", paragraph_indices=[4, 1])
    assert [look["index"] for look in looks] == [4, 1]
    assert looks[1]["alignment"] == "right"
    assert looks[0]["line_spacing"] == 2
    reported = {run["text"]: run for run in looks[0]["runs"]}
    assert reported["2"]["raised"] == "subscript"
    assert (reported["😀"]["highlight"], reported["😀"]["strikethrough"]) == ("#FFFF00", True)
    assert [run["text"] for run in looks[1]["runs"] if run["bold"]] == ["Ms Yılmaz"]
    done(writer, "writer_set_text_style", pattern="😀|2", highlight="none", subscript=False)
    plain = [run.font for run in saved(writer).paragraphs[4].runs]
    assert not any(font.highlight_color or font.subscript for font in plain)


def test_invalid_formats_are_refused(writer: Guest) -> None:
    code, text = refused(writer, "writer_set_color", color="#CC0000", paragraph_indices=[99])
    assert code == "no_paragraph"
    assert "from 0 to" in text
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("writer_set_color", {"color": None}),
        ("writer_set_color", {"color": 0x1000000}),
        ("writer_set_paragraph_alignment", {"alignment": "middle"}),
        ("writer_set_line_spacing", {"spacing_value": 0}),
        ("writer_set_font", {"font_name": ""}),
        ("writer_set_font_size", {"font_size": 0, "pattern": "a"}),
        ("writer_set_text_style", {}),
        ("writer_set_text_style", {"subscript": True, "superscript": True}),
        ("writer_get_look", {"paragraph_indices": []}),
        ("writer_write_text", {"text": ""}),
    ]
    for name, arguments in wrong:
        assert refused(writer, name, **arguments)[0] == "bad_arguments"
    look = refused(writer, "writer_get_look", paragraph_indices=[99])
    assert look[0] == "no_paragraph"


@proves(
    "python-docx reads the saved file",
    writer_write_text="paragraphs at both ends, after a table too, in the look asked for",
    writer_undo="the text is as it was before",
    writer_env_info="the same paragraphs and pages",
)
def test_text_is_inserted_at_the_position_as_one_undo_step(writer: Guest) -> None:
    before = done(writer, "writer_get_text")
    stored = [paragraph.text for paragraph in saved(writer).paragraphs]
    done(writer, "writer_write_text", text="Top\n", position="start")
    done(writer, "writer_insert_page_break", position="end")
    done(writer, "writer_write_text", text="The end ❄", position="end", bold=True, size=30)
    info = done(writer, "writer_env_info")
    assert info["pages"] == 2
    letter = saved(writer)
    assert [paragraph["text"] for paragraph in info["paragraphs"]] == [
        p.text for p in letter.paragraphs
    ]
    # The document ends with a table, so text after it needs a paragraph of its own.
    assert done(writer, "writer_get_text") == f"Top\n{before}\n\nThe end ❄"
    last = letter.paragraphs[-1].runs[-1]
    assert (last.text, last.bold, last.font.size.pt) == ("The end ❄", True, 30)
    assert [paragraph.text for paragraph in letter.paragraphs][:2] == ["Top", "Invitation"]
    for _ in range(3):
        done(writer, "writer_undo")
    assert done(writer, "writer_get_text") == before
    assert [paragraph.text for paragraph in saved(writer).paragraphs] == stored


@proves(
    "the bytes of the files",
    writer_save_as="an OpenDocument text with that name, which the window then shows",
)
def test_files_are_written_in_the_format_of_their_name(writer: Guest) -> None:
    code, text = refused(writer, "writer_save_as", file_path="~/tools/letter.xyz")
    assert code == "bad_format"
    assert ".odt" in text
    done(writer, "writer_save_as", file_path="~/tools/letter.odt")
    assert b"opendocument.text" in writer.get("~/tools/letter.odt")[:100]
    assert done(writer, "writer_env_info")["path"].endswith("/tools/letter.odt")


@proves(
    "python-docx reads the saved file",
    writer_open_document="this file is changed and saved when no document is named",
    writer_save="the active document, and no other",
)
def test_of_two_documents_the_named_one_is_changed(writer: Guest) -> None:
    put_letter(writer, "~/tools/second.docx")
    done(writer, "writer_open_document", path="~/tools/second.docx")
    arguments = {"pattern": "Invitation", "replacement": "Einladung"}
    assert done(writer, "writer_find_and_replace", **arguments, document="letter.odt") == 1
    assert done(writer, "writer_get_text", document="second.docx").startswith("Invitation")
    done(writer, "writer_find_and_replace", pattern="Invitation", replacement="First")
    assert done(writer, "writer_get_text", document="letter.odt").startswith("Einladung")
    assert done(writer, "writer_save")["path"].endswith("/tools/second.docx")
    assert docx.Document(BytesIO(writer.get("~/tools/second.docx"))).paragraphs[0].text == "First"
    for name in ("writer_save", "writer_undo", "writer_env_info"):
        assert refused(writer, name, document="third.docx")[0] == "no_document"
