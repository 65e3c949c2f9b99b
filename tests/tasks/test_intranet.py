"""The intranet of the office suite: its pages, what its forms refuse, and what they leave in the
database."""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

from ambidex.evaluators import Score
from ambidex.evaluators.registry import bind

SHARED = Path(__file__).resolve().parents[2] / "tasks" / "office" / "shared"
SERVE = """
import intranet
intranet.make_database()
server = intranet.Server(("127.0.0.1", 0), intranet.Intranet)
print(server.server_port, flush=True)
server.serve_forever()
"""
BOOKING = {
    "room": "Rogn",
    "day": "2026-12-08",
    "starts": "13:30",
    "ends": "15:30",
    "title": "Fair",
    "attendees": "12",
}


class Browser:
    """What a browser does with the intranet."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self._base = f"http://127.0.0.1:{port}"
        self._opener = build_opener(HTTPCookieProcessor(CookieJar()))

    def show(self, path: str) -> str:
        """The text of a page."""
        with self._opener.open(self._base + path, timeout=20) as answer:
            return str(answer.read().decode())

    def send(self, path: str, **fields: str) -> str:
        """The page after a form was sent, also where it was refused."""
        try:
            data = urlencode(fields).encode()
            with self._opener.open(self._base + path, data, timeout=20) as answer:
                return str(answer.read().decode())
        except HTTPError as error:
            with error:
                return error.read().decode()

    def changes(self, **expected: object) -> Score:
        """Whether exactly this has changed in the database."""
        arguments = {"file": "intranet.db", "before": "seed.sql", "free": ["activity"], **expected}
        return bind("sqlite.changes", arguments, self.folder)(self.folder)


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    folder = tmp_path / "intranet"
    shutil.copytree(SHARED / "files" / "intranet", folder)
    with subprocess.Popen(
        [sys.executable, "-B", "-c", SERVE], cwd=folder, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        yield Browser(folder, int(process.stdout.readline()))
        process.terminate()


def test_every_page_needs_a_login_and_shows_something(browser: Browser) -> None:
    assert "Sign in" in browser.show("/people")
    assert "is wrong" in browser.send("/login", login="ines", password="no")
    assert "Good day, Ines" in browser.send("/login", login="ines", password="kiln-42")
    for path, text in {
        "/people?site=Tallinn": "Tarmo Dahl",
        "/people/3": "Omar Haddad",
        "/rooms?day=2026-12-08": "Quality circle",
        "/bookings": "Sales weekly",
        "/claims?status=Submitted": "Two nights in Oslo",
        "/claims/2": "Save decision",
        "/tickets?category=Network&site=Bergen": "Video calls freeze",
        "/tickets/8": "Save ticket",
        "/suppliers?page=2": "page 2 of 2",
        "/orders?from=2026-07-01&to=2026-09-30": "page 1 of 3",
        "/documents": "ISO 9001",
        "/rules": "at most 140 EUR a night",
    }.items():
        assert text in browser.show(path), path
    assert browser.changes().value == 1


def test_a_room_is_booked_only_if_it_is_open_free_and_large_enough(browser: Browser) -> None:
    browser.send("/login", login="ines", password="kiln-42")
    for room, changed, reason in (
        ("Fjord", {}, "cannot be booked until 2027-03-31"),
        ("Lind", {}, "is taken at that time: Quality circle"),
        ("Bjørk", {}, "has 10 seats only"),
        ("Rogn", {"ends": "13:00"}, "ends before it starts"),
        ("Rogn", {"day": "2026-13-01"}, "there is no day"),
        ("Rogn", {"title": " "}, "Title is missing"),
    ):
        fields = {**BOOKING, "room": room, **changed}
        assert reason in browser.send("/bookings/new", **fields), room
    assert browser.changes().value == 1
    assert "The room is booked" in browser.send("/bookings/new", **BOOKING)
    assert "is taken" in browser.send("/bookings/new", **BOOKING)
    assert "Only who booked" in browser.send("/bookings/21/cancel")
    assert "is cancelled" in browser.send("/bookings/24/cancel")
    row = {"room": 6, "day": "2026-12-08", "title": "Fair", "person": 2, "attendees": 12}
    done = browser.changes(added={"bookings": [row]}, removed=["bookings/24"])
    assert done.value == 1, done.reason


def test_what_belongs_to_others_cannot_be_decided(browser: Browser) -> None:
    browser.send("/login", login="tomasz", password="larch-19")
    assert "nothing for you" in browser.send("/claims/1/decide", decision="Approved", reason="")
    assert "Only IT" in browser.send("/tickets/8", status="Closed", priority="Low", resolution="")
    browser.send("/login", login="ines", password="kiln-42")
    assert "needs a reason" in browser.send("/claims/2/decide", decision="Rejected", reason="")
    assert browser.changes().value == 1
    browser.send("/claims/2/decide", decision="Rejected", reason="over the limit")
    changed = {"claims/2": {"status": "Rejected", "reason": "over the limit"}}
    assert browser.changes(changed=changed).value == 1


def test_the_data_are_what_their_generator_makes(tmp_path: Path) -> None:
    script = tmp_path / "make_seed.py"
    shutil.copyfile(SHARED / "make_seed.py", script)
    shutil.copyfile(SHARED / "tables.sql", tmp_path / "tables.sql")
    (tmp_path / "files" / "intranet").mkdir(parents=True)
    runpy.run_path(str(script), run_name="__main__")
    made = (tmp_path / "files" / "intranet" / "seed.sql").read_text("utf-8")
    assert made == (SHARED / "files" / "intranet" / "seed.sql").read_text("utf-8")
