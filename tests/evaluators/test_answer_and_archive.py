"""Evaluators of the answer in words, and of archives."""

import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ambidex.evaluators import Score

Judge = Callable[..., Score]


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("B-2207, 7 times", True),
        ("Badge b-2207:\nit opened the door seven times.", True),
        ("B-2207, 17 times", False),
        ("B-2207, 7.5 times", False),
        ("B-2207, 7 times, and B-1180 as well", False),
        ("B-22071, 7 times", False),
        ("7 times", False),
        ("B-2207, 7 times" + " or so" * 100, False),
    ],
)
def test_an_answer_says_whole_words_and_nothing_that_is_wrong(
    judge: Judge, tmp_path: Path, answer: str, right: bool
) -> None:
    (tmp_path / "answer.txt").write_text(answer)
    score = judge("output.answer_says", all=["B-2207", ["7", "seven"]], none=["B-1180"])
    assert (score.value == 1) is right
    assert score.reason


@pytest.mark.parametrize("answer", ["1240.50 EUR", "1,240.50", "It is 1'240.50.", "1 240.50"])
def test_marks_that_group_digits_do_not_count(judge: Judge, tmp_path: Path, answer: str) -> None:
    (tmp_path / "answer.txt").write_text(answer.replace("1 2", "1\u00a02"))
    assert judge("output.answer_says", all=["1240.50"]).value == 1


def test_no_answer_scores_0(judge: Judge) -> None:
    assert judge("output.answer_says", all=["7"]).value == 0


def packed(path: Path, files: dict[str, bytes]) -> None:
    """Write an archive of the kind that the name says."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return
    with tarfile.open(path, "w:gz") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz"])
@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"1.pdf": b"one", "list.txt": b"1.pdf \n\n"}, ""),
        ({"2025/1.pdf": b"one", "2025/list.txt": b"1.pdf"}, ""),
        ({"2025/1.pdf": b"one", "list.txt": b"1.pdf"}, "'1.pdf' is missing"),
        ({"else/1.pdf": b"one", "else/list.txt": b"1.pdf"}, "'1.pdf' is missing"),
        ({"1.pdf": b"one", "list.txt": b"2.pdf"}, "has another text"),
        ({"1.pdf": b"two", "list.txt": b"1.pdf"}, "another file than one.pdf"),
        ({"1.pdf": b"one", "list.txt": b"1.pdf", "2.pdf": b""}, "'2.pdf' should not be"),
        ({"1.pdf": b"one"}, "'list.txt' is missing"),
    ],
)
def test_an_archive_holds_these_files_and_no_others(
    judge: Judge, tmp_path: Path, name: str, files: dict[str, bytes], reason: str
) -> None:
    (tmp_path / "one.pdf").write_bytes(b"one")
    packed(tmp_path / name, files)
    score = judge(
        "files.archive_holds",
        file=name,
        files={"1.pdf": "one.pdf"},
        texts={"list.txt": "1.pdf\n"},
        inside=["2025"],
    )
    assert score.value == (0 if reason else 1)
    assert reason in score.reason
