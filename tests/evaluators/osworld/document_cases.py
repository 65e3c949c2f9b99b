"""Cases of the metrics on documents: texts, formatting, layout."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.evaluators.osworld.cases import Case, MetricInput, broken, near, right
from tests.evaluators.osworld.makers import (
    document,
    garbage,
    odt,
    paragraph,
    png,
    replaced,
    run,
    shown_picture,
    table,
    text,
)

Make = Callable[[Path], Path]
RED, BLUE = '<w:color w:val="FF0000"/>', '<w:color w:val="0000FF"/>'
SUB = '<w:vertAlign w:val="subscript"/>'
BREAK = '<w:r><w:br w:type="page"/></w:r>'
PICTURES = (png((255, 0, 0), (0, 0, 255)), png((0, 255, 0), (1, 2, 3)))
TRAINS = ["Time, Train, From, To", "08:00, T1, A, B", "09:00, T2, A, C", "10:00, T1, B, A"]
SETTINGS = (
    '<oor:items xmlns:oor="http://openoffice.org/2001/registry">'
    '<item oor:path="/org.openoffice.Office.Writer/DefaultFont"><prop oor:name="{}">'
    "<value>{}</value></prop></item></oor:items>"
)


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


def style(name: str, properties: str, kind: str = "paragraph", based: str = "") -> str:
    parent = f'<w:basedOn w:val="{based}"/>' if based else ""
    return f'<w:style w:type="{kind}" w:styleId="{name}">{parent}{properties}</w:style>'


def default(properties: str) -> str:
    return (
        f"<w:docDefaults><w:rPrDefault><w:rPr>{properties}</w:rPr></w:rPrDefault></w:docDefaults>"
    )


def font(name: str) -> str:
    return f'<w:rFonts w:ascii="{name}" w:hAnsi="{name}"/>'


def spaced(lines: float) -> str:
    return f'<w:spacing w:line="{round(lines * 240)}" w:lineRule="auto"/>'


def tab(position: int, kind: str = "left") -> str:
    return f'<w:tabs><w:tab w:val="{kind}" w:pos="{position}"/></w:tabs>'


def field(code: str) -> str:
    return (
        '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        f"<w:r><w:instrText> {code} </w:instrText></w:r>"
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>7</w:t></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>'
    )


def words(*runs: tuple[str, str]) -> Make:
    """A document with a table that contains one word, split into runs."""
    cell = paragraph(runs="".join(run(said, look) for said, look in runs))
    return doc("Words", table([cell]))


def settings(name: str, said: str) -> Callable[[Path], MetricInput]:
    return lambda folder: MetricInput(
        text(folder / "a.xcu", SETTINGS.format(name, said)), {"font_name": "Times New Roman"}
    )


HIGH = '<style:style style:name="{}" style:family="{}"{}><style:text-properties {}/></style:style>'
YELLOW = 'fo:background-color="#ffff00"'


def marked(name: str = "T1") -> str:
    span = f'<text:span text:style-name="{name}">word</text:span>'
    return f'<text:p text:style-name="P1">some {span}</text:p>'


COMPARE = "compare_docx_files"
LINES = "compare_docx_files_and_ignore_new_lines"
SPACING = "compare_line_spacing"
FONTS = "compare_font_names"
TIMES = {"font_name": "Times New Roman"}
LOWERED = "compare_subscript_contains"
FOOTER = "has_page_numbers_in_footers"
TABS = "check_tabstops"
COLOURED = "evaluate_colored_words_in_tables"
STRUCK = "evaluate_strike_through_last_paragraph"
ITALIC = "check_italic_font_size_14"
BIG = '<w:i/><w:sz w:val="28"/>'
H2O = [paragraph(runs=run("H") + run("2", SUB) + run("O"))]
TIMES_THEME = (
    '<a:fontScheme><a:minorFont><a:latin typeface="Times New Roman"/></a:minorFont></a:fontScheme>'
)

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

    right(SPACING, "the same spacing", texts(
        [paragraph("a", properties=spaced(2)), "b"], [paragraph("a", properties=spaced(2)), "b"])),
    near(SPACING, "another spacing", texts(
        [paragraph("a", properties=spaced(1.5))], [paragraph("a", properties=spaced(2))]),
        because="paragraph 1 has line spacing 1.5, not 2.0"),
    near(SPACING, "another text", texts(["a"], ["b"])),
    near(SPACING, "an empty paragraph more", texts(["a", ""], ["a"])),
    near(SPACING, "the same spacing by a style", two(
        doc(paragraph("a", style="Wide"), styles=style("Wide", f"<w:pPr>{spaced(2)}</w:pPr>")),
        doc(paragraph("a", properties=spaced(2)))), 0.0, 1.0),
    near(SPACING, "the same spacing by the document's defaults", two(
        doc("a", styles=f"<w:docDefaults><w:pPrDefault><w:pPr>{spaced(2)}</w:pPr></w:pPrDefault>"
            "</w:docDefaults>"), doc(paragraph("a", properties=spaced(2)))), 0.0, 1.0),
    near(SPACING, "single, said and not said", texts(
        [paragraph("a", properties=spaced(1))], ["a"]), 0.0, 1.0),
    broken(SPACING, "no document", two(no_document, doc("a"))),
    broken(SPACING, "styles in a cycle", two(
        doc(paragraph("a", style="One"), styles=style("One", "", based="Two")
            + style("Two", "", based="One")), doc("a")), "cycle"),

    right(FONTS, "every run", alone(
        doc(paragraph(runs=run("a", font(TIMES["font_name"])))), TIMES)),
    near(FONTS, "one run in another font", alone(doc(paragraph(
        runs=run("a", font("Arial")) + run("b", font(TIMES["font_name"])))), TIMES),
        because="some text is in Arial"),
    near(FONTS, "inherited from a style", alone(doc(
        paragraph("a", style="Body"),
        styles=style("Body", f"<w:rPr>{font(TIMES['font_name'])}</w:rPr>")), TIMES), 0.0, 1.0),
    near(FONTS, "inherited from a style of characters", alone(doc(
        paragraph(runs=run("a", '<w:rStyle w:val="Strong"/>')),
        styles=style("Strong", f"<w:rPr>{font(TIMES['font_name'])}</w:rPr>", "character")),
        TIMES), 0.0, 1.0),
    near(FONTS, "inherited from the document", alone(
        doc("a", styles=default(font(TIMES["font_name"]))), TIMES), 0.0, 1.0),
    near(FONTS, "inherited from the theme", alone(doc(
        "a", styles=default('<w:rFonts w:asciiTheme="minorHAnsi"/>'), theme=TIMES_THEME), TIMES),
        0.0, 1.0),
    near(FONTS, "another font in a table", alone(doc(
        paragraph(runs=run("a", font(TIMES["font_name"]))),
        table([paragraph(runs=run("b", font("Arial")))])), TIMES), 1.0, 0.0),
    near(FONTS, "no text", alone(doc(""), TIMES), 1.0, 0.0),
    broken(FONTS, "no document", alone(no_document, TIMES)),

    right("find_default_font", "the font", settings("Standard", "Times New Roman")),
    near("find_default_font", "another font", settings("Standard", "Arial"), because="is Arial"),
    near("find_default_font", "the headings' font", settings("Heading", "Times New Roman")),
    broken("find_default_font", "no XML", lambda folder: MetricInput(garbage(folder / "a"), TIMES)),
    broken("find_default_font", "a document type", lambda folder: MetricInput(
        text(folder / "a", "<!DOCTYPE a><a/>"), TIMES), "document type"),

    right(LOWERED, "the same figure", texts(H2O, H2O)),
    near(LOWERED, "nothing lowered", texts(["H2O"], H2O)),
    near(LOWERED, "another text, lowered too", texts(
        [paragraph(runs=run("x") + run("y", SUB))], H2O), 1.0, 0.0),
    near(LOWERED, "lowered by a style, in other runs", two(
        doc(paragraph(runs=run("H") + run("2", '<w:rStyle w:val="Low"/>') + run("O")),
            styles=style("Low", f"<w:rPr>{SUB}</w:rPr>", "character")), doc(*H2O)), 0.0, 1.0),
    near(LOWERED, "nothing lowered in either", texts(["a"], ["a"])),
    broken(LOWERED, "no document", two(no_document, doc(*H2O))),

    right("contains_page_break", "as many", alone(
        doc(paragraph("a", runs=BREAK), paragraph("b", runs=BREAK)), {"page_break_count": 2})),
    right("contains_page_break", "any", alone(doc(paragraph("a", runs=BREAK)), {})),
    near("contains_page_break", "one more", alone(
        doc(paragraph("a", runs=BREAK)), {"page_break_count": 2}), because="1 page breaks, not 2"),
    near("contains_page_break", "a break of the line", alone(
        doc(paragraph("a", runs="<w:r><w:br/></w:r>")), {})),
    broken("contains_page_break", "no document", alone(no_document, {})),

    right(FOOTER, "a field", alone(doc("a", footer=field("PAGE")))),
    near(FOOTER, "a year", alone(doc("a", footer=paragraph("2024"))), 1.0, 0.0),
    near(FOOTER, "the number of pages", alone(doc("a", footer=field("NUMPAGES"))), 1.0, 0.0),
    near(FOOTER, "a field in the second paragraph",
         alone(doc("a", footer=paragraph("Page") + field("PAGE \\* MERGEFORMAT"))), 0.0, 1.0),
    near(FOOTER, "no footer", alone(doc("a"))),
    broken(FOOTER, "no document", alone(no_document)),

    right("is_first_line_centered", "centred",
          alone(doc(paragraph("a", properties='<w:jc w:val="center"/>'), "b"))),
    near("is_first_line_centered", "the second one",
         alone(doc("b", paragraph("a", properties='<w:jc w:val="center"/>')))),
    near("is_first_line_centered", "after an empty one",
         alone(doc("", paragraph("a", properties='<w:jc w:val="center"/>'))), 0.0, 1.0),
    near("is_first_line_centered", "by a style", alone(doc(
        paragraph("a", style="Title"),
        styles=style("Title", '<w:pPr><w:jc w:val="center"/></w:pPr>'))), 0.0, 1.0),
    broken("is_first_line_centered", "no document", alone(no_document)),
    broken("is_first_line_centered", "no paragraph", alone(doc())),

    right(TABS, "at the same place", texts(
        [paragraph("one two three\tfour", properties=tab(4680, "right"))],
        [paragraph("one two three\tfour", properties=tab(4680, "right"))],
        word_number_split_by_tabstop=3, index=0)),
    right(TABS, "a tenth of the text's width away", texts(
        [paragraph("a\tb", properties=tab(4680))], [paragraph("a\tb", properties=tab(5616))]), 0.9),
    near(TABS, "another kind", texts(
        [paragraph("a\tb", properties=tab(4680))],
        [paragraph("a\tb", properties=tab(4680, "right"))]), because="has tab stops"),
    near(TABS, "too few words before the tab", texts(
        [paragraph("one two\tfour", properties=tab(4680))],
        [paragraph("one two\tfour", properties=tab(4680))], word_number_split_by_tabstop=3)),
    near(TABS, "a paragraph more", texts(["a", "b"], ["a"])),
    near(TABS, "other words", texts(
        [paragraph("x y z\tb", properties=tab(4680))],
        [paragraph("one two three\tb", properties=tab(4680))], word_number_split_by_tabstop=3),
        1.0, 0.0, "a paragraph reads"),
    near(TABS, "no tab where one is asked for", texts(
        ["one two"], ["one two"], word_number_split_by_tabstop=2, index=1), because="no part 1"),
    broken(TABS, "no document", two(no_document, doc("a"))),

    right(COLOURED, "by the first letter", two(
        doc(table([paragraph(runs=run("apple", RED)), paragraph(runs=run("Tree", BLUE))])),
        doc(table(["apple", "Tree"])))),
    near(COLOURED, "a vowel in blue", two(words(("apple", BLUE)), words(("apple", ""))),
         because="'apple' is (0, 0, 255)"),
    near(COLOURED, "a word without a colour", two(words(("apple", "")), words(("apple", ""))),
         because="not coloured"),
    near(COLOURED, "one word in two runs", two(
        words(("ap", RED), ("ple", RED)), words(("apple", ""))), 0.0, 1.0),
    near(COLOURED, "two words in one run", two(
        words(("apple tree", RED)), words(("apple tree", ""))), 1.0, 0.0),
    near(COLOURED, "another word in the table", two(
        words(("apples", RED)), words(("apple", ""))), 1.0, 0.0),
    near(COLOURED, "a colour by a style", two(
        lambda path: document(
            path.with_suffix(".docx"), "Words",
            table([paragraph(runs=run("apple", '<w:rStyle w:val="Red"/>'))]),
            styles=style("Red", f"<w:rPr>{RED}</w:rPr>", "character")),
        words(("apple", ""))), 0.0, 1.0),
    broken(COLOURED, "no document", two(no_document, words(("apple", RED)))),

    right("check_highlighted_words", "nothing yellow", two(
        open_doc(marked(), HIGH.format("T1", "text", "", 'fo:color="#ffff00"')),
        open_doc(marked()))),
    near("check_highlighted_words", "a yellow span", two(
        open_doc(marked(), HIGH.format("T1", "text", "", YELLOW)), open_doc(marked())),
        because="'word' is yellow"),
    near("check_highlighted_words", "another text", two(
        open_doc("<text:p>a</text:p>"), open_doc(marked()))),
    near("check_highlighted_words", "yellow by a named style", two(
        open_doc(marked("Marked"), common=HIGH.format("Marked", "text", "", YELLOW)),
        open_doc(marked("Marked"))), 1.0, 0.0),
    near("check_highlighted_words", "yellow by inheritance", two(
        open_doc(
            marked(), HIGH.format("T1", "text", ' style:parent-style-name="Marked"', ""),
            HIGH.format("Marked", "text", "", YELLOW.upper().replace("FO:BACKGROUND-COLOR",
                                                                    "fo:background-color"))),
        open_doc(marked())), 1.0, 0.0),
    near("check_highlighted_words", "a yellow paragraph", two(
        open_doc(marked(), HIGH.format("P1", "paragraph", "", YELLOW)), open_doc(marked())),
        1.0, 0.0),
    broken("check_highlighted_words", "no document", two(
        lambda path: garbage(path.with_suffix(".odt")), open_doc(marked()))),

    right(STRUCK, "all of it", texts(
        ["a", paragraph(runs=run("b ", "<w:strike/>") + run("c", "<w:strike/>"))], ["a", "b c"])),
    near(STRUCK, "a part of it", texts(
        ["a", paragraph(runs=run("b ", "<w:strike/>") + run("c"))], ["a", "b c"]),
        because="not all of 'b c' is struck"),
    near(STRUCK, "another text", texts([paragraph(runs=run("b", "<w:strike/>"))], ["c"])),
    near(STRUCK, "an empty paragraph after the last one", texts(["a", ""], ["a"]), 1.0, 0.0),
    near(STRUCK, "by a style", two(
        doc(paragraph("a", style="Gone"), styles=style("Gone", "<w:rPr><w:strike/></w:rPr>")),
        doc("a")), 0.0, 1.0),
    broken(STRUCK, "no document", two(no_document, doc("a"))),

    right(ITALIC, "large and sloping", texts(
        [paragraph(runs=run("a", BIG) + run("b"))],
        [paragraph(runs=run("a", "<w:i/>") + run("b"))])),
    near(ITALIC, "12 points", texts(
        [paragraph(runs=run("a", '<w:i/><w:sz w:val="24"/>'))],
        [paragraph(runs=run("a", "<w:i/>"))]), because="'a' is italic, in 12.0 points"),
    near(ITALIC, "no longer italic", texts(["a"], [paragraph(runs=run("a", "<w:i/>"))]), 1.0, 0.0),
    near(ITALIC, "14 points by a style", two(
        doc(paragraph(style="Big", runs=run("a", "<w:i/>")),
            styles=style("Big", '<w:rPr><w:sz w:val="28"/></w:rPr>')),
        doc(paragraph(runs=run("a", "<w:i/>")))), 0.0, 1.0),
    near(ITALIC, "12 points in a table", texts(
        [paragraph(runs=run("a", BIG)), table([paragraph(runs=run("b", "<w:i/>"))])],
        [paragraph(runs=run("a", BIG)), table([paragraph(runs=run("b", "<w:i/>"))])]), 1.0, 0.0),
    broken(ITALIC, "no document", two(no_document, doc("a"))),

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
