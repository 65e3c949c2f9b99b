"""Attacks on the few answers that a machine itself reads from its guest."""

from __future__ import annotations

import pytest

from ambidex.vm import MachineError
from ambidex.vm.machines.door import Door
from ambidex.vm.wait import NotYetError
from tests.attack.hostile import NONSENSE, Hostile, answer, as_json, drip, endless


def test_a_body_that_drips_is_given_up(server: Hostile) -> None:
    server.says = lambda request: drip(answer(b"{}" + b" " * 4096), server.over)
    with pytest.raises(NotYetError, match=r"incomplete after 0\.2 s"):
        Door(server.endpoint, "token").health(timeout=0.2)


def test_headers_that_drip_are_given_up(server: Hostile) -> None:
    line = b"HTTP/1.1 200 OK\r\nx: " + b"y" * 60_000  # drips for twenty minutes
    server.says = lambda request: drip([line], server.over)
    with pytest.raises(NotYetError, match=r"incomplete after 0\.2 s"):
        Door(server.endpoint, "token").health(timeout=0.2)


def test_an_endless_body_is_cut(server: Hostile) -> None:
    server.says = lambda request: endless(server.over)
    with pytest.raises(NotYetError, match="more than "):
        Door(server.endpoint, "token").health(timeout=20)


@pytest.mark.parametrize("body", [b"", b"no JSON", b"\xff", b"[" * 100_000, b"[]", b"7"])
def test_what_is_no_object_is_not_taken_for_a_report(server: Hostile, body: bytes) -> None:
    server.says = lambda request: answer(body)
    with pytest.raises(NotYetError, match="the guest's answer is no"):
        Door(server.endpoint, "token").health()
    with pytest.raises(MachineError, match="the guest's answer is no"):
        Door(server.endpoint, "token").output_of(["true"])


@pytest.mark.parametrize("nonsense", NONSENSE)
def test_a_program_that_ended_in_no_known_way_has_failed(server: Hostile, nonsense: object) -> None:
    if nonsense not in (0, False):
        server.says = lambda request: as_json({"returncode": nonsense, "stderr": nonsense})
        with pytest.raises(MachineError, match="in the machine, true failed"):
            Door(server.endpoint, "token").output_of(["true"])
