"""Untrusted archives are unpacked in memory within bounds, or refused with a reason."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.members import members
from tests.evaluators.osworld.makers import tarred, zipped
from tests.support.tables import every_case

MIB = 1024 * 1024


@every_case("name", ["a.zip", "a.epub", "a"])
def test_a_zip_is_read_as_files_by_path(tmp_path: Path, name: str) -> None:
    path = zipped(tmp_path / "a", {"./a/b": "1", "c/": "", "d": ""})
    assert members(path.read_bytes(), name) == {"a/b": b"1", "d": b""}


@every_case("ending", [".tar", ".tar.gz", ".tar.xz", ".tar.bz2"])
def test_a_tar_is_read_as_files_by_path(tmp_path: Path, ending: str) -> None:
    path = tarred(tmp_path / f"a{ending}", {"./a/b": b"1", "d": b"2" * 100_000})
    assert members(path.read_bytes(), path.name) == {"a/b": b"1", "d": b"2" * 100_000}


@every_case("name", ["a.zip", "a.tar", "a.tar.gz", "a.tgz", "a.tar.xz", "a.tar.bz2"])
@every_case("content", [b"", b"garbage" * 200, b"PK\3\4", b"\x1f\x8b\x08\0"])
def test_anything_but_an_archive_is_refused(name: str, content: bytes) -> None:
    with pytest.raises(UnreadableError, match="not an intact archive"):
        members(content, name)


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {f"{n}": b"\0" * 30 * MIB for n in range(5)})
    with pytest.raises(UnreadableError, match="unpacks to more than"):
        members(path.read_bytes(), "a.zip")


def test_a_tar_bomb_is_refused_before_it_is_unpacked() -> None:
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=1) as stream:
        for _ in range(129):
            stream.write(b"\0" * MIB)
    with pytest.raises(UnreadableError, match="unpacks to more than"):
        members(packed.getvalue(), "a.tar.gz")


def test_too_many_members_are_refused(tmp_path: Path) -> None:
    names = {f"{n}": b"" for n in range(4097)}
    for path in (zipped(tmp_path / "a.zip", names), tarred(tmp_path / "a.tar", names)):
        with pytest.raises(UnreadableError, match="more than 4096 members"):
            members(path.read_bytes(), path.name)


def test_two_members_with_the_same_name_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a", "1")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("a", "2")
    with pytest.raises(UnreadableError, match="two members with the same name"):
        members((tmp_path / "a.zip").read_bytes(), "a.zip")


@every_case("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE])
def test_a_link_or_device_in_a_tar_is_refused(kind: bytes) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        entry = tarfile.TarInfo("a")
        entry.type, entry.linkname = kind, "/etc/passwd"
        archive.addfile(entry)
    with pytest.raises(UnreadableError, match="its member a is not a file"):
        members(packed.getvalue(), "a.tar")


def test_a_password_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"a": b"1"})
    content = bytearray(path.read_bytes())
    # The flag that says "encrypted", where the file begins and in the directory at the end.
    content[6] |= 1
    content[content.index(b"PK\1\2") + 8] |= 1
    with pytest.raises(UnreadableError, match="not an intact archive"):
        members(bytes(content), "a.zip")
