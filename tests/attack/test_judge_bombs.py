"""Attacks on the judge by evidence: files that grow when they are read."""

from __future__ import annotations

import sqlite3
import tarfile
import time
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from ambidex.evaluators import Score
from ambidex.evaluators.document import paragraphs_equal
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.registry import bind_metric
from ambidex.evaluators.spreadsheet import cells_equal
from ambidex.host.box.client import Box
from tests.attack.judging import judged

X = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
C = "http://schemas.openxmlformats.org/package/2006/content-types"
R = "http://schemas.openxmlformats.org/package/2006/relationships"
O = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"  # noqa: E741


def package(
    path: Path, main: str, types: str, relations: dict[str, str], parts: dict[str, str]
) -> None:
    """An office file: its main part, the content types of parts, and the targets of the main part's
    relations by type."""
    folder, name = main.split("/")
    related = "".join(
        f'<Relationship Id="r{number}" Type="{O}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(relations.items(), 1)
    )
    root = f'<Relationship Id="r1" Type="{O}/officeDocument" Target="{main}"/>'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{C}">{types}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{R}">{root}</Relationships>',
        f"{folder}/_rels/{name}.rels": f'<Relationships xmlns="{R}">{related}</Relationships>',
        **parts,
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, text in parts.items():
            archive.writestr(part, text)


def overridden(part: str, kind: str) -> str:
    """The content type of one part."""
    office = "application/vnd.openxmlformats-officedocument"
    return f'<Override PartName="/{part}" ContentType="{office}.{kind}+xml"/>'


def workbook(path: Path, sheet: str = "<sheetData/>", **parts: str) -> None:
    """A workbook with that sheet and those parts, however invalid."""
    package(
        path,
        "xl/workbook.xml",
        overridden("xl/workbook.xml", "spreadsheetml.sheet.main")
        + "".join(overridden(f"xl/{name}.xml", f"spreadsheetml.{name}") for name in parts),
        {"worksheet": "worksheets/sheet1.xml"} | {name: f"{name}.xml" for name in parts},
        {
            "xl/workbook.xml": f'<workbook xmlns="{X}" xmlns:r="{O}"><sheets>'
            '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{X}">{sheet}</worksheet>',
            **{f"xl/{name}.xml": text for name, text in parts.items()},
        },
    )


def document(path: Path, body: str, styles: str = "") -> None:
    """A Word file with this body and these styles."""
    package(
        path,
        "word/document.xml",
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        + overridden("word/document.xml", "wordprocessingml.document.main")
        + overridden("word/styles.xml", "wordprocessingml.styles"),
        {"styles": "styles.xml"},
        {
            "word/document.xml": f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>',
            "word/styles.xml": f'<w:styles xmlns:w="{W}">{styles}</w:styles>',
        },
    )


def book(check: Callable[..., Score] = cells_equal) -> Callable[[Path], Score]:
    return partial(check, file="e.xlsx", cells={"A1": 1})


def words(evidence: Path) -> Score:
    return paragraphs_equal(evidence, file="e.docx", paragraphs=["x"])


def compat(
    metric: str, name: str, expected: Value, options: dict[str, object], evidence: Path
) -> Score:
    """The compat verdict of an OSWorld metric on one file of the evidence."""
    return bind_metric(metric, options)(evidence / name, expected).compat


def many_styles(folder: Path) -> None:
    workbook(folder / "e.xlsx", styles=f'<styleSheet xmlns="{X}"><cellXfs>' + "<xf/>" * 6_000_000
             + "</cellXfs></styleSheet>")  # fmt: skip


def many_strings(folder: Path) -> None:
    workbook(folder / "e.xlsx", sharedStrings=f'<sst xmlns="{X}">' + "<si><t>a</t></si>" * 1_500_000
             + "</sst>")  # fmt: skip


def many_cells(folder: Path) -> None:
    rows = "<row><c><v>1</v></c></row>" * 1_000_000
    workbook(folder / "e.xlsx", f"<sheetData>{rows}</sheetData>")


