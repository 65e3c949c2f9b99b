"""Cases of the metrics on web pages, books, archives and PDF files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

from ambidex.evaluators.osworld import Value
from bench.differential import Case, Cases
from bench.differential.cases_text import stored
from bench.differential.mutants import spoiled_text, text_mutant
from bench.differential.written import written
from tests.evaluators.osworld.makers import document, paragraph, pdf, tarred, zipped

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
    """A page that is nearly equal to the other."""
    if random.random() < 0.3:
        return text_mutant(random, PAGE)
    old, new = random.choice(CHANGES)
    return f"{old!r} is {new!r}", PAGE.replace(old, new)


def pages(random: Random, folder: Path) -> Iterator[Case]:
    """Two pages that are nearly equal."""
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
            odd: list[str | bytes] = ["", "text alone", "<p>a</p><p>b</p>", b"\xe9", "<!-- x -->"]
            held[name] = random.choice(odd)
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
    """Two books that are nearly equal."""
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
    """An archive of this kind, whatever its name."""
    if kind.lower() in {".zip", ".rar", ""}:
        return zipped(path, held)
    return tarred(path.with_name(f"{path.name}{kind}"), held).rename(path)


def members(random: Random, kind: str, folder: Path) -> tuple[str, dict[str, bytes]]:
    """The contents of two archives that are nearly equal."""

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
    """Two archives that are nearly equal, by several names."""
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
    """Two zip files that are nearly equal."""
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
    """Two PDFs that are nearly equal, or lists of them."""
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


BROKEN_PDF = "upstream's library repairs PDFs that are cut off, ours refuses them"
REASONS = {
    "compare_pdfs: a file is cut off": BROKEN_PDF,
    "compare_pdfs: lists of two lengths": BROKEN_PDF,
    "compare_pdf_images: a file is cut off": BROKEN_PDF,
}
CASES: dict[str, Cases] = {
    "compare_htmls": pages,
    "compare_epub": books,
    "compare_archive": archives,
    "compare_zip_files": zips,
    "compare_pdfs": pdfs,
    "compare_pdf_images": pdf_images,
}
