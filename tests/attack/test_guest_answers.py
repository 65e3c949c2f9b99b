"""Attacks on the readers of a guest's answers. Each ends in a `GuestError` with the reason, or in
an error of the tool, within limits of time and memory."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ambidex.host.client.guest import Guest
from ambidex.host.errors import GuestError
from ambidex.host.loop.stage import collect, set_stage
from ambidex.host.untrusted import LARGEST, MalformedError, TooLargeError, TooSlowError
from ambidex.tasks import Task
from ambidex.tasks.load import load_suite
from tests.attack.hostile import (
    FRAME,
    NONSENSE,
    Hostile,
    ReceivedRequest,
    always,
    answer,
    as_json,
    drip,
    endless,
)
from tests.support.peer import CATALOGUE
from tests.support.suites import write_suite

ASKS: dict[str, Callable[[Guest], object]] = {
    "health": lambda guest: guest.health(),
    "screenshot": lambda guest: guest.screenshot(),
    "run": lambda guest: guest.run(["true"], timeout=0.1),
    "accessibility": lambda guest: guest.accessibility(seconds=0.1),
    "journal": lambda guest: guest.journal(),
    "wait_window": lambda guest: guest.wait_window("a", 0.1),
    "put": lambda guest: guest.put("/a", b""),
    "clock": lambda guest: guest.set_clock(1.0),
    "tools": lambda guest: guest.tools(),
}


@pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS)
def test_a_body_that_drips_does_not_extend_the_deadline(
    impatient: Guest, server: Hostile, ask: Callable[[Guest], object], monkeypatch: Any
) -> None:
    monkeypatch.setattr("ambidex.host.client.guest.FILE", 0.0)
    server.says = lambda request: drip(answer(b"{}" + b" " * 4096), server.over)
    with pytest.raises(GuestError, match="not complete after"):
        ask(impatient)


def test_a_head_that_drips_does_not_either(impatient: Guest, server: Hostile) -> None:
    server.says = lambda request: drip([b"HTTP/1.1 200 OK\r\nA: " + b"a" * 4096], server.over)
    with pytest.raises(TooSlowError):
        impatient.health()


@pytest.mark.parametrize("kind", ["health", "journal"])
def test_an_endless_body_is_cut_at_its_bound(patient: Guest, server: Hostile, kind: str) -> None:
    server.says = lambda request: endless(server.over)
    with pytest.raises(TooLargeError, match=r"more than .* bytes"):
        ASKS[kind](patient)


def test_a_file_over_its_bound_is_refused_by_name(
    patient: Guest, server: Hostile, monkeypatch: Any
) -> None:
    monkeypatch.setitem(LARGEST, "file", 1 << 20)
    server.says = lambda request: endless(server.over)
    with pytest.raises(TooLargeError, match=r"GET /harness/\S*file has more than 1048576 bytes"):
        patient.get("/dev/zero")


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_a_packed_body_is_not_unpacked(patient: Guest, server: Hostile, encoding: str) -> None:
    bomb = gzip.compress(b" " * (1 << 24))
    server.says = lambda request: answer(bomb, Content_Encoding=encoding)
    with pytest.raises(MalformedError, match=f"unrequested encoding '{encoding}'"):
        patient.health()


def test_an_endless_error_is_cut_too(patient: Guest, server: Hostile) -> None:
    server.says = lambda request: answer(b"a" * (LARGEST["error"] + 1), 500)
    with pytest.raises(TooLargeError):
        patient.health()


def test_a_redirect_is_not_followed(patient: Guest, server: Hostile) -> None:
    server.says = lambda request: answer(b"", 307, Location="http://127.0.0.1:9/elsewhere")
    for ask in (patient.health, patient.tools):
        with pytest.raises(GuestError):
            ask()
    assert not [each for each in server.requests if "elsewhere" in each.path]


def framed(body: bytes, **other: object) -> Callable[[ReceivedRequest], list[bytes]]:
    header = json.dumps(FRAME | other)
    return lambda request: answer(body, Ambidex_Frame=header)


BOMB = zlib.compress(b"\0" * (1 << 26))
"""A stream that inflates a thousandfold; the test with a bound on memory sends a larger one."""


@pytest.mark.parametrize(
    ("body", "other", "why"),
    [
        (BOMB, {}, "inflates to more than"),
        (BOMB, {"size": [60000, 60000], "rect": [0, 0, 60000, 60000]}, "must be at most 16384"),
        (BOMB, {"size": [16000, 16000], "rect": [0, 0, 16000, 16000]}, "at most 16777216 pixels"),
        (BOMB, {"size": [0, 0], "rect": [0, 0, 0, 0]}, "0x0"),
        (b"", {"size": [-1, 5], "rect": [0, 0, -1, 5]}, "must be at least 0"),
        (b"", {"rect": None}, "without its rectangle"),
        (b"", {"rect": [0, 0, 1, 1]}, "without a base frame"),
        (b"", {"base": "f0"}, "over frame 'f0'"),
        (b"", {"encoding": "lzma"}, "encoding"),
        (b"a", {"encoding": "raw"}, "has 1 bytes"),
        (zlib.compress(b"\0" * 100), {}, "inflates to 100 bytes"),
        (zlib.compress(b"\0" * 64 * 48 * 4)[:-5], {}, "cut off"),
        (b"no zlib", {}, "not a zlib stream"),
        (b"", {"waited": 1e300}, "waited"),
        (b"", {"id": "a" * 1000}, "id"),
    ],
)
def test_an_invalid_screenshot_is_refused(
    patient: Guest, server: Hostile, body: bytes, other: dict[str, object], why: str
) -> None:
    server.says = framed(body, **other)
    with pytest.raises(MalformedError, match=why):
        patient.screenshot()


def test_a_part_of_a_screen_of_another_size_is_refused(patient: Guest, server: Hostile) -> None:
    server.says = framed(zlib.compress(b"\0" * 64 * 48 * 4))
    patient.screenshot()
    server.says = framed(b"\0" * 4, base="f1", id="f2", size=[99, 99], rect=[90, 90, 1, 1],
                         encoding="raw")  # fmt: skip
    with pytest.raises(MalformedError, match="changed its size"):
        patient.screenshot()


FIELDS = {
    "health": ("ready", "checks", "screen", "catalogue", "user"),
    "run": ("returncode", "stdout", "stderr", "timed_out", "truncated"),
}
GOOD: dict[str, dict[str, object]] = {
    "health": {"ready": True, "checks": {"X": {"ok": True, "seen": "fine"}}, "screen": [64, 48]},
    "run": {"returncode": 0, "stdout": "", "stderr": "", "timed_out": False},
}


@pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS)
def test_nonsense_in_place_of_an_answer_is_a_guest_error_or_an_answer(
    patient: Guest, server: Hostile, ask: Callable[[Guest], object]
) -> None:
    for nonsense in NONSENSE:
        for status in (200, 503):
            server.says = always(as_json(nonsense, status))
            seen_by(ask, patient)


@pytest.mark.parametrize("kind", FIELDS)
def test_nonsense_in_any_field_is_a_guest_error_or_an_answer(
    patient: Guest, server: Hostile, kind: str
) -> None:
    for field in FIELDS[kind]:
        for nonsense in NONSENSE:
            body = GOOD[kind] | {field: nonsense}
            server.says = always(as_json(body))
            seen_by(ASKS[kind], patient)


def seen_by(ask: Callable[[Guest], object], guest: Guest) -> object:
    """The answer, asserted to be encodable as UTF-8; None for a `GuestError`."""
    try:
        value = ask(guest)
    except GuestError as error:
        str(error).encode()
        return None
    repr(value).encode()
    return value


def test_an_answer_that_leaves_out_how_a_command_ended_is_no_success(
    patient: Guest, server: Hostile
) -> None:
    server.says = lambda request: as_json({})
    with pytest.raises(MalformedError, match="returncode: required, but missing"):
        patient.run(["gsettings", "get", "a", "b"])


def test_json_without_an_end_of_its_depth_is_refused(patient: Guest, server: Hostile) -> None:
    for depth in (200, 100_000):
        body = b'{"ready":' + b"[" * depth + b"]" * depth + b"}"
        server.says = always(answer(body))
        with pytest.raises(MalformedError, match="nested more than 100 deep"):
            patient.health()


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_number_that_is_none_is_refused(patient: Guest, server: Hostile, number: str) -> None:
    server.says = lambda request: answer(b'{"tree": %s}' % number.encode())
    with pytest.raises(MalformedError, match="not JSON"):
        patient.accessibility()


def test_a_name_that_is_no_unicode_arrives_as_text_that_can_be_written(
    patient: Guest, server: Hostile
) -> None:
    body = {"returncode": 0, "stdout": "\udcff.txt \ud800", "stderr": ""}
    server.says = lambda request: as_json(body)
    assert patient.run(["ls"]).stdout == "\\udcff.txt \\ud800"


def test_one_guest_that_answers_slowly_each_time_does_not_hold_a_setup_up(
    patient: Guest, server: Hostile, task: Task, tmp_path: Path
) -> None:
    def slowly(request: ReceivedRequest) -> Iterator[bytes]:
        server.over.wait(0.05)
        yield from as_json({"ready": True, "returncode": 0, "stdout": "/home/user", "stderr": ""})

    server.says = slowly
    with pytest.raises(TooSlowError, match=r"the setup of slow took longer than 0\.2 s"):
        set_stage(task, patient, within=0.2)
    with pytest.raises(TooSlowError, match="collecting the evidence of slow took longer than"):
        collect(task, patient, tmp_path / "evidence", None, within=0.2)


SLOW = f"""
instruction = "Wait."
tool_beneficial = false
setup = [{", ".join(['{ run = ["true"] }'] * 40)}]
collect = [{", ".join(f'{{ run = ["true"], to = "{number}" }}' for number in range(40))}]
check = [{{ use = "files.exists", with = {{ file = "0" }} }}]
"""


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return load_suite(write_suite(tmp_path / "suite", slow=SLOW), CATALOGUE).tasks[0]


MEMORY = """
import resource, sys
from ambidex.host.errors import GuestError
from ambidex.host.client.guest import Guest
from ambidex.host.client.limits import Patience
with Guest(sys.argv[1], "token", patience=Patience(answer=60, call=60)) as guest:
    guest.health()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(2):
        try:
            guest.screenshot()
        except GuestError as error:
            print(error)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_two_megabytes_that_inflate_to_two_gigabytes_take_no_memory(server: Hostile) -> None:
    packing = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packing.compress(bytes(1 << 20)) + packing.flush(zlib.Z_FULL_FLUSH)
    bomb = b"\x78\xda" + block * 2048
    assert 1 << 20 < len(bomb) < 3 << 20
    screen = framed(bomb)
    server.says = lambda request: (
        as_json(GOOD["health"]) if request.path == "/harness/health" else screen(request)
    )
    ran = subprocess.run(
        [sys.executable, "-c", MEMORY, server.endpoint],
        capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    *said, grown = ran.stdout.splitlines()
    assert ["inflates to more than 12288 bytes" in each for each in said] == [True, True]
    assert int(grown) < 64 << 10, "KiB beyond the answer itself"