def many_paragraphs(folder: Path) -> None:
    document(folder / "e.docx", "<w:p/>" * 900_000)


def many_word_styles(folder: Path) -> None:
    style = '<w:style w:type="paragraph" w:styleId="s{0}"><w:basedOn w:val="s{1}"/></w:style>'
    styles = "".join(style.format(number, number + 1) for number in range(20_000))
    body = '<w:p><w:pPr><w:pStyle w:val="s0"/></w:pPr></w:p>' * 500
    document(folder / "e.docx", body, styles)


@pytest.mark.parametrize(
    ("make", "check"),
    [
        (many_styles, book()),
        (many_strings, book()),
        (many_cells, book()),
        (many_paragraphs, words),
        (many_word_styles, words),
    ],
)
def test_an_office_file_that_grows_is_judged_0_within_the_bounds(
    box: Box,
    tmp_path: Path,
    make: Callable[[Path], None],
    check: Callable[[Path], Score],
) -> None:
    make(tmp_path)
    (file,) = tmp_path.iterdir()
    assert file.stat().st_size < 200_000
    start = time.process_time()
    assert judged(box, check, tmp_path).value == 0
    assert time.process_time() - start < 5, "the controller itself pays next to nothing"


def sparse_tar(path: Path) -> None:
    member = tarfile.TarInfo("x")
    member.size = 64 << 30
    with tarfile.open(path, "w") as archive:
        archive.fileobj.write(member.tobuf())


def settings(path: Path) -> None:
    path.write_text("[a]\n" + "x=" * (1 << 20) + "\n" + "-" * (1 << 20))


def aliases(path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    path.write_text("\n".join(lines))


def deep_xml(path: Path) -> None:
    path.write_text("<a>" * 200_000)


def sound(path: Path) -> None:
    frame = b"TXXX" + (20).to_bytes(4, "big") + b"\0\0" + b"\0" * 20
    body = frame * 80_000
    size = len(body)
    sizes = bytes((size >> shift) & 0x7F for shift in (21, 14, 7, 0))
    path.write_bytes(b"ID3\x03\0\0" + sizes + body)


METRICS: list[tuple[str, str, Callable[[Path], None], Value, dict[str, object]]] = [
    ("compare_archive", "e.tar", sparse_tar, None, {}),
    ("check_global_key_play_pause", "e.ini", settings, {"expected_global_key_play_pause": 1}, {}),
    ("check_thunderbird_prefs", "e.js", settings,
     {"expect": {"a": {"method": "eq", "ref": 1}}}, {}),
    ("check_thunderbird_filter", "e.dat", settings, {"expect": [{"name": "a"}]}, {}),
    ("check_json", "e.yaml", aliases, {"expect": [{"key": ["a11"], "method": "eq", "ref": 1}]},
     {"is_yaml": True}),
    ("check_mp3_meta", "e.mp3", sound, {"title": {"method": "eq", "ref": "x"}}, {}),
    ("check_accessibility_tree", "e.xml", deep_xml, [{"selectors": ["a"]}], {}),
]  # fmt: skip


@pytest.mark.parametrize(("metric", "name", "make", "expected", "options"), METRICS)
def test_a_metric_of_osworld_gives_a_bomb_0(
    box: Box,
    tmp_path: Path,
    metric: str,
    name: str,
    make: Callable[[Path], None],
    expected: Value,
    options: dict[str, object],
) -> None:
    make(tmp_path / name)
    check = partial(compat, metric, name, expected, options)
    assert judged(box, check, tmp_path).value == 0


def test_a_database_whose_view_never_ends_is_0(box: Box, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "e.sqlite") as made:
        made.execute(
            "CREATE VIEW t AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n)"
            " SELECT i FROM n WHERE i < 0"
        )
    sql = {"sql": "SELECT count(*) FROM t"}
    check = partial(compat, "run_sqlite3", "e.sqlite", sql, {})
    assert judged(box, check, tmp_path).value == 0
