"""Files that are written whole, by several writers at once."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from ambidex.vm.whole_files import write_whole


def test_readers_and_writers_at_once_see_whole_files(tmp_path: Path) -> None:
    path = tmp_path / "made" / "file.json"
    texts = [str(number) * 100_000 for number in range(4)]
    failures: list[Exception] = []

    def write(text: str) -> None:
        try:
            for _ in range(20):
                write_whole(path, text)
        except OSError as error:
            failures.append(error)

    write_whole(path, texts[0])
    threads = [threading.Thread(target=write, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert path.read_text() in texts
    assert not failures
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_what_could_not_be_written_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    path.mkdir()
    with pytest.raises(IsADirectoryError):
        write_whole(path, b"new")
    assert [*tmp_path.iterdir()] == [path]
