"""Cases of the metrics on texts, pages, books, archives and the desktop's tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from bench.differential import NO_FILE, NOTHING, Case, Cases, Given
from bench.differential.cases_values import REFUSED, rare
from bench.differential.mutants import asked, spoiled_text, text_mutant, value_mutant
from bench.differential.written import written
from evaluators.osworld import Value
from tests.evaluators.osworld.makers import document, paragraph, pdf, tarred, zipped
from tests.evaluators.osworld.test_desktop import CASES as DESKTOP

SOURCES = [
    "Ping: 12.3 ms\nDownload: 93 Mbit/s\nUpload: 40 Mbit/s\n",
    "12:00:01 AM     CPU     %user     %nice\n12:00:02 AM     all      0.50      0.00\n",
    "12:00:01 x\n24:00:00\n23:59:60 12:00:00\n1:02:03\n12:00:02\n",
    "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n# coding: x\nimport os\n\n\nif os:\n\tpass\n",
    "import os\n# coding=utf-8\n\n#!/bin/sh\ndef f(a):\n    return  a  \n",
    "@article{a,\n  title = {One},\n  year = 2024\n}\n",
    "a\nb\nc\nd\ne\n",
    "Orchis\n",
    "54\n",
    "one",
    "",
]
ENCODINGS = ["utf-8"] * 30 + ["latin-1", "utf-16"]


def stored(path: Path, said: str, random: Random | None = None) -> Path:
    """The file; now and then in another encoding."""
    coded = "utf-8" if random is None else random.choice(ENCODINGS)
    path.write_bytes(said.encode(coded, "replace"))
    return path


def two_texts(metric: str, options: dict[str, list[Any]] | None = None) -> Cases:
    """Two files, one nearly the other."""

    def cases(random: Random, folder: Path) -> Iterator[Case]:
        yield from written(metric, folder)
        while True:
            said = random.choice(SOURCES)
            if metric == "compare_result_files":
                said = random.choice([*SOURCES, "3.5", "3.5\n", "12", "1e3", "nan", "-1", "+3"])
            note, wanted = text_mutant(random, said, 0.2)
            if metric == "compare_result_files" and random.random() < 0.3:
                said = random.choice([f"Python {said}", f"1{said}", "3.50001", "3.5001", "12.0"])
            result = stored(folder / "result.txt", said, random)
            expected = stored(folder / "expected.txt", wanted)
            if random.random() < 0.5:
                result, expected = (
                    stored(folder / "result.txt", wanted, random),
                    stored(folder / "expected.txt", said),
                )
            given: Value | Given = expected
            if random.random() < 0.06:
                note = f"the result {spoiled_text(random, result)}"
            elif random.random() < 0.04:
                note, given = "nothing expected", random.choice([NO_FILE, NOTHING])
            elif random.random() < 0.04:
                note = f"the expected file {spoiled_text(random, expected)}"
            chosen = {
                key: random.choice(each)
                for key, each in (options or {}).items()
                if random.random() < 0.5
            }
            seen: Value = result if random.random() > 0.02 else None
            yield Case(metric, seen, given, chosen, note)

    return cases


def ruled_text(metric: str, rule: Callable[[Random, str], dict[str, Any]]) -> Cases:
    """A file, and a rule made for a text that is nearly its."""

    def cases(random: Random, folder: Path) -> Iterator[Case]:
        yield from written(metric, folder)
        while True:
            said = random.choice(SOURCES)
            note, seen = text_mutant(random, said, 0.3)
            said_more, rules = rare(random, rule(random, said))
            path = stored(folder / "result.txt", seen, random)
            if random.random() < 0.06:
                note = f"the file {spoiled_text(random, path)}"
            yield Case(metric, path, rules, {}, said_more or note)

    return cases


def texts(random: Random, said: str) -> dict[str, Any]:
    """Texts that the file should hold."""
    words = said.split() or ["x"]
    chosen = random.choices([*words, "CPU", "lost"], [4] * len(words) + [1, 1], k=2)
    return {"expected": random.choice([chosen, chosen, said.splitlines(), words, said])}


def count(random: Random, said: str) -> dict[str, Any]:
    """How many lines hold a time."""
    right = len(re.findall(r"(?m)^.*(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)", said))
    return {
        "expected": random.choice(
            [
                right,
                str(right),
                right,
                str(right),
                right + 1,
                f"+{right}",
                f" {right} ",
                float(right),
                f"{right}.0",
                right + 0.5,
                None,
                True,
                [right],
                "x",
            ]
        )
    }


def patterns(random: Random, said: str) -> dict[str, Any]:
    """Patterns for lines."""
    words = [re.escape(each) for each in said.split()] or ["x"]
    made = [*words, r"^a$", r"\bOrchis\b", r"e\n", r"$", "x", r"\d+:\d+", r"\sb", "[^a]$"]
    rules = {
        "expect": random.choices([*words, *made], k=random.randint(0, 2)),
        "unexpect": random.choices([*made], k=1),
    }
    return {key: rules[key] for key in rules if random.random() < 0.7}


TABLE = "title,url,user\nOne,imap://x,ann@x\nTwo,imap://y,bob@x\n"


def csv_cases(random: Random, folder: Path) -> Iterator[Case]:
    """A table, and rows that it should have."""
    yield from written("check_csv", folder)
    while True:
        note, said = text_mutant(random, TABLE, 0.3)
        if random.random() < 0.2:
            said = said.replace("One", random.choice(['"One"', '"O\nne"', '"One', "", "One,more"]))
        rules: dict[str, Any] = {}
        for part in ("expect", "unexpect"):
            if random.random() < 0.7:
                row = dict(
                    zip(
                        TABLE.split("\n")[0].split(","),
                        random.choice(TABLE.split("\n")[1:3]).split(","),
                        strict=True,
                    )
                )
                kept = {key: row[key] for key in random.sample(list(row), random.randint(0, 3))}
                if random.random() < 0.3:
                    _, kept = value_mutant(random, kept)
                rules[part] = [kept] if isinstance(kept, dict) else []
        path = stored(folder / "a.csv", said, random)
        if random.random() < 0.05:
            note = f"the file {spoiled_text(random, path)}"
        yield Case("check_csv", path, rules, {}, note)


PAGE = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>Page</title><!-- note --></head>
<body><h1 id="a">Head</h1><p class="x y">one <b>two</b> three</p><img src="a.png">
<table><tr><td sdnum="1033;">3</td><td>4</td></tr></table></body></html>
"""
CHANGES = [
    ('sdnum="1033;"', ""),
    ('sdnum="1033;"', 'sdnum="1031;"'),
    ('class="x y"', 'class="y x"'),
    ("<b>two</b>", "two"),
    ("<b>two</b> three", "<b>two three</b>"),
    ("a.png", "b.png"),
    ('<img src="a.png">', ""),
    ("<!-- note -->", ""),
    (" note ", "other"),
    ("Head", "head"),
    ("one <b>", "one  <b>"),
    ("<h1 id", "<h2 id"),
    ("</body></html>", ""),
    ("\n", "\r\n"),
    ("\n", ""),
    ("<!DOCTYPE html>", ""),
    ("<td>4</td>", "<td>4</td><td></td>"),
    ("<p ", "<P "),
    ("Page", "Page &amp; x"),
    ("</table>", "</table><br>"),
    ("\n<table>", "<table>"),
]


