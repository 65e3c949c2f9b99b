"""Comments and tracked changes of documents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from odf.office import Annotation
from odf.opendocument import OpenDocumentText
from odf.text import P

from ambidex.evaluators import Score

Judge = Callable[..., Score]


@pytest.fixture(params=["a.docx", "a.odt"])
def reviewed(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A document with two comments, in both formats."""
    name = str(request.param)
    if name.endswith("docx"):
        document = docx.Document()
        run = document.add_paragraph().add_run("The plan.")
        for text in ("Too short?", "Agreed."):
            document.add_comment(run, text=text, author="Ines")
        document.save(str(tmp_path / name))
    else:
        odt = OpenDocumentText()
        paragraph = P(text="The plan.")
        for text in ("Too short?", "Agreed."):
            annotation = Annotation()
            annotation.addElement(P(text=text))
            paragraph.addElement(annotation)
        odt.text.addElement(paragraph)
        odt.save(str(tmp_path / name))
    return name


@pytest.mark.parametrize(
    ("comments", "reason"),
    [
        (["Too short?", "Agreed."], "comments are as expected"),
        (["Agreed.", "Too short?"], "comments are as expected"),
        (["Agreed."], "there is a comment 'Too short?'"),
        (["Agreed.", "Agreed.", "Too short?"], "the comment 'Agreed.' is missing"),
        ([], "there is a comment"),
    ],
)
def test_comments_are_compared_in_any_order(
    judge: Judge, reviewed: str, comments: list[str], reason: str
) -> None:
    score = judge("review.comments_equal", file=reviewed, comments=comments)
    assert reason in score.reason
    assert score.value == ("as expected" in reason)


@pytest.mark.parametrize(
    ("places", "reason"),
    [
        ({"Too short?": "plan"}, "at their places"),
        ({"Too short?": "The plan.", "Agreed.": "The"}, "at their places"),
        ({"Too short?": "offer"}, "no comment 'Too short?' is on a paragraph with 'offer'"),
        ({"Why?": "plan"}, "no comment 'Why?' is on a paragraph with 'plan'"),
        ({"Agreed.": "Too short?"}, "no comment 'Agreed.' is on a paragraph"),
    ],
)
def test_a_comment_must_be_on_the_paragraph_with_the_text(
    judge: Judge, reviewed: str, places: dict[str, str], reason: str
) -> None:
    score = judge("review.comments_placed", file=reviewed, places=places)
    assert reason in score.reason
    assert score.value == ("at their places" in reason)


@pytest.mark.parametrize("tag", ["ins", "del", "moveFrom", "moveTo"])
def test_a_tracked_change_that_is_left_scores_0(judge: Judge, tmp_path: Path, tag: str) -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("The plan")
    document.save(str(tmp_path / "a.docx"))
    assert judge("review.nothing_tracked", file="a.docx").value == 1
    change = f'<w:{tag} {nsdecls("w")} w:id="1" w:author="Ines"><w:r/></w:{tag}>'
    paragraph._p.append(parse_xml(change))
    document.save(str(tmp_path / "a.docx"))
    score = judge("review.nothing_tracked", file="a.docx")
    assert (score.value, score.reason) == (0, "1 tracked changes are left")


def test_a_file_that_is_no_document_scores_0(
    judge: Judge, package: Callable[..., Path], tmp_path: Path
) -> None:
    package("a.docx", {"word/comments.xml": b"<broken"})
    assert (
        "not a readable document"
        in judge("review.comments_equal", file="a.docx", comments=["x"]).reason
    )
    assert "it has no word/document.xml" in judge("review.nothing_tracked", file="a.docx").reason
    assert judge("review.nothing_tracked", file="none.docx").value == 0
