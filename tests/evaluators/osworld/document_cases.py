"""Cases of the metrics on the content of documents: texts, tables, pictures, entries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.evaluators.osworld.cases import Case, MetricInput, broken, near, right
from tests.evaluators.osworld.makers import (
    document,
    garbage,
    odt,
    png,
    replaced,
    shown_picture,
    table,
)

Make = Callable[[Path], Path]
PICTURES = (png((255, 0, 0), (0, 0, 255)), png((0, 255, 0), (1, 2, 3)))
TRAINS = ["Time, Train, From, To", "08:00, T1, A, B", "09:00, T2, A, C", "10:00, T1, B, A"]


def doc(*body: str, **parts: Any) -> Make:
    return lambda path: document(path.with_suffix(".docx"), *body, **parts)


def open_doc(body: str, automatic: str = "", common: str = "") -> Make:
    return lambda path: odt(path.with_suffix(".odt"), body, automatic, common)


def two(actual: Make, target: Make, **options: Any) -> Callable[[Path], MetricInput]:
    return lambda folder: MetricInput(actual(folder / "seen"), target(folder / "wanted"), options)


def texts(actual: list[str], target: list[str], **options: Any) -> Callable[[Path], MetricInput]:
    return two(doc(*actual), doc(*target), **options)


def alone(actual: Make, expected: Any = None, **options: Any) -> Callable[[Path], MetricInput]:
    return lambda folder: MetricInput(actual(folder / "seen"), expected, options)


def no_document(path: Path) -> Path:
    return garbage(path.with_suffix(".docx"))


def hostile(path: Path) -> Path:
    """A cell that spans a billion columns."""
    made = document(path.with_suffix(".docx"), table(["a"]))
    spans = '<w:tc><w:tcPr><w:gridSpan w:val="1000000000"/></w:tcPr>'
    return replaced(made, "word/document.xml", "<w:tc>", spans)


def entities(path: Path) -> Path:
    made = document(path.with_suffix(".docx"), "a")
    head = '<!DOCTYPE a [<!ENTITY b "c">]><w:document '
    return replaced(made, "word/document.xml", "<w:document ", head)


def trains(actual: list[str], target: list[str]) -> Callable[[Path], MetricInput]:
    def make(folder: Path) -> MetricInput:
        files = [document(folder / "gold.docx", *target), document(folder / "old.docx", *TRAINS)]
        return MetricInput(document(folder / "seen.docx", *actual), list(files))

    return make


def entries(*said: str) -> Make:
    return doc("Text", "References", *said)


COMPARE = "compare_docx_files"
LINES = "compare_docx_files_and_ignore_new_lines"

CASES: list[Case] = [
    right(COMPARE, "the same text otherwise broken", texts(["a  b", "", "c"], ["a b c"])),
    right(COMPARE, "odt with odt", two(
        open_doc("<text:p>a<text:span>b</text:span></text:p>"), open_doc("<text:p>ab</text:p>"))),
    right(COMPARE, "paragraph by paragraph", texts(["a", "b"], ["a", "b"], ignore_blanks=False)),
    right(COMPARE, "in another order", texts(["b", "a"], ["a", "b"], ignore_order=True)),
    right(COMPARE, "in another case", texts(["A"], ["a"], ignore_case=True)),
    right(COMPARE, "without empty lines", texts(["a", "", "b"], ["a", "b"], ignore_blanks=False,
                                                delete_empty_lines=True)),
    right(COMPARE, "half alike", texts(["ab"], ["ac"], content_only=True), 0.5),
    right(COMPARE, "half similar by paragraphs",
          texts(["ab", "ac"], ["ac", "ab"], ignore_blanks=False, fuzzy_match=True), 0.5),
    right(COMPARE, "half alike as one text", texts(["ab"], ["ac"], fuzzy_match=True), 0.5),
    near(COMPARE, "another word", texts(["a b"], ["a c"])),
    near(COMPARE, "a paragraph more", texts(["a", ""], ["a"], ignore_blanks=False)),
    near(COMPARE, "another blank", texts(["a  b"], ["a b"], ignore_blanks=False)),
    near(COMPARE, "docx with odt", two(doc("a"), open_doc("<text:p>a</text:p>")),
         because="have different formats"),
    near(COMPARE, "another text in a table", texts(["a", table(["b"])], ["a", table(["c"])]),
         1.0, 0.0),
    near(COMPARE, "another heading in an odt", two(
        open_doc("<text:h>b</text:h><text:p>a</text:p>"),
        open_doc("<text:h>c</text:h><text:p>a</text:p>")), 1.0, 0.0),
    near(COMPARE, "the same text in an odt, otherwise marked up", two(
        open_doc(
            "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>"
            '<text:p>a<text:span>b<text:a>c</text:a></text:span><text:s text:c="2"/>d<text:tab/>'
            "e<text:line-break/>f<text:note><text:p>n</text:p></text:note>g</text:p>"),
        open_doc("<text:p>abc  d\te\nfg</text:p><text:p>n</text:p>")), 0.0, 1.0),
    near(COMPARE, "another order by case",
         texts(["b", "A"], ["a", "B"], ignore_order=True, ignore_case=True), 0.0, 1.0),
    broken(COMPARE, "no document", two(no_document, doc("a")), "not an intact office file"),
    broken(COMPARE, "no file",
           lambda folder: MetricInput(folder / "no.docx", doc("a")(folder / "b"))),
    broken(COMPARE, "nothing to compare with", alone(doc("a"))),
    broken(COMPARE, "entities", two(entities, doc("a")), "document type"),
    broken(COMPARE, "another kind of file", two(
        lambda path: document(path.with_suffix(".doc"), "a"),
        lambda path: document(path.with_suffix(".doc"), "a")), "neither .docx nor .odt"),

    right(LINES, "empty paragraphs left out",
          texts(["a", "", "b"], ["a", "b"], ignore_blanks=False)),
    near(LINES, "a paragraph split", texts(["a", "b"], ["a b"], ignore_blanks=False)),
    near(LINES, "another text in a table", texts(["a", table(["b"])], ["a", table(["c"])],
                                                 ignore_blanks=False), 1.0, 0.0),
    broken(LINES, "no document", two(no_document, doc("a"))),

    right("compare_docx_tables", "the same cells", texts(
        [table(["a", " b "], ["c", ""])], [table(["a", "b"], ["c", ""])])),
    near("compare_docx_tables", "another cell", texts(
        [table(["a"], ["b"])], [table(["a"], ["c"])]), because="row 2, column 1 of table 1"),
    near("compare_docx_tables", "another shape", texts([table(["a", "b"])], [table(["a"], ["b"])])),
    near("compare_docx_tables", "a table more", texts(
        [table(["a"]), table(["a"])], [table(["a"])])),
    broken("compare_docx_tables", "no document", two(no_document, doc(table(["a"])))),
    broken("compare_docx_tables", "a cell over a billion columns",
           two(hostile, doc(table(["a"]))), "columns"),

    right("compare_docx_images", "the same pictures", two(
        doc(shown_picture(0), shown_picture(1), pictures=PICTURES),
        doc(shown_picture(0), shown_picture(1), pictures=PICTURES))),
    near("compare_docx_images", "another picture", two(
        doc(shown_picture(0), pictures=(PICTURES[1],)),
        doc(shown_picture(0), pictures=(PICTURES[0],))), because="picture 1 differs"),
    near("compare_docx_images", "a picture more", two(
        doc(shown_picture(0), shown_picture(1), pictures=PICTURES),
        doc(shown_picture(0), pictures=PICTURES[:1]))),
    near("compare_docx_images", "the same ones, kept in another order", two(
        doc(shown_picture(1), shown_picture(0), pictures=PICTURES[::-1]),
        doc(shown_picture(0), shown_picture(1), pictures=PICTURES)), 0.0, 1.0),
    near("compare_docx_images", "shown in another order", two(
        doc(shown_picture(1), shown_picture(0), pictures=PICTURES),
        doc(shown_picture(0), shown_picture(1), pictures=PICTURES)), 1.0, 0.0),
    near("compare_docx_images", "the same pixels in another shape", two(
        doc(shown_picture(0), pictures=(png((1, 1, 1), (2, 2, 2), width=1),)),
        doc(shown_picture(0), pictures=(png((1, 1, 1), (2, 2, 2)),))), 1.0, 0.0),
    broken("compare_docx_images", "no picture", two(
        doc(shown_picture(0), pictures=(b"no picture",)), doc("a"))),

    right("fuzzy_place_math", "three places", alone(doc("Rome Oslo", "Bern"),
          {"expected": ["Bern", "Rome", "Oslo", "Wien"]})),
    right("fuzzy_place_math", "nearly", alone(doc("Rome Oslo Berx"),
          {"expected": ["Bern", "Rome", "Oslo"]}), 2.75 / 3),
    near("fuzzy_place_math", "four words", alone(doc("Rome Oslo Bern Wien"),
         {"expected": ["Bern", "Rome", "Oslo", "Wien"]}), because="4 words, not 3"),
    near("fuzzy_place_math", "one place three times", alone(doc("Rome Rome Rome"),
         {"expected": ["Rome", "12", "13"]}), 1.0, 1 / 3),
    near("fuzzy_place_math", "no places", alone(doc("Rome Oslo Bern"), {"expected": []})),
    broken("fuzzy_place_math", "no document", alone(no_document, {"expected": ["a"]})),

    right("compare_unique_train_records", "each train once", trains(TRAINS[:3], TRAINS[:3])),
    near("compare_unique_train_records", "a train twice", trains(TRAINS, TRAINS[:3]),
         because="T1 is listed twice"),
    near("compare_unique_train_records", "a train too few", trains(TRAINS[:2], TRAINS[:3])),
    near("compare_unique_train_records", "a line of its own",
         trains([*TRAINS[:2], "09:30, T2, A, C"], TRAINS[:3]), because="not in the original"),
    broken("compare_unique_train_records", "no document", lambda folder: MetricInput(
        garbage(folder / "a.docx"),
        [document(folder / name, "a") for name in ("b.docx", "c.docx")])),
    broken("compare_unique_train_records", "no original", lambda folder: MetricInput(
        document(folder / "a.docx", "a"), [document(folder / "b.docx", "a")]), "two files"),

    right("compare_references", "the same entries", two(
        entries("A. Smith, 2020", "", "B. Jones"), entries("A. Smith, 2020", "B. Jones"))),
    right("compare_references", "nearly", two(
        entries("abcd"), entries("abce"), reference_base_result=0.6), 0.375),
    right("compare_references", "none in either", texts(["a"], ["b"])),
    near("compare_references", "hardly alike", two(
        entries("abcdefgh"), entries("abxxxxxx"), reference_base_result=0.6)),
    near("compare_references", "an entry too few", two(entries("a"), entries("a", "b"))),
    near("compare_references", "under another heading", two(doc("Sources", "a"), entries("a"))),
    near("compare_references", "blanks more, which the task allows", two(
        entries("a  b  c"), entries("a b c"), content_only=True), 0.6667, 1.0),
    near("compare_references", "no entries", two(entries(), entries()), because="no entries"),
    broken("compare_references", "no document", two(no_document, entries("a"))),
]  # fmt: skip