def changed_page(random: Random) -> tuple[str, str]:
    """A page that is nearly the other."""
    if random.random() < 0.3:
        return text_mutant(random, PAGE)
    old, new = random.choice(CHANGES)
    return f"{old!r} is {new!r}", PAGE.replace(old, new)


def pages(random: Random, folder: Path) -> Iterator[Case]:
    """Two pages that are nearly one."""
    yield from written("compare_htmls", folder)
    while True:
        note, said = changed_page(random)
        both = [stored(folder / "a.html", PAGE), stored(folder / "b.html", said)]
        random.shuffle(both)
        if random.random() < 0.04:
            note = f"a file {spoiled_text(random, both[0])}"
        options = {"ignore_sdnum": random.choice([True, False])} if random.random() < 0.6 else {}
        yield Case("compare_htmls", both[0], both[1], options, note)


TOC = '<ncx>\n<navMap>\n<navPoint id="1">\n<text>One</text>\n</navPoint>\n</navMap>\n</ncx>\n'
OPF = "<package>\n<dc:identifier>urn:1</dc:identifier>\n<dc:title>Book</dc:title>\n</package>\n"
CHAPTER = "<html>\n<body>\n<h1>One</h1>\n<p>Some <i>text</i></p>\n</body>\n</html>\n"


