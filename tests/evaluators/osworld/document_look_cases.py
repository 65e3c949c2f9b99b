"""Cases of the metrics on the looks of documents: formatting and layout."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.evaluators.osworld.cases import Case, MetricInput, broken, near, right
from tests.evaluators.osworld.document_cases import (
    Make,
    alone,
    doc,
    no_document,
    open_doc,
    texts,
    two,
)
from tests.evaluators.osworld.makers import document, garbage, paragraph, run, table, text

RED, BLUE = '<w:color w:val="FF0000"/>', '<w:color w:val="0000FF"/>'
SUB = '<w:vertAlign w:val="subscript"/>'
BREAK = '<w:r><w:br w:type="page"/></w:r>'
SETTINGS = (
    '<oor:items xmlns:oor="http://openoffice.org/2001/registry">'
    '<item oor:path="/org.openoffice.Office.Writer/DefaultFont"><prop oor:name="{}">'
    "<value>{}</value></prop></item></oor:items>"
)


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
]  # fmt: skip
