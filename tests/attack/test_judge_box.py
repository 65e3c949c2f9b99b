"""Attacks on the judge: evidence that exhausts its resources or tries to misuse it."""

from __future__ import annotations

import importlib
import os
import pickle
import socket
import sqlite3
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, UnidentifiedImageError

from ambidex.evaluators import Score
from ambidex.evaluators.document import paragraphs_equal
from ambidex.evaluators.osworld.registry import bind_metric
from ambidex.evaluators.registry import evaluators
from ambidex.evaluators.spreadsheet import cells_equal
from ambidex.host import Stop
from ambidex.host.box import Limits
from ambidex.host.box.client import Box, JudgeError
from ambidex.host.loop.judge import judge
from ambidex.tasks import Task, Verdict
from ambidex.tasks.spec import Facts
from tests.support.tables import every_case

LIMITS = Limits(memory=512 << 20, processor=1, wall=20, file=1 << 20)
"""Small, so that a bomb is given up soon."""
X = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/package/2006/relationships"
O = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"  # noqa: E741


@pytest.fixture(scope="module")
def box() -> Iterator[Box]:
    box = Box()
    yield box
    box.close()


class TellsTwisted:
    """A task's check that scores 1 if its judge has not imported twisted."""

    folder = Path("/")

    def judge(self, evidence: Path) -> Verdict:
        return Verdict(Score(float("twisted" not in sys.modules), "twisted"))


def test_the_judge_imports_nothing_that_only_the_controller_uses(tmp_path: Path) -> None:
    importlib.import_module("twisted.persisted.styles")  # changes how bound methods are pickled
    facts = Facts(instruction="x", tool_beneficial=False, feasible=True)
    assert judge(Task("t", "", facts, TellsTwisted()), tmp_path, Stop.DONE).score.value == 1


def package(path: Path, parts: dict[str, str]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)


def workbook(path: Path, sheet: str = "<sheetData/>", **parts: str) -> None:
    """A workbook with that sheet and those parts, however invalid."""
    main = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    types = f'<Override PartName="/xl/workbook.xml" ContentType="{main}.sheet.main+xml"/>'
    relations = f'<Relationship Id="r1" Type="{O}/worksheet" Target="worksheets/sheet1.xml"/>'
    for name in parts:
        kind = {"styles": "styles", "sharedStrings": "sharedStrings"}[name]
        types += f'<Override PartName="/xl/{name}.xml" ContentType="{main}.{kind}+xml"/>'
        relations += f'<Relationship Id="{name}" Type="{O}/{kind}" Target="{name}.xml"/>'
    content = "http://schemas.openxmlformats.org/package/2006/content-types"
    package(
        path,
        {
            "[Content_Types].xml": f'<Types xmlns="{content}">{types}</Types>',
            "_rels/.rels": f'<Relationships xmlns="{R}"><Relationship Id="r1" '
            f'Type="{O}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "xl/workbook.xml": f'<workbook xmlns="{X}" xmlns:r="{O}"><sheets>'
            '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{R}">{relations}</Relationships>',
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{X}">{sheet}</worksheet>',
            **{f"xl/{name}.xml": text for name, text in parts.items()},
        },
    )


def document(path: Path, body: str, styles: str = "") -> None:
    """A Word file with this body and these styles."""
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    types = f'<Override PartName="/word/document.xml" ContentType="{main}.document.main+xml"/>'
    types += f'<Override PartName="/word/styles.xml" ContentType="{main}.styles+xml"/>'
    content = "http://schemas.openxmlformats.org/package/2006/content-types"
    package(
        path,
        {
            "[Content_Types].xml": f'<Types xmlns="{content}"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f"{types}</Types>",
            "_rels/.rels": f'<Relationships xmlns="{R}"><Relationship Id="r1" '
            f'Type="{O}/officeDocument" Target="word/document.xml"/></Relationships>',
            "word/_rels/document.xml.rels": f'<Relationships xmlns="{R}"><Relationship Id="r1" '
            f'Type="{O}/styles" Target="styles.xml"/></Relationships>',
            "word/document.xml": f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>',
            "word/styles.xml": f'<w:styles xmlns:w="{W}">{styles}</w:styles>',
        },
    )


