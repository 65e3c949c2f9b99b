from collections.abc import Callable
from pathlib import Path

import docx
import pytest
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.shared import Pt, RGBColor
from odf.opendocument import OpenDocumentText
from odf.style import ParagraphProperties, Style, TextProperties
from odf.text import P, Span

from ambidex.evaluators import Score

Judge = Callable[..., Score]


@pytest.fixture(params=["a.docx", "a.odt"])
def letter(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The same letter in both formats: a centred heading, a paragraph with bold words."""
    name = str(request.param)
    {"a.docx": _write_docx, "a.odt": _write_odt}[name](tmp_path / name)
    return name


def _write_docx(path: Path) -> None:
    made = docx.Document()
    made.add_paragraph("Einladung").alignment = WD_ALIGN_PARAGRAPH.CENTER
    made.add_paragraph("")
    paragraph = made.add_paragraph("Am ")
    for part in ("1. ", "März"):
        run = paragraph.add_run(part)
        run.bold, run.font.size = True, Pt(14)
        run.font.color.rgb = RGBColor(0xC0, 0, 0)
    paragraph.add_run(" treffen wir uns.")
    made.save(str(path))


def _write_odt(path: Path) -> None:
    made = OpenDocumentText()
    middle = Style(name="P1", family="paragraph")
    middle.addElement(ParagraphProperties(textalign="center"))
    strong = Style(name="T1", family="text")
    strong.addElement(TextProperties(fontweight="bold", fontsize="14pt", color="#c00000"))
    for style in (middle, strong):
        made.automaticstyles.addElement(style)
    made.text.addElement(P(stylename=middle, text="Einladung"))
    made.text.addElement(P())
    paragraph = P(text="Am ")
    for part in ("1. ", "März"):
        paragraph.addElement(Span(stylename=strong, text=part))
    paragraph.addText(" treffen wir uns.")
    made.text.addElement(paragraph)
    made.save(str(path))


@pytest.mark.parametrize(
    ("paragraphs", "value"),
    [
        (["Einladung", "Am 1. März treffen wir uns."], 1),
        (["Am 1. März treffen wir uns.", "Einladung"], 0),
        (["Einladung"], 0),
        (["Einladung", "Am 1. März treffen wir uns.", "Gruß"], 0),
        (["einladung", "Am 1. März treffen wir uns."], 0),
    ],
)
def test_paragraphs_are_compared_in_order_without_the_empty_ones(
    judge: Judge, letter: str, paragraphs: list[str], value: float
) -> None:
    assert judge("document.paragraphs_equal", file=letter, paragraphs=paragraphs).value == value


def test_texts_are_found_across_runs_and_absent_ones_must_be_gone(
    judge: Judge, letter: str
) -> None:
    assert judge("document.contains", file=letter, texts=["Am 1. März treffen"]).value == 1
    assert judge("document.contains", file=letter, texts=["Mai"]).value == 0
    score = judge("document.contains", file=letter, texts=["Am"], absent=["Einladung"])
    assert score == Score(0.0, "'Einladung' is still there")


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        ({"text": "1. März", "bold": True, "size": 14.0, "color": "C00000", "only": True}, 1),
        ({"text": "März", "bold": True}, 1),
        ({"text": "März", "bold": True, "only": True}, 0),
        ({"text": "Am 1. März", "bold": True}, 0),
        ({"text": "1. März", "bold": False}, 0),
        ({"text": "treffen", "bold": False, "italic": False}, 1),
        ({"text": "1. März", "italic": True}, 0),
        ({"text": "1. März", "size": 12.0}, 0),
        ({"text": "Mai", "bold": True}, 0),
    ],
)
def test_every_character_of_the_text_must_look_as_asked(
    judge: Judge, letter: str, asked: dict[str, object], value: float
) -> None:
    assert judge("document.formatted", file=letter, **asked).value == value


def test_alignment_is_of_the_named_paragraph_and_with_only_of_no_other(
    judge: Judge, letter: str
) -> None:
    def aligned(text: str, alignment: str, only: bool = False) -> float:
        return judge(
            "document.aligned", file=letter, paragraphs=[text], alignment=alignment, only=only
        ).value

    assert aligned("Einladung", "center", only=True) == 1
    assert aligned("Einladung", "left") == 0
    assert aligned("Am 1. März treffen wir uns.", "left") == 1
    assert aligned("Am 1. März", "left") == 0


def test_bold_of_a_paragraph_style_counts_and_a_run_can_take_it_back(
    judge: Judge, tmp_path: Path
) -> None:
    made = docx.Document()
    heading = made.add_paragraph("Alles ", style="Heading 1")
    heading.add_run("dünn").bold = False
    made.save(str(tmp_path / "a.docx"))
    assert judge("document.formatted", file="a.docx", text="Alles", bold=True).value == 1
    assert judge("document.formatted", file="a.docx", text="dünn", bold=True).value == 0


def test_text_of_a_table_is_text_of_the_document(judge: Judge, tmp_path: Path) -> None:
    made = docx.Document()
    made.add_table(1, 1).cell(0, 0).text = "in der Zelle"
    made.save(str(tmp_path / "a.docx"))
    assert judge("document.contains", file="a.docx", texts=["in der Zelle"]).value == 1


def test_another_suffix_is_no_document(judge: Judge, tmp_path: Path) -> None:
    _write_docx(tmp_path / "a.docx")
    (tmp_path / "a.docx").rename(tmp_path / "a.txt")
    score = judge("document.contains", file="a.txt", texts=["Einladung"])
    assert score == Score(0.0, "a.txt is neither .docx nor .odt")
