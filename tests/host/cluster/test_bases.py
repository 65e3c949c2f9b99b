"""The base of an image on its way to another host."""

from __future__ import annotations

from pathlib import Path

import pytest

from ambidex.host.cluster.bases import Archive, fetch_base, pack_base, read_archive
from ambidex.host.errors import HostError


@pytest.fixture
def base(tmp_path: Path) -> Path:
    base = tmp_path / "there" / "bases" / "debian-12-0a1b"
    (base / "tree" / "etc").mkdir(parents=True)
    (base / "base.json").write_text("{}")
    (base / "tree" / "etc" / "passwd").write_text("root")
    (base / "tree" / "etc" / "passwd").chmod(0o640)
    (base / "tree" / "bin").symlink_to("usr/bin")
    (base / "disk.qcow2").write_bytes(b"\0" * 100_000 + b"end")
    (base / "block-secret").write_bytes(b"secret")
    return base


@pytest.fixture
def packed(base: Path) -> tuple[Archive, Path]:
    store = base.parents[1] / "packed"
    store.mkdir()
    archive = pack_base(base, store)
    assert pack_base(base, store) == archive, "packed once"
    return archive, store


def test_a_base_arrives_as_it_is_without_the_secret(
    base: Path, packed: tuple[Archive, Path], tmp_path: Path
) -> None:
    archive, store = packed
    here = tmp_path / "here"
    here.mkdir()
    final = fetch_base(archive, lambda name, at: read_archive(store, name, at), here, here)
    assert final == here / base.name
    assert sorted(path.name for path in final.iterdir()) == ["base.json", "disk.qcow2", "tree"]
    assert (final / "disk.qcow2").read_bytes() == (base / "disk.qcow2").read_bytes()
    assert (final / "tree" / "etc" / "passwd").stat().st_mode & 0o777 == 0o640
    assert (final / "tree" / "bin").readlink() == Path("usr/bin")


def test_a_fetch_that_broke_off_goes_on_where_it_was(
    packed: tuple[Archive, Path], tmp_path: Path
) -> None:
    archive, store = packed
    here, asked = tmp_path / "here", []
    here.mkdir()

    def breaks(name: str, offset: int) -> bytes:
        if offset:
            raise ConnectionError
        return read_archive(store, name, 0)[:1000]

    def read(name: str, offset: int) -> bytes:
        asked.append(offset)
        return read_archive(store, name, offset)

    with pytest.raises(ConnectionError):
        fetch_base(archive, breaks, here, here)
    assert not (here / archive.name).exists()
    fetch_base(archive, read, here, here)
    assert asked == [1000]
    fetch_base(archive, read, here, here)
    assert asked == [1000], "it is there"


def test_a_damaged_archive_is_refused_and_read_again(
    packed: tuple[Archive, Path], tmp_path: Path
) -> None:
    archive, store = packed
    here = tmp_path / "here"
    here.mkdir()
    with pytest.raises(HostError, match="debian-12-0a1b arrived damaged"):
        fetch_base(archive, lambda name, at: b"x" * archive.size, here, here)
    assert not (here / archive.name).exists()
    fetch_base(archive, lambda name, at: read_archive(store, name, at), here, here)
    with pytest.raises(ValueError, match="not the name of a base"):
        read_archive(store, "../base", 0)
