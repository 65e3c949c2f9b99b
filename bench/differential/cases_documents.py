"""Cases of the metrics on documents (docx, odt), Writer's settings and the pages of PDFs."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from ambidex.evaluators.osworld import Value
from bench.differential import NO_FILE, NOTHING, Case, Cases, Given
from bench.differential.cases_impress import settings
from bench.differential.packings import spoiled
from bench.differential.written import written
from tests.evaluators.osworld.makers import document, odt, paragraph, pdf, png, run, shown_picture
from tests.evaluators.osworld.makers import table as tabled

WORDS = ["apple", "Berlin", "On time", "x", "References", "", " ", "A\tb", "one  two", "é", "Ann "]
LOOKS: dict[str, tuple[str, list[str]]] = {
    "font": ('<w:rFonts w:ascii="{0}" w:hAnsi="{0}"/>', ["Arial", "Times New Roman"]),
    "italic": ("<w:i/>", [""]),
    "slanted not": ('<w:i w:val="0"/>', [""]),
    "size": ('<w:sz w:val="{0}"/>', ["28", "24", "29"]),
    "strike": ("<w:strike/>", [""]),
    "struck not": ('<w:strike w:val="false"/>', [""]),
    "low": ('<w:vertAlign w:val="{0}"/>', ["subscript", "superscript"]),
    "color": ('<w:color w:val="{0}"/>', ["FF0000", "0000FF", "0000FE", "auto", "F00000"]),
}
"""Possible properties of a run, in the order of the schema."""
LINES = ['<w:spacing w:line="480" w:lineRule="auto"/>', '<w:spacing w:line="360"/>',
         '<w:spacing w:line="240" w:lineRule="exact"/>', '<w:spacing w:after="120"/>',
         '<w:jc w:val="center"/>', '<w:jc w:val="left"/>',
         '<w:tabs><w:tab w:val="left" w:pos="0"/><w:tab w:val="right" w:pos="9000"/></w:tabs>',
         '<w:tabs><w:tab w:val="right" w:pos="8990"/></w:tabs>',
         '<w:tabs><w:tab w:val="center" w:pos="400"/></w:tabs>']  # fmt: skip
STYLES = (
    '<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:name w:val="Normal"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="C"><w:name w:val="Mid"/>'
    '<w:pPr><w:jc w:val="center"/><w:spacing w:line="480"/></w:pPr><w:rPr><w:i/></w:rPr></w:style>'
)
Line = tuple[str, str, list[tuple[str, str]]]
"""Properties, style and runs, each run with its text and its properties."""


def line(random: Random, focus: list[str]) -> Line:
    """A paragraph."""
    runs = []
    for _ in range(random.choice([0, 1, 1, 1, 2])):
        look = "".join(
            LOOKS[name][0].format(random.choice(LOOKS[name][1]))
            for name in LOOKS
            if random.random() < (0.6 if name in focus else 0.06)
        )
        runs.append((random.choice(WORDS), look))
    properties = random.choice(LINES) if random.random() < 0.35 else ""
    return properties, random.choice(["", "", "", "C"]), runs


def paper(random: Random, focus: list[str]) -> dict[str, Any]:
    """A document."""
    return {
        "lines": [line(random, focus) for _ in range(random.choice([0, 1, 2, 3, 4]))],
        "tables": [
            [[line(random, focus) for _ in range(2)] for _ in range(random.choice([1, 2]))]
            for _ in range(random.choice([0, 0, 1, 2] if "tables" not in focus else [1, 1, 2]))
        ],
        "breaks": random.choice([0, 0, 1, 2]) if "breaks" in focus else 0,
        "footer": random.choice([None, "Page 1", "Page", "2024", ""])
        if "footer" in focus else None,
        "pictures": [random.choice([0, 1, 2]) for _ in range(random.choice([0, 1, 2]))]
        if "pictures" in focus else [],
        "odd": random.random() < 0.1,
    }  # fmt: skip


PICTURES = [png((255, 0, 0), (0, 0, 255)), png((0, 0, 255), (255, 0, 0)),
            png((255, 0, 0), (0, 0, 255), width=1)]  # fmt: skip


def _xml(each: Line) -> str:
    properties, style, runs = each
    inner = "".join(run(said, look) for said, look in runs)
    return paragraph(style=style, properties=properties, runs=inner)


def docx(held: dict[str, Any], path: Path) -> Path:
    """The file."""
    body = [_xml(each) for each in held["lines"]]
    for rows in held["tables"]:
        made = tabled(*[[_xml(cell) for cell in row] for row in rows])
        if held["odd"]:
            made = made.replace("<w:tc>", '<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>', 1)
        body.append(made)
    for _ in range(held["breaks"]):
        body.append(paragraph(runs='<w:r><w:br w:type="page"/></w:r>'))
    body += [shown_picture(number) for number, _ in enumerate(held["pictures"])]
    footer = held["footer"]
    return document(
        path, *body, styles=STYLES,
        footer=None if footer is None else paragraph(footer),
        pictures=tuple(PICTURES[each] for each in held["pictures"]),
    )  # fmt: skip


def change(random: Random, held: dict[str, Any], focus: list[str]) -> tuple[dict[str, Any], str]:
    """A changed document, and the name of the change."""
    other = copy.deepcopy(held)
    lines = other["lines"]
    note = random.choice(
        ["nothing", "nothing", "a line", "a word", "letter case", "an empty line", "order",
         "blanks", "a cell", "anew", "one line fewer"]
    )  # fmt: skip
    if note == "anew":
        return paper(random, focus), note
    if note == "a cell" and other["tables"]:
        random.choice(random.choice(other["tables"]))[0] = line(random, focus)
    elif note == "an empty line":
        lines.insert(random.randint(0, len(lines)), ("", "", []))
    elif lines:
        at = random.randrange(len(lines))
        properties, style, runs = lines[at]
        match note:
            case "a line":
                lines[at] = line(random, focus)
            case "a word" if runs:
                runs[0] = (random.choice(WORDS), runs[0][1])
            case "letter case":
                lines[at] = (properties, style, [(said.swapcase(), look) for said, look in runs])
            case "blanks":
                lines[at] = (properties, style, [(f"{said} ", look) for said, look in runs])
            case "order":
                random.shuffle(lines)
            case "one line fewer":
                lines.pop(at)
    return other, note


def open_text(random: Random, path: Path) -> Path:
    """An odt."""
    pieces = []
    for _ in range(random.choice([0, 1, 2, 3])):
        said = random.choice(WORDS).strip() or "x"
        pieces.append(
            random.choice(
                [
                    f"<text:p>{said}</text:p>",
                    f"<text:h>{said}</text:h>",
                    f'<text:p>a<text:span text:style-name="T1">{said}</text:span> b</text:p>',
                    f"<text:p>a<text:s/><text:tab/>{said}<text:a>link</text:a></text:p>",
                    f'<text:p><text:span text:style-name="T2">{said}<text:span>in</text:span>'
                    "out</text:span></text:p>",
                    f"<text:list><text:list-item><text:p>{said}</text:p></text:list-item>"
                    "</text:list>",
                ]
            )
        )
    colours = [random.choice(["#ffff00", "#FFFF00", "transparent"]) for _ in range(2)]
    automatic = "".join(
        f'<style:style style:name="T{number}" style:family="text"><style:text-properties '
        f'fo:background-color="{colour}"/></style:style>'
        for number, colour in enumerate(colours, start=1)
    )
    return odt(path, "".join(pieces), automatic)


def pairs(
    metric: str, focus: list[str], ask: Callable[[Random], dict[str, Any]] | None = None,
    texts: float = 0.08,
) -> Cases:  # fmt: skip
    """Cases of a metric on two documents; `texts` is the share of odt files."""

    def cases(random: Random, folder: Path) -> Iterator[Case]:
        yield from written(metric, folder)
        while True:
            held = paper(random, focus)
            other, note = change(random, held, focus)
            names = ["result", "expected"]
            if random.random() < texts:
                same = random.random() < 0.7
                state = random.getstate()
                result = open_text(random, folder / "result.odt")
                if same:
                    random.setstate(state)
                expected = open_text(random, folder / "expected.odt")
                note = "odt"
                if random.random() < 0.1:
                    expected = docx(held, folder / "expected.docx")
            else:
                kind = random.choice(["docx"] * 15 + ["DOCX", "doc"])
                result = docx(other, folder / f"{names[0]}.{kind}")
                expected = docx(held, folder / f"{names[1]}.docx")
                note = f"{note}, .{kind}"
            given: Value | Given = expected
            chance = random.random()
            one: Value = result
            if chance < 0.04:
                note = f"the result {spoiled(random, result)}"
            elif chance < 0.08:
                note = f"the expected {spoiled(random, expected)}"
            elif chance < 0.1:
                given = random.choice([NO_FILE, NOTHING])
                note = f"{given.value} expected"
            elif chance < 0.12:
                one, note = None, "no result"
            yield Case(metric, one, given, ask(random) if ask else {}, note)

    return cases


def alone(metric: str, focus: list[str], ask: Callable[[Random], Any] = lambda _: NOTHING) -> Cases:
    """Cases of a metric on one document with a rule; without one, `ask` gives NOTHING."""

    def cases(random: Random, folder: Path) -> Iterator[Case]:
        yield from written(metric, folder)
        while True:
            result = docx(paper(random, focus), folder / "result.docx")
            one: Value = result
            note = "drawn"
            if random.random() < 0.05:
                note = f"the result {spoiled(random, result)}"
            elif random.random() < 0.03:
                one, note = None, "no result"
            yield Case(metric, one, ask(random), {}, note)

    return cases


def switches(random: Random) -> dict[str, Any]:
    """Options of `compare_docx_files`."""
    names = ["ignore_blanks", "ignore_case", "ignore_order", "content_only", "fuzzy_match",
             "delete_empty_lines"]  # fmt: skip
    return {
        name: random.choice([True, True, False, None]) for name in names if random.random() < 0.3
    }


def tabs(random: Random) -> dict[str, Any]:
    """Options of `check_tabstops`."""
    return random.choice(
        [{}, {}, {"word_number_split_by_tabstop": random.choice([1, 2, None])},
         {"word_number_split_by_tabstop": 1, "index": random.choice([0, 1, -1, -3])}]
    )  # fmt: skip


def references(random: Random, folder: Path) -> Iterator[Case]:
    """Lists of references that are nearly equal."""
    yield from written("compare_references", folder)
    entries = ["[1] Ann, A. A study.", "[2] Bo, B. Another study.", "[3] Cy, C.", "", " "]
    while True:
        wanted = [random.choice(entries) for _ in range(random.choice([0, 1, 2, 3]))]
        seen = [each.replace("study", random.choice(["study", "Study", "work"])) for each in wanted]
        if random.random() < 0.2:
            seen.append(random.choice(entries))
        heads = [random.choice(["References", "References", "references", "References "])
                 for _ in range(2)]  # fmt: skip
        names = [random.choice(["x.docx"] * 8 + ["x.odt", "x.DOCX"]) for _ in range(2)]
        files = []
        for folder_name, name, head, held in zip(
            ("a", "b"), names, heads, (seen, wanted), strict=True
        ):
            (folder / folder_name).mkdir()
            body = [paragraph(each) for each in ["Text", head, *held]]
            files.append(document(folder / folder_name / name, *body))
        choices: list[dict[str, Any]] = [
            {}, {"reference_base_result": random.choice([0.92, 0, 1, 0.3])},
            {"reference_indicator": random.choice(["references", None])}, {"content_only": True},
        ]  # fmt: skip
        options = random.choice(choices)
        yield Case("compare_references", files[0], files[1], options, f"{len(seen)} entries")


def trains(random: Random, folder: Path) -> Iterator[Case]:
    """Records of trains, some of them twice."""
    yield from written("compare_unique_train_records", folder)
    while True:
        numbers = [random.randint(1, 4) for _ in range(random.choice([1, 3, 5]))]
        lines = [f"0{at}:00:00, T{each}, S, 1" for at, each in enumerate(numbers)]
        lines.insert(0, random.choice(["Time, train, station, platform", "Trains", ""]))
        seen: dict[str, str] = {}
        for each in lines:
            seen.setdefault(each.split(",")[1] if each.count(",") == 3 else each, each)
        wanted, kept = list(seen.values()), list(seen.values())
        note = random.choice(
            ["right", "a line more", "a line fewer", "a new line", "order", "other"]
        )
        match note:
            case "a line more":
                kept.append(random.choice(lines))
            case "a line fewer" if kept:
                kept.pop()
            case "a new line":
                kept.append("09:00:00, T9, S, 1")
            case "order":
                random.shuffle(kept)
            case "other":
                kept = [random.choice(lines) for _ in wanted]
        name = random.choice(["result.docx"] * 6 + ["result.txt"])
        result, gold, start = (
            document(folder / file, *[paragraph(each) for each in held])
            for file, held in ((name, kept), ("gold.docx", wanted), ("start.docx", lines))
        )
        choices: list[Value | Given] = [[gold, start]] * 8
        choices += [[gold], [gold, None], gold, NO_FILE, [start, gold]]
        given = random.choice(choices)
        yield Case("compare_unique_train_records", result, given, {}, note)


def pages(random: Random, folder: Path) -> Iterator[Case]:
    """PDFs of a few pages."""
    yield from written("check_pdf_pages", folder)
    while True:
        path = folder / "result.pdf"
        path.write_bytes(pdf(*["text"] * random.choice([1, 2, 3])))
        note = "drawn"
        if random.random() < 0.1:
            note = f"the result {spoiled(random, path)}"
        rule = {
            "relation": random.choice(["eq", "ne", "lt", "le", "gt", "ge"]),
            "ref_value": random.choice([1, 2, 3, 2.0, 2.5, "2", None]),
        }
        yield Case("check_pdf_pages", path, rule, {}, note)


FONT: Callable[[Random], Any] = lambda random: {  # noqa: E731
    "font_name": random.choice(["Arial", "Arial", "Times New Roman", "", None])
}
REASONS = {
    "compare_docx_files: test: entities":
        "Refused for safety: a document type in an office file can name entities.",
    "compare_line_spacing: test: styles in a ring":
        "Refused: styles that inherit from each other in a ring have no end.",
    "check_pdf_pages: test: too many pages": "Refused for safety: more than 2,000 pages.",
}  # fmt: skip


def pictures(random: Random, folder: Path) -> Iterator[Case]:
    """One picture: upstream reads it with a model that is not installed."""
    path = folder / "result.png"
    path.write_bytes(PICTURES[0])
    yield Case("compare_image_text", path, {"type": "text", "text": "ls"}, {}, "a picture")


CASES: dict[str, Cases] = {
    "compare_image_text": pictures,
    "compare_docx_files": pairs("compare_docx_files", [], switches, 0.25),
    "compare_docx_files_and_ignore_new_lines": pairs(
        "compare_docx_files_and_ignore_new_lines", [],
        lambda random: random.choice([{}, {"ignore_blanks": random.choice([True, False, None])}]),
    ),
    "compare_docx_tables": pairs("compare_docx_tables", ["tables"]),
    "compare_docx_images": pairs("compare_docx_images", ["pictures"]),
    "compare_line_spacing": pairs("compare_line_spacing", []),
    "compare_subscript_contains": pairs("compare_subscript_contains", ["low"]),
    "check_tabstops": pairs("check_tabstops", [], tabs),
    "evaluate_colored_words_in_tables": pairs(
        "evaluate_colored_words_in_tables", ["tables", "color"],
        lambda random: random.choice([{}, {}, {"threshold": random.choice([0.0, 50])}]),
    ),
    "check_highlighted_words": pairs("check_highlighted_words", [], None, 0.8),
    "evaluate_strike_through_last_paragraph": pairs(
        "evaluate_strike_through_last_paragraph", ["strike"]
    ),
    "check_italic_font_size_14": pairs("check_italic_font_size_14", ["italic", "size"]),
    "compare_references": references,
    "compare_unique_train_records": trains,
    "contains_page_break": alone(
        "contains_page_break", ["breaks"],
        lambda random: random.choice(
            [{}, {"page_break_count": random.choice([0, 1, 2, 1.0, "1", None])}, None]
        ),
    ),
    "has_page_numbers_in_footers": alone("has_page_numbers_in_footers", ["footer"]),
    "is_first_line_centered": alone("is_first_line_centered", []),
    "compare_font_names": alone("compare_font_names", ["font"], FONT),
    "find_default_font": settings(
        "find_default_font", "/org.openoffice.Office.Writer/DefaultFont", "Standard",
        ["Arial", "Arial", "Times New Roman", "", None], FONT,
    ),
    "check_pdf_pages": pages,
}  # fmt: skip