def book(random: Random) -> tuple[str, dict[str, str | bytes]]:
    """A book that is nearly the usual one."""
    held: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "toc.ncx": TOC,
        "content.opf": OPF,
        "ch1.html": CHAPTER,
        "ch2.html": CHAPTER.replace("One", "Two"),
    }
    match random.randrange(10):
        case 0:
            return "equal", held
        case 1:
            name = random.choice(list(held))
            del held[name]
            return f"without {name}", held
        case 2:
            name = random.choice(list(held)[1:])
            folder = random.choice(["OEBPS", "x"])
            held[f"{folder}/{name}"] = held.pop(name)
            return f"{name} in a folder", held
        case 3:
            held["ch3.xhtml"] = CHAPTER
            return "another kind of page", held
        case 4:
            held[random.choice(["ch0.html", "ch3.html"])] = CHAPTER
            return "a chapter more", held
        case 5:
            name = random.choice(list(held)[3:])
            held[name] = random.choice(
                ["", "text alone", "<p>a</p><p>b</p>", b"\xe9", "<!-- x -->"]
            )
            return "an odd page", held
        case 6:
            held["content.opf"] = OPF.replace("urn:1", "urn:2").replace(
                "</package>", random.choice(["</package>", "<opf:x/></package>"])
            )
            return "another identifier", held
        case 7:
            held["toc.ncx"] = TOC.replace('id="1"', 'id="2"')
            return "other marks", held
        case _:
            name = random.choice(list(held)[1:])
            said = held[name]
            assert isinstance(said, str)
            note, held[name] = text_mutant(random, said, 0.0)
            return f"{name.partition('.')[2]}: {note}", held


def books(random: Random, folder: Path) -> Iterator[Case]:
    """Two books that are nearly one."""
    yield from written("compare_epub", folder)
    while True:
        _, one = book(random) if random.random() < 0.2 else ("", book(Random(7))[1])
        note, other = book(random)
        result, expected = zipped(folder / "a.epub", other), zipped(folder / "b.epub", one)
        if random.random() < 0.05:
            note = f"a file {spoiled_text(random, random.choice([result, expected]))}"
        yield Case("compare_epub", result, expected, {}, note)