def book(check: Callable[..., Score] = cells_equal) -> Callable[[Path], Score]:
    return partial(check, file="e.xlsx", cells={"A1": 1})


def words(evidence: Path) -> Score:
    return paragraphs_equal(evidence, file="e.docx", paragraphs=["x"])


def compat(metric: str, name: str, expected: object = None, **options: object) -> object:
    """The compat verdict of an OSWorld metric on one file of the evidence."""
    return partial(_compat, metric, name, expected, options)


def _compat(metric: str, name: str, expected: object, options: dict, evidence: Path) -> Score:
    return bind_metric(metric, options)(evidence / name, expected).compat


def verdict(check: Callable[[Path], Score], evidence: Path) -> Verdict:
    return Verdict(check(evidence))


def judged(box: Box, check: Callable[[Path], Score], evidence: Path) -> Score:
    return box.judge(partial(verdict, check), evidence, limits=LIMITS).score


def spends(evidence: Path) -> Score:
    while True:
        pass


def grows(evidence: Path) -> Score:
    return Score(0.0, str(len(bytearray(1 << 40))))


def nests(evidence: Path) -> Score:
    return nests(evidence)


def writes(evidence: Path) -> Score:
    with open(os.environ["TMPDIR"] + "/x", "wb") as file:
        for _ in range(100):
            file.write(bytes(1 << 20))
    return Score(1.0, "it was written")


def waits(evidence: Path) -> Score:
    time.sleep(3600)
    return Score(1.0, "it waited")


def crashes(evidence: Path) -> Score:
    import ctypes

    ctypes.string_at(0)
    return Score(1.0, "it did not crash")


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        (spends, "more than 1 s of processor time"),
        (grows, "more than 512 MiB of memory"),
        (nests, "it is nested too deep"),
        (writes, "a file of more than 1 MiB"),
        (crashes, "it crashed its reader"),
    ],
)
def test_reaching_a_limit_is_a_score_of_0_that_names_it(
    box: Box, tmp_path: Path, check: Callable[[Path], Score], reason: str
) -> None:
    score = judged(box, check, tmp_path)
    assert score.value == 0
    assert score.reason.startswith("too costly to judge")
    assert reason in score.reason


def test_a_judge_that_waits_for_ever_is_killed(box: Box, tmp_path: Path) -> None:
    limits = Limits(processor=5, wall=0.5)
    score = box.judge(partial(verdict, waits), tmp_path, limits=limits).score
    assert score == Score(0.0, "too costly to judge: more than 0.5 s")


def many_styles(folder: Path) -> None:
    workbook(folder / "e.xlsx", styles=f'<styleSheet xmlns="{X}"><cellXfs>' + "<xf/>" * 6_000_000
             + "</cellXfs></styleSheet>")  # fmt: skip


def many_strings(folder: Path) -> None:
    workbook(folder / "e.xlsx", sharedStrings=f'<sst xmlns="{X}">' + "<si><t>a</t></si>" * 1_500_000
             + "</sst>")  # fmt: skip


def many_cells(folder: Path) -> None:
    row = "<row><c><v>1</v></c></row>" * 1_000_000
    workbook(folder / "e.xlsx", f"<sheetData>{row}{row[:0]}</sheetData>")


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
        archive.fileobj.write(member.tobuf())  # type: ignore[union-attr]


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


METRICS: list[tuple[str, str, Callable[[Path], None], object, dict[str, object]]] = [
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
    expected: object,
    options: dict[str, object],
) -> None:
    make(tmp_path / name)
    check = compat(metric, name, expected, **options)
    assert judged(box, check, tmp_path).value == 0  # type: ignore[arg-type]


