"""A trial's folder on its way to the head."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ambidex.host.cluster import PIECE, Chunk
from ambidex.host.cluster.folders import FolderReader, FolderWriter, hashes, read_piece
from ambidex.host.errors import HostError


@pytest.fixture
def there(tmp_path: Path) -> Path:
    (tmp_path / "there" / "frames").mkdir(parents=True)
    return tmp_path / "there"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "here").mkdir()
    return tmp_path / "here"


def test_lines_arrive_as_they_are_written_after_the_files_that_they_name(
    there: Path, here: Path
) -> None:
    reader, writer = FolderReader(there), FolderWriter(here)
    lines = there / "trajectory.jsonl"
    for number in range(3):
        (there / "frames" / f"{number}.png").write_bytes(bytes([number]) * 1000)
        with lines.open("a") as file:
            file.write(f'{{"frame": {number}}}\n')
        chunks = reader.news()
        assert [chunk.path for chunk in chunks] == [f"frames/{number}.png", "trajectory.jsonl"]
        for chunk in chunks:
            writer.write(chunk)
        assert hashes(here) == hashes(there)
    assert reader.news() == ()


def test_a_large_file_appears_when_it_is_whole_and_before_later_lines(
    there: Path, here: Path
) -> None:
    (there / "frames" / "0.png").write_bytes(b"x" * (2 * PIECE + 5))
    (there / "trajectory.jsonl").write_text('{"frame": 0}\n')
    reader, writer = FolderReader(there), FolderWriter(here)
    seen = []
    while chunks := reader.news():
        for chunk in chunks:
            writer.write(chunk)
        seen.append(sorted(path for path in hashes(here) if not path.endswith(".arriving")))
    assert seen == [[], [], ["frames/0.png", "trajectory.jsonl"]]
    assert hashes(here) == hashes(there)


def test_a_file_that_was_replaced_is_sent_again(there: Path, here: Path) -> None:
    reader, writer = FolderReader(there), FolderWriter(here)
    for text in ("first", "other", "no"):
        (there / "score.new").write_text(text)
        (there / "score.new").rename(there / "score.json")
        for chunk in reader.news():
            writer.write(chunk)
        assert (here / "score.json").read_text() == text


def test_a_file_that_grew_within_one_tick_of_the_clock_is_sent_again(
    there: Path, here: Path
) -> None:
    reader, writer = FolderReader(there), FolderWriter(here)
    file = there / "score.json"
    for text in ("{", '{"value": 1.0}'):
        file.write_text(text)
        os.utime(file, ns=(1, 1))
        for chunk in reader.news():
            writer.write(chunk)
        assert (here / "score.json").read_text() == text


def test_passwords_and_orders_stay(there: Path) -> None:
    for name in ("machine.json", "orders.jsonl"):
        (there / name).write_text("secret")
    assert FolderReader(there).news() == ()
    assert hashes(there) == {}


def test_a_damaged_file_is_read_again_and_what_is_not_there_is_removed(
    there: Path, here: Path
) -> None:
    (there / "evidence.json").write_text("{}")
    (here / "evidence.json").write_text("{]")
    (here / "stale.arriving").write_text("x")
    FolderWriter(here).complete(hashes(there), lambda path, at: read_piece(there, path, at))
    assert hashes(here) == hashes(there)


def test_a_file_that_stays_damaged_fails_the_attempt(there: Path, here: Path) -> None:
    (there / "evidence.json").write_text("{}")

    def damaged(path: str, offset: int) -> Chunk:
        return Chunk(path, offset, b"{]", end=True)

    with pytest.raises(HostError, match=r"evidence\.json of the trial arrived damaged, twice"):
        FolderWriter(here).complete(hashes(there), damaged)


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", ""])
def test_nothing_is_written_outside_the_folder(here: Path, path: str) -> None:
    with pytest.raises(ValueError, match="not a file of a trial"):
        FolderWriter(here).write(Chunk(path, 0, b"x", end=True))
    assert list(here.parent.iterdir()) == [here]