ENDINGS = [".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".ZIP", ".rar", ""]


def packed(path: Path, held: dict[str, bytes], kind: str) -> Path:
    """An archive of that kind, whatever its name."""
    if kind.lower() in {".zip", ".rar", ""}:
        return zipped(path, held)
    return tarred(path.with_name(f"{path.name}{kind}"), held).rename(path)


def members(random: Random, kind: str, folder: Path) -> tuple[str, dict[str, bytes]]:
    """What is in an archive, and nearly in the other."""

    def content(said: str) -> bytes:
        if kind == "pdf":
            return pdf(said)
        if kind == "docx":
            return document(folder / "x.docx", paragraph(said)).read_bytes()
        return said.encode()

    names = [f"{each}.{kind}" for each in ("a", "b")]
    held = {each: content(f"text of {each}\nmore\n") for each in names}
    match random.randrange(8):
        case 0:
            held[f"c.{kind}"] = content("more")
            return "a file more", held
        case 1:
            del held[names[0]]
            return "a file less", held
        case 2:
            held[f"C.{kind}"] = held.pop(names[1])
            return "another name", held
        case 3:
            note, said = text_mutant(random, f"text of {names[0]}\nmore\n", 0.0)
            held[names[0]] = content(said if kind in {"text", "csv"} else f"text, {note}")
            return note, held
        case 4:
            held[names[0]] = b"\xe9\xff"
            return "broken", held
        case 5:
            held[f"d/x.{kind}"] = content("x")
            return "a folder more", held
        case _:
            return "equal", held


def archives(random: Random, folder: Path) -> Iterator[Case]:
    """Two archives that are nearly one, by several names."""
    yield from written("compare_archive", folder)
    while True:
        kind = random.choice(["text", "pdf", "text", "pdf", "docx", "csv"])
        note, other = members(random, kind, folder)
        one = members(Random(0), kind, folder)[1] if random.random() < 0.8 else other
        inside = random.choice(["", "", "slides", "lost"])
        if inside:
            one, other = (
                {f"slides/{key}": each for key, each in held.items()} for held in (one, other)
            )
        ending = random.choice([*ENDINGS[:2], *ENDINGS])
        result = packed(folder / f"a{ending}", other, ending)
        expected = packed(folder / f"b{ending}", one, ending)
        if random.random() < 0.06:
            note = f"the file {spoiled_text(random, result)}"
        elif random.random() < 0.08:
            named = random.choice(ENDINGS)
            result = result.rename(folder / f"c{named}")
            note = f"{ending} called {named}"
        options = {"file_type": kind} if kind != "text" or random.random() < 0.5 else {}
        if inside:
            options["file_path"] = inside
        (folder / "x.docx").unlink(missing_ok=True)
        yield Case("compare_archive", result, expected, options, note)


def zips(random: Random, folder: Path) -> Iterator[Case]:
    """Two zip files that are nearly one."""
    yield from written("compare_zip_files", folder)
    while True:
        kind = random.choice(["text", "pdf", "PDF", "txt"])
        note, other = members(random, kind.lower(), folder)
        if random.random() < 0.2:
            other["e/"] = b""
        one = other if random.random() < 0.5 else members(Random(0), kind.lower(), folder)[1]
        ending = random.choice([".zip", ".zip", ".zip", ".tar", ""])
        result = zipped(folder / f"a{ending}", other)
        expected = zipped(folder / "b.zip", one)
        if random.random() < 0.08:
            note = f"the file {spoiled_text(random, result)}"
        yield Case("compare_zip_files", result, expected, {}, note)


SENTENCES = ["Invoice 243729 of March: 12 chairs", "The quick brown fox", "", "a", "é x"]


def pdfs(random: Random, folder: Path) -> Iterator[Case]:
    """Two PDFs that are nearly one, or lists of them."""
    yield from written("compare_pdfs", folder)
    while True:
        lists: tuple[list[Path | None], list[Path | None]] = ([], [])
        note = "equal"
        for number in range(random.choice([1, 1, 2, 3])):
            said = [random.choice(SENTENCES) for _ in range(random.randint(1, 2))]
            other = said[:]
            if random.random() < 0.5:
                changed, other[0] = text_mutant(random, other[0], 0.0)
                note = changed if not note.startswith("a file") else note
                other = [re.sub(r"[^ -~]", " ", each) for each in other]
            for side, held in zip(lists, (said, other), strict=True):
                path = folder / f"{len(side)}{side is lists[0]}.pdf"
                path.write_bytes(pdf(*[re.sub(r"[^ -~]", " ", each) for each in held]))
                side.append(path)
            if random.random() < 0.08:
                chosen = random.choice(lists)[number]
                assert chosen is not None
                note = f"a file {spoiled_text(random, chosen)}"
        result: Value = lists[0]
        expected: Value = lists[1]
        if len(lists[0]) == 1 and random.random() < 0.8:
            result, expected = lists[0][0], lists[1][0]
        elif random.random() < 0.15:
            random.choice(lists).pop()
            note = "lists of two lengths"
        if isinstance(expected, list) and not expected:
            continue
        yield Case("compare_pdfs", result, expected, {}, note)


def pdf_images(random: Random, folder: Path) -> Iterator[Case]:
    """Two PDFs with pictures."""
    yield from written("compare_pdf_images", folder)
    while True:
        pictures = [(32, 32, Random(random.randrange(4)).randbytes(32 * 32 * 3)) for _ in range(3)]
        one = pictures[: random.randint(0, 3)]
        other = one if random.random() < 0.4 else pictures[1:]
        result, expected = folder / "a.pdf", folder / "b.pdf"
        result.write_bytes(pdf("x", pictures=tuple(one)))
        expected.write_bytes(pdf("x", pictures=tuple(other)))
        note = "pictures"
        if random.random() < 0.08:
            note = f"a file {spoiled_text(random, random.choice([result, expected]))}"
        yield Case("compare_pdf_images", result, expected, {}, note)


PLACES = ["Vancouver", "Montreal", "Barcelona", "Sydney"]


def places(random: Random, folder: Path) -> Iterator[Case]:
    """A document of words that are nearly the places."""
    yield from written("fuzzy_place_math", folder)
    while True:
        wanted = random.sample(PLACES, 3)
        seen = wanted[: random.choice([2, 3, 3, 3])]
        note, seen[0] = text_mutant(random, seen[0])
        seen = [re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f]", "", each) for each in seen]
        said, rules = rare(random, {"expected": wanted})
        body = "".join(paragraph(each) for each in seen)
        path = document(folder / "list.docx", body)
        if random.random() < 0.05:
            note = f"the file {spoiled_text(random, path)}"
        yield Case("fuzzy_place_math", path, rules, {}, said or note)


NS = "https://accessibility.ubuntu.example.org/ns/"
TREE = (
    f'<desktop-frame xmlns:attr="{NS}attributes" xmlns:st="{NS}state" name="main">'
    '<application name="Thunderbird"><page-tab-list attr:id="tabmail-tabs">'
    '<page-tab name="About Profiles" st:selected="true">About Profiles</page-tab>'
    '<page-tab name="Mail">Mail</page-tab><label></label></page-tab-list></application>'
    '<application name="x"><label name="To"/><label attr:class="address-pill">a@b</label>'
    "</application></desktop-frame>"
)
ELEMENTS: list[dict[str, Any]] = [
    {
        "selectors": [
            'application[name=Thunderbird] page-tab-list[attr|id="tabmail-tabs"]>'
            'page-tab[name="About Profiles"]'
        ]
    },
    {"selectors": ['label[name=To]~[attr|class="address-pill"]']},
    {"selectors": ["page-tab[st|selected=true]", "lost"]},
    {"xpath": "//page-tab[@st:selected='true']"},
    {"xpath": "//label"},
    {"xpath": "//lost"},
    {"xpath": "//page-tab/text()"},
    {"xpath": "string(//page-tab)"},
    {"xpath": "count(//page-tab)"},
    {"xpath": "//label[@class:x]"},
    {"selectors": ["label"]},
]


def trees(random: Random, folder: Path) -> Iterator[Case]:
    """A desktop's tree, and the elements asked for."""
    yield from asked("check_accessibility_tree", folder, DESKTOP)
    while True:
        rules = []
        for _ in range(random.randint(1, 2)):
            rule = dict(random.choice(ELEMENTS))
            if random.random() < 0.5:
                rule["text"] = random.choice(["About Profiles", "Mail", "a@b", "", "About", None])
                if random.random() < 0.85:
                    rule["exact"] = random.choice([True, False])
            rules.append(rule)
        note, seen = "the tree", TREE
        if any("count(" in each.get("xpath", "") for each in rules):
            note = "a rule that is a number"
        elif random.random() < 0.4:
            note, seen = text_mutant(random, TREE)
        elif random.random() < 0.3:
            old, new = random.choice(
                [
                    ("Thunderbird", "thunderbird"),
                    ("About", "about"),
                    ("true", "false"),
                    ("<desktop-frame", '<?xml version="1.0" encoding="utf-8"?><desktop-frame'),
                    ("<desktop-frame", '<?xml version="1.0"?><desktop-frame'),
                    ("<label", "<label>x</label><label"),
                    ("ubuntu", "windows"),
                ]
            )
            note, seen = f"{new} for {old}", TREE.replace(old, new)
        options = {}
        if random.random() < 0.2:
            options["osname"] = random.choice(["ubuntu", "windows", "macos", "beos"])
        yield Case("check_accessibility_tree", seen, rules, options, note)


BROKEN_PDF = "upstream's library repairs PDFs that are cut off, ours refuses them"
REASONS = {
    "another rule": REFUSED,
    "diff_text_file: test: too many lines to pair": "a bound on the cost: 50,000 lines",
    "check_accessibility_tree: test: a document type": "a document type is refused: entities",
    "check_accessibility_tree: a rule that is a number": "refused when the task is loaded",
    "compare_pdfs: a file is cut off": BROKEN_PDF,
    "compare_pdfs: lists of two lengths": BROKEN_PDF,
    "compare_pdf_images: a file is cut off": BROKEN_PDF,
}
CASES: dict[str, Cases] = {
    "compare_text_file": two_texts(
        "compare_text_file", {"ignore_blanks": [True, False], "ignore_case": [True, False]}
    ),
    "diff_text_file": two_texts("diff_text_file"),
    "compare_python_pure_text": two_texts("compare_python_pure_text"),
    "compare_result_files": two_texts("compare_result_files"),
    "file_contains": ruled_text("file_contains", texts),
    "check_line_number": ruled_text("check_line_number", count),
    "check_list": ruled_text("check_list", patterns),
    "check_csv": csv_cases,
    "compare_htmls": pages,
    "compare_epub": books,
    "compare_archive": archives,
    "compare_zip_files": zips,
    "compare_pdfs": pdfs,
    "compare_pdf_images": pdf_images,
    "fuzzy_place_math": places,
    "check_accessibility_tree": trees,
}