def test_a_database_whose_view_never_ends_is_0(box: Box, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "e.sqlite") as made:
        made.execute(
            "CREATE VIEW t AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n)"
            " SELECT i FROM n WHERE i < 0"
        )
    check = compat("run_sqlite3", "e.sqlite", {"sql": "SELECT count(*) FROM t"})
    score = judged(box, check, tmp_path)  # type: ignore[arg-type]
    assert score.value == 0


def opens_a_socket(evidence: Path) -> Score:
    socket.socket()
    return Score(1.0, "it has a socket")


def starts_a_program(evidence: Path) -> Score:
    subprocess.run(["true"], check=True)
    return Score(1.0, "it has run")


def forks(evidence: Path) -> Score:
    os.fork()
    return Score(1.0, "there are two")


def kills(evidence: Path) -> Score:
    os.kill(os.getppid(), 0)
    return Score(1.0, "it can signal")


def reads_beyond(evidence: Path) -> Score:
    return Score(1.0, (evidence.parent / "secret").read_text())


def writes_beyond(evidence: Path) -> Score:
    (evidence / "forged").write_text("1")
    return Score(1.0, "it has written")


def draws_postscript(evidence: Path) -> Score:
    try:
        with Image.open(evidence / "e.eps") as picture:
            picture.load()
    except UnidentifiedImageError:
        return Score(0.0, "judging may not draw it")
    return Score(1.0, "Ghostscript has run")


@every_case(
    "check",
    [opens_a_socket, starts_a_program, forks, kills, reads_beyond, writes_beyond, draws_postscript],
)
def test_a_judge_can_do_nothing_but_judge(
    box: Box, tmp_path: Path, check: Callable[[Path], Score]
) -> None:
    (tmp_path / "secret").write_text("a key")
    evidence = tmp_path / "evidence"
    evidence.mkdir()
    Image.new("RGB", (4, 4)).save(evidence / "e.eps")
    score = judged(box, check, evidence)
    assert score.value == 0
    assert "judging may not" in score.reason
    assert not (evidence / "forged").exists()


def knows_its_environment(evidence: Path) -> Score:
    return Score(1.0, " ".join(sorted(os.environ)))


def test_a_judge_has_no_environment(
    box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    assert judged(box, knows_its_environment, tmp_path).reason == "HOME LANG TMPDIR"


def broken(evidence: Path) -> Score:
    raise KeyError("ours")


def test_an_exception_in_an_evaluator_is_a_judge_error(box: Box, tmp_path: Path) -> None:
    with pytest.raises(JudgeError, match="KeyError: 'ours'"):
        judged(box, broken, tmp_path)


def reads_a_picture(evidence: Path) -> Score:
    from ambidex.evaluators.ocr import text_in

    with Image.open(evidence / "e.png") as picture:
        return Score(1.0, text_in(picture))


def test_text_recognition_runs_in_a_box_of_its_own(box: Box, tmp_path: Path) -> None:
    picture = Image.new("L", (600, 120), 255)
    ImageDraw.Draw(picture).text((20, 20), "HELLO", fill=0, font_size=64)
    picture.save(tmp_path / "e.png")
    found = box.judge(partial(verdict, reads_a_picture), tmp_path).score
    assert "HELLO" in found.reason


def test_numbers_are_computed_in_the_box(box: Box, tmp_path: Path) -> None:
    score = judged(box, multiplies, tmp_path)
    assert score.value == 1


def multiplies(evidence: Path) -> Score:
    many = np.arange(250_000.0).reshape(500, 500)
    return Score(float((many @ np.eye(500) == many).all()), "multiplied")


def test_every_evaluator_can_be_sent_to_the_box() -> None:
    for name, found in evaluators().items():
        assert pickle.loads(pickle.dumps(found)) is found, name
