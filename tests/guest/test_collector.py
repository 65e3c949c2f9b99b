"""What the collector reads, and what it reports without reading."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from ambidex.guest import HarnessError
from ambidex.guest.account import Account
from ambidex.guest.evidence import collector
from ambidex.guest.evidence.collector import may_become_root, operations, read_file
from ambidex.guest.evidence.inventory import Inventory
from ambidex.guest.questions import profile


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "home"
    path.mkdir()
    # Files in this computer's shared folders must not affect the test.
    monkeypatch.setattr("ambidex.guest.evidence.inventory.PLACES", ())
    return path


def account(home: Path) -> Account:
    return Account("somebody", os.getuid(), os.getgid(), (os.getgid(),), str(home), "/bin/sh")


def state(home: Path, path: str, largest: int = 1000) -> str:
    return read_file(path, account(home), largest).state


def test_a_file_in_the_home_folder_is_read(home: Path) -> None:
    (home / "a b.txt").write_bytes(b"\0\xff")
    file = read_file("~/a b.txt", account(home), 1000)
    assert (file.state, file.size, file.content) == ("file", 2, b"\0\xff")


def test_the_kind_of_anything_but_a_readable_file_is_reported_without_blocking(home: Path) -> None:
    os.mkfifo(home / "pipe")
    (home / "folder").mkdir()
    (home / "large").write_bytes(b"x" * 1001)
    (home / "closed").write_bytes(b"x")
    (home / "closed").chmod(0)
    names = ("pipe", "folder", "large", "closed", "no")
    states = {name: state(home, f"~/{name}") for name in names}
    assert states == {
        "pipe": "special",
        "folder": "folder",
        "large": "too_large",
        "closed": "unreadable",
        "no": "absent",
    }
    assert state(home, "~/large/below") == "absent"
    assert state(home, "/dev/zero") == "special"


def test_a_link_is_followed_only_if_new_home_folders_have_the_same_one(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.getuid() == 0:
        os.chown(home, 12345, 12345)  # links of root count as the image's
    for folder in (home, tmp_path / "skel"):
        (folder / "chromium").mkdir(parents=True)
        os.symlink("chromium", folder / "google-chrome")
    monkeypatch.setattr(collector, "SKELETON", tmp_path / "skel")
    (home / "chromium/Bookmarks").write_bytes(b"{}")
    os.symlink("chromium/Bookmarks", home / "own")
    os.symlink("/dev/zero", home / "endless")
    os.symlink("around", home / "around")
    for name in ("own", "endless", "around"):
        if os.getuid() == 0:
            os.lchown(home / name, 12345, 12345)
    assert state(home, "~/google-chrome/Bookmarks") == "file"
    assert [state(home, f"~/{name}") for name in ("own", "endless", "around")] == ["link"] * 3


def test_a_relative_path_is_refused(home: Path) -> None:
    with pytest.raises(HarnessError, match="is not absolute"):
        read_file("a.txt", account(home), 1000)


def test_a_listing_escapes_odd_names_and_does_not_follow_links(home: Path) -> None:
    (home / "in").mkdir()
    (home / "in/ä\n").touch()
    os.symlink("/etc", home / "in/etc")
    with open(os.fsencode(home / "in") + b"/\xff", "wb"):
        pass
    value: Any = operations(account(home))["list"]({"path": "~/in"}, b"").value
    assert value == {"there": True, "paths": ["\\xff", "etc", "ä\n"], "more": False}
    value = operations(account(home))["list"]({"path": "~/none"}, b"").value
    assert value == {"there": False, "paths": [], "more": False}


def test_an_inventory_detects_a_change_in_a_large_file_whose_mtime_was_restored(home: Path) -> None:
    large = home / ".cache" / "x.lock"
    large.parent.mkdir()
    large.write_bytes(bytes(5 << 20))
    inventory = Inventory()
    before = inventory.take(home)["files"]
    times = large.stat()
    with large.open("r+b") as file:
        file.seek(3 << 20)
        file.write(b"!")
    os.utime(large, ns=(times.st_atime_ns, times.st_mtime_ns))
    after = inventory.take(home)["files"]
    assert before[str(large)] != after[str(large)]


def test_an_inventory_skips_holes_and_stops_at_a_bound(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (home / "holes").open("wb") as file:
        file.truncate(1 << 40)
    assert Inventory().take(home)["refused"] == ""
    monkeypatch.setattr("ambidex.guest.evidence.inventory.MOST", 5)
    for number in range(10):
        (home / str(number)).touch()
    assert Inventory().take(home)["refused"] == "there are more than 5 files"


def test_a_query_that_never_ends_is_aborted(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = home / ".config/chromium/Default"
    folder.mkdir(parents=True)
    with sqlite3.connect(folder / "History") as database:
        endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n)"
        columns = "SELECT i AS url, i AS title, i AS last_visit_time"
        database.execute(f"CREATE VIEW urls AS {endless} {columns} FROM n WHERE i < 0")
    monkeypatch.setattr(profile, "WITHIN", 0.2)
    monkeypatch.setattr(Path, "home", lambda: home)
    ask = operations(account(home))["ask"]
    assert ask({"do": "profile_rows", "with": {"table": "history"}}, b"").value is None


def test_a_question_that_needs_the_session_is_refused(home: Path) -> None:
    with pytest.raises(HarnessError, match="Not a question that files can answer"):
        operations(account(home))["ask"]({"do": "activate", "with": {}}, b"")


def test_file_names_that_are_not_valid_unicode_can_be_sent_as_json(home: Path) -> None:
    (home / "x").symlink_to(os.fsdecode(b"\xff\xfe"))
    json.dumps(operations(account(home))["survey"]({}, b"").value).encode()


def test_an_ordinary_user_may_not_become_root() -> None:
    user = Account("nobody-here", 54321, 54321, (54321,), "/nonexistent", "/bin/sh")
    assert not may_become_root(user)
