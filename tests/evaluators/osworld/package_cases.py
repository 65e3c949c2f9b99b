"""Cases of the metrics on PDFs, archives, books and pages."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.evaluators.osworld.cases import Case, MetricInput, broken, near, right
from tests.evaluators.osworld.makers import document, garbage, pdf, tarred, text, zipped

LONG = "The quick brown fox jumps over the lazy dog and is gone"
NEARLY = LONG.replace("gone", "gene")
OTHER = "Invoice 243729 of March: 12 chairs"


def noise(seed: int) -> tuple[int, int, bytes]:
    return 32, 32, random.Random(seed).randbytes(32 * 32 * 3)


def ratio(one: str, other: str) -> float:
    """Twice the longest common subsequence over both lengths, computed independently."""
    row = [0] * (len(other) + 1)
    for left in one:
        before = row
        row = [0]
        for at, right_one in enumerate(other):
            longer = before[at] + 1 if left == right_one else max(before[at + 1], row[at])
            row.append(longer)
    return 2 * row[-1] / (len(one) + len(other))


ONE, OTHER_ONE = noise(1), noise(2)


def pdfs(actual: bytes, target: bytes) -> Callable[[Path], MetricInput]:
    def make(folder: Path) -> MetricInput:
        (folder / "a.pdf").write_bytes(actual)
        (folder / "b.pdf").write_bytes(target)
        return MetricInput(folder / "a.pdf", folder / "b.pdf")

    return make


def pages(content: bytes, relation: str, count: int) -> Callable[[Path], MetricInput]:
    def make(folder: Path) -> MetricInput:
        (folder / "a.pdf").write_bytes(content)
        return MetricInput(folder / "a.pdf", {"relation": relation, "ref_value": count})

    return make


def many(actual: list[bytes | None], target: list[bytes]) -> Callable[[Path], MetricInput]:
    def make(folder: Path) -> MetricInput:
        files: list[list[Path | None]] = [[], []]
        sides: tuple[Sequence[bytes | None], ...] = (actual, target)
        for side, contents in enumerate(sides):
            for number, item in enumerate(contents):
                path = folder / f"{side}{number}.pdf"
                if item is not None:
                    path.write_bytes(item)
                files[side].append(None if item is None else path)
        return MetricInput(files[0], files[1])

    return make


def zips(
    actual: dict[str, Any], target: dict[str, Any], name: str = "a.zip", **options: Any
) -> Callable[[Path], MetricInput]:
    return lambda folder: MetricInput(
        zipped(folder / name, actual), zipped(folder / f"b{name}", target), options
    )


def tars(
    actual: dict[str, bytes], target: dict[str, bytes], ending: str, **options: Any
) -> Callable[[Path], MetricInput]:
    return lambda folder: MetricInput(
        tarred(folder / f"a{ending}", actual), tarred(folder / f"b{ending}", target), options
    )


def documents(actual: str, target: str) -> Callable[[Path], MetricInput]:
    def make(folder: Path) -> MetricInput:
        one, other = (document(folder / f"{item}.docx", item) for item in (actual, target))
        return zips({"x.docx": one.read_bytes()}, {"x.docx": other.read_bytes()},
                    file_type="docx")(folder)  # fmt: skip

    return make


def html(actual: str, target: str, **options: Any) -> Callable[[Path], MetricInput]:
    return lambda folder: MetricInput(
        text(folder / "a.html", actual), text(folder / "b.html", target), options
    )


def book(identifier: str, *chapters: str, toc: str = "<a>1</a>\n<b/>\n") -> dict[str, str]:
    said = f"<package>\n<dc:identifier>{identifier}</dc:identifier>\n<x/>\n</package>\n"
    content = {"mimetype": "application/epub+zip", "content.opf": said, "toc.ncx": toc}
    return content | {f"ch{at}.html": item for at, item in enumerate(chapters)}


def books(actual: dict[str, str], target: dict[str, str]) -> Callable[[Path], MetricInput]:
    return zips(actual, target, "a.epub")


PDFS, IMAGES, ARCHIVE = "compare_pdfs", "compare_pdf_images", "compare_archive"
ZIPS, EPUB, HTML = "compare_zip_files", "compare_epub", "compare_htmls"

CASES: list[Case] = [
    right(PDFS, "the same text", pdfs(pdf(LONG, "two"), pdf(LONG, "two"))),
    right(PDFS, "all pairs of two lists", many([pdf(LONG), pdf(OTHER)], [pdf(LONG), pdf(OTHER)])),
    near(PDFS, "a letter differs", pdfs(pdf(NEARLY), pdf(LONG)), ratio(NEARLY, LONG), 1.0),
    near(PDFS, "an unrelated one", pdfs(pdf(OTHER), pdf(LONG)), ratio(OTHER, LONG), 0.0,
         "is 0.292"),
    near(PDFS, "half of two", many([pdf(LONG), None], [pdf(LONG), pdf(OTHER)]), 0.5, 0.5),
    broken(PDFS, "no PDF", lambda folder: MetricInput(garbage(folder / "a"), garbage(folder / "b")),
           "not a readable"),
    broken(PDFS, "cut off", pdfs(pdf(LONG)[:60], pdf(LONG))),
    broken(PDFS, "nothing to compare with", many([pdf(LONG)], [])),

    right(IMAGES, "the same pictures", pdfs(pdf("a", pictures=(ONE, OTHER_ONE)),
                                            pdf("b", pictures=(ONE, OTHER_ONE)))),
    right(IMAGES, "no pictures", pdfs(pdf("a"), pdf("b"))),
    near(IMAGES, "one of two differs", pdfs(pdf("a", pictures=(ONE, ONE)),
                                            pdf("a", pictures=(ONE, OTHER_ONE))), 0.5, 0.5),
    near(IMAGES, "a picture more", pdfs(pdf("a", pictures=(ONE,)), pdf("a"))),
    broken(IMAGES, "no PDF",
           lambda folder: MetricInput(garbage(folder / "a"), garbage(folder / "b"))),
    broken(IMAGES, "a picture shorter than it says", pdfs(
        pdf("a", pictures=((3000, 3000, b"ab"),)), pdf("a", pictures=(OTHER_ONE,)))),

    right("check_pdf_pages", "one page", pages(pdf("a"), "eq", 1)),
    right("check_pdf_pages", "few enough", pages(pdf("a", "b"), "le", 2)),
    near("check_pdf_pages", "a page more", pages(pdf("a", "b"), "eq", 1),
         because="2 pages, not eq 1"),
    broken("check_pdf_pages", "no PDF", pages(b"%PDF-1.4 nothing", "eq", 1)),
    broken("check_pdf_pages", "too many pages", pages(pdf(*["a"] * 2001), "ge", 1), "2000 pages"),

    right(ARCHIVE, "texts in a zip", zips({"x/a": "1\n", "b": "2"}, {"x/a": "1\n", "b": "3"},
                                          file_path="x")),
    right(ARCHIVE, "PDFs in a tar", tars({"./a.pdf": pdf(LONG)}, {"a.pdf": pdf(LONG)}, ".tar.gz",
                                         file_type="pdf")),
    right(ARCHIVE, "lines of a CSV", tars({"a": b"1\r\n"}, {"a": b"1\n"}, ".tar.xz",
                                          file_type="csv")),
    right(ARCHIVE, "documents", documents("a  b", "a b")),
    near(ARCHIVE, "half of two", zips({"a": "1", "b": "2"}, {"a": "1", "b": "3"}), 0.5, 0.5),
    near(ARCHIVE, "a file more", zips({"a": "1", "b": "2"}, {"a": "1"}),
         because="the entries are ['a', 'b'], not ['a']"),
    near(ARCHIVE, "a folder where a file should be", zips({"a/b": "1"}, {"a": "1"}),
         because="a is a folder"),
    near(ARCHIVE, "an unrelated PDF", tars({"a": pdf(OTHER)}, {"a": pdf(LONG)}, ".tar.bz2",
                                           file_type="pdf"), ratio(OTHER, LONG), 0.0),
    near(ARCHIVE, "nothing in the folder", zips({"a": "1"}, {"a": "1"}, file_path="x")),
    near(ARCHIVE, "a file that is no text", zips({"a": b"\xff\xfe\xfd"}, {"a": "1"})),
    broken(ARCHIVE, "no archive", lambda folder: MetricInput(
        garbage(folder / "a.zip"), zipped(folder / "b.zip", {"a": "1"})), "not an intact archive"),
    broken(ARCHIVE, "a zip called a tar", zips({"a": "1"}, {"a": "1"}, "a.tar.gz")),

    right(ZIPS, "the same bytes", zips({"a": "1", "b/c": "2"}, {"b/c": "2", "a": "1"})),
    right(ZIPS, "a PDF that differs in a letter", zips(
        {"a.pdf": pdf(NEARLY)}, {"a.pdf": pdf(LONG)})),
    near(ZIPS, "another byte", zips({"a": "1"}, {"a": "2"}), because="'a' differs"),
    near(ZIPS, "another PDF", zips({"a.pdf": pdf(OTHER)}, {"a.pdf": pdf(LONG)})),
    near(ZIPS, "a PDF that is none", zips({"a.pdf": "x"}, {"a.pdf": "x"}), 0.0, 1.0),
    near(ZIPS, "another name", zips({"A": "1"}, {"a": "1"}), because="'a' is missing"),
    broken(ZIPS, "no archive", lambda folder: MetricInput(
        garbage(folder / "a.zip"), zipped(folder / "b.zip", {"a": "1"}))),

    right(EPUB, "the same book under another number", books(
        book("1", "<p>a</p>\n"), book("2", "<p>a</p>\n"))),
    near(EPUB, "a chapter of two lines differs by one", books(
        book("1", "a\nb\n"), book("1", "a\nc\n")), 2 / 3, 2.5 / 3),
    near(EPUB, "chapters left out", books(book("1", "a\n"), book("1", "a\n", "b\n")), 1 / 3, 0.75),
    near(EPUB, "an empty archive", books({}, book("1", "a\n")), 0.0, 0.0),
    broken(EPUB, "no book", lambda folder: MetricInput(
        garbage(folder / "a.epub"), zipped(folder / "b.epub", book("1", "a\n")))),

    right(HTML, "the same nodes", html("<p class=a>x<b>y</b></p>", "<p class='a'>x<b>y</b></p>")),
    near(HTML, "but for notes on numbers",
          html('<td sdval="1" sdnum="1">1</td>', '<td sdval="1" sdnum="2">1</td>'), 0.0, 1.0),
    near(HTML, "notes on numbers that count",
         html('<p sdnum="1">1</p>', '<p sdnum="2">1</p>', ignore_sdnum=False)),
    near(HTML, "another text", html("<p>x</p>", "<p>y</p>"), because="texts of the pages differ"),
    near(HTML, "another tag", html("<p><b>x</b></p>", "<p><i>x</i></p>")),
    near(HTML, "pictures missing at the end", html("<p>x</p>", "<p>x</p><img src=a>"), 1.0, 0.0),
    broken(HTML, "no page", lambda folder: MetricInput(
        garbage(folder / "a.html"), text(folder / "b.html", "<p>x</p>"))),
]  # fmt: skip
