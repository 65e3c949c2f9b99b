from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.enum.text import WD_ALIGN_PARAGRAPH, WD_COLOR_INDEX
from docx.shared import Pt, RGBColor
from odf.opendocument import OpenDocumentText
from odf.style import ParagraphProperties, Style, TextProperties
from odf.text import H, P, Span

from ambidex.evaluators import Score

Judge = Callable[..., Score]


@pytest.fixture(params=["a.docx", "a.odt"])
def letter(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The same letter in both formats: a centred heading, a paragraph with bold words."""
    name = str(request.param)
    {"a.docx": _write_docx, "a.odt": _write_odt}[name](tmp_path / name)
    return name


def _write_docx(path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("Einladung").alignment = WD_ALIGN_PARAGRAPH.CENTER
    document.add_paragraph("")
    paragraph = document.add_paragraph("Am ")
    for part in ("1. ", "März"):
        run = paragraph.add_run(part)
        run.bold, run.font.size = True, Pt(14)
        run.font.color.rgb = RGBColor(0xC0, 0, 0)
    paragraph.add_run(" treffen wir uns.")
    document.save(str(path))


def _write_odt(path: Path) -> None:
    document = OpenDocumentText()
    middle = Style(name="P1", family="paragraph")
    middle.addElement(ParagraphProperties(textalign="center"))
    strong = Style(name="T1", family="text")
    strong.addElement(TextProperties(fontweight="bold", fontsize="14pt", color="#c00000"))
    for style in (middle, strong):
        document.automaticstyles.addElement(style)
    document.text.addElement(P(stylename=middle, text="Einladung"))
    document.text.addElement(P())
    paragraph = P(text="Am ")
    for part in ("1. ", "März"):
        paragraph.addElement(Span(stylename=strong, text=part))
    paragraph.addText(" treffen wir uns.")
    document.text.addElement(paragraph)
    document.save(str(path))


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
def test_paragraphs_are_compared_in_order_ignoring_empty_ones(
    judge: Judge, letter: str, paragraphs: list[str], value: float
) -> None:
    assert judge("document.paragraphs_equal", file=letter, paragraphs=paragraphs).value == value


def test_texts_are_found_across_runs_and_absent_ones_must_not_occur(
    judge: Judge, letter: str
) -> None:
    assert judge("document.contains", file=letter, texts=["Am 1. März treffen"]).value == 1
    assert judge("document.contains", file=letter, texts=["Mai"]).value == 0
    score = judge("document.contains", file=letter, texts=["Am"], absent=["Einladung"])
    assert score == Score(0.0, "'Einladung' is still there")


@pytest.mark.parametrize(
    ("options", "value"),
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
def test_every_character_of_the_text_must_be_formatted_as_expected(
    judge: Judge, letter: str, options: dict[str, object], value: float
) -> None:
    assert judge("document.formatted", file=letter, **options).value == value


def test_alignment_is_checked_for_named_paragraphs_and_with_only_for_all_others(
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


def test_bold_of_a_paragraph_style_counts_and_a_run_can_override_it(
    judge: Judge, tmp_path: Path
) -> None:
    document = docx.Document()
    heading = document.add_paragraph("Alles ", style="Heading 1")
    heading.add_run("dünn").bold = False
    document.save(str(tmp_path / "a.docx"))
    assert judge("document.formatted", file="a.docx", text="Alles", bold=True).value == 1
    assert judge("document.formatted", file="a.docx", text="dünn", bold=True).value == 0


def test_text_in_tables_belongs_to_the_document(judge: Judge, tmp_path: Path) -> None:
    document = docx.Document()
    document.add_table(1, 1).cell(0, 0).text = "in der Zelle"
    document.save(str(tmp_path / "a.docx"))
    assert judge("document.contains", file="a.docx", texts=["in der Zelle"]).value == 1


def test_a_file_with_another_suffix_is_not_a_document(judge: Judge, tmp_path: Path) -> None:
    _write_docx(tmp_path / "a.docx")
    (tmp_path / "a.docx").rename(tmp_path / "a.txt")
    score = judge("document.contains", file="a.txt", texts=["Einladung"])
    assert score == Score(0.0, "a.txt is neither .docx nor .odt")


@pytest.mark.parametrize("name", ["h.docx", "h.odt"])
def test_headings_are_those_of_a_level_and_no_bold_lines(
    judge: Judge, tmp_path: Path, name: str
) -> None:
    if name == "h.docx":
        document = docx.Document()
        document.add_heading("One", level=1)
        document.add_heading("Sub", level=2)
        document.add_paragraph().add_run("Bold").bold = True
        document.add_heading("Two", level=1)
        document.save(str(tmp_path / name))
    else:
        odt = OpenDocumentText()
        for text, level in (("One", 1), ("Sub", 2), ("Two", 1)):
            odt.text.addElement(H(outlinelevel=level, text=text))
        odt.text.addElement(P(text="Bold"))
        odt.save(str(tmp_path / name))

    def score(level: int, *headings: str) -> float:
        found = judge("document.headings_equal", file=name, headings=[*headings], level=level)
        return found.value

    assert (score(1, "One", "Two"), score(2, "Sub"), score(3)) == (1, 1, 1)
    assert (score(1, "Two", "One"), score(1, "One", "Two", "Bold"), score(2)) == (0, 0, 0)


@pytest.mark.parametrize(
    ("text", "change", "reason"),
    [
        ("Einladung", {"bold": True}, "'Einladung' has bold True, not False"),
        ("Einladung", {"bold": False}, ""),
        ("Einladung", {"size": Pt(37)}, "'Einladung' has size 37.0, not 11.0"),
        ("Einladung", {"size": Pt(11)}, ""),  # that of the document's defaults
        ("Einladung", {"color": RGBColor(0xC0, 0, 0)}, "'Einladung' has color C00000, not 000000"),
        ("Einladung", {"color": RGBColor(0, 0, 0)}, ""),
        ("Einladung", {"highlight": WD_COLOR_INDEX.YELLOW}, "has highlighted True, not False"),
        ("Einladung", {"strike": True}, "has struck True, not False"),
        ("Einladung", {"alignment": WD_ALIGN_PARAGRAPH.RIGHT}, "is aligned right, not center"),
        ("Einladung", {"text": "Einladung!", "bold": True}, ""),  # another text
        ("Am 1. März treffen wir uns.", {"bold": True}, "has bold True, not False"),
        ("Einladung", {"comment": "Neu?"}, "the comments are ['Neu?'], not []"),
    ],
)
def test_paragraphs_of_the_original_must_look_as_they_do_there(
    judge: Judge, tmp_path: Path, text: str, change: dict[str, Any], reason: str
) -> None:
    _write_docx(tmp_path / "before.docx")
    document = docx.Document(str(tmp_path / "before.docx"))
    [paragraph] = [one for one in document.paragraphs if one.text == text]
    for name, value in change.items():
        match name:
            case "alignment":
                paragraph.alignment = value
            case "comment":
                document.add_comment(paragraph.runs, value, author="A. Author")
            case "color":
                paragraph.runs[-1].font.color.rgb = value
            case "strike":
                paragraph.runs[-1].font.strike = value
            case "highlight":
                paragraph.runs[-1].font.highlight_color = value
            case "size":
                paragraph.runs[-1].font.size = value
            case _:
                setattr(paragraph.runs[-1], name, value)
    document.save(str(tmp_path / "now.docx"))
    given = {"file": "now.docx", "original": "before.docx"}
    score = judge("document.rest_unchanged", **given)
    assert (score.value, reason in score.reason) == (0.0 if reason else 1.0, True), score
    assert judge("document.rest_unchanged", **given, restyled=[text], commented=True).value == 1
