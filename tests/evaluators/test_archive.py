"""Evaluator of archives."""

import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ambidex.evaluators import Score

Judge = Callable[..., Score]


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
