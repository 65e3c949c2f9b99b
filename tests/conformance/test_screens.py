"""The screen of a machine as the control room has it, whatever the provider."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path

import av
import httpx
import pytest
from PIL import Image

from host import Limits
from host.config import RunConfig, adopt
from host.look import vnc
from host.room.serve import opened
from host.watch import announced
from tests.viewer import viewer
from vm import Machine
from vm.wait import NotYet, wait_for

RUN, TRIAL = "run", "looked-at.1"


@pytest.fixture
def room(machine: Machine, tmp_path: Path) -> Iterator[httpx.Client]:
    """A control room that is told that a trial is under way on the machine."""
    run = tmp_path / RUN
    (run / TRIAL).mkdir(parents=True)
    config = RunConfig(
        version="test",
        suite="nowhere",
        tasks={"looked-at": ""},
        agents=("noop",),
        condition="gui",
        runs=1,
        limits=Limits(),
    )
    adopt(run, config)
    with (
        announced(run / TRIAL, machine),
        opened([run]) as address,
        httpx.Client(follow_redirects=True, timeout=30) as client,
    ):
        client.get(address)
        client.base_url = httpx.URL(address.partition("?")[0])
        yield client


def test_a_small_picture_of_it_is_there(room: httpx.Client, machine: Machine) -> None:
    def seen() -> bytes:
        answer = room.get(f"/live/{RUN}/{TRIAL}")
        if answer.status_code != 200:
            raise NotYet(answer.text)
        return answer.content

    small = Image.open(io.BytesIO(wait_for(seen, bound=30, every=0.1, fail=AssertionError)))
    whole = Image.open(io.BytesIO(machine.picture()))
    assert small.size == (480, 270)
    assert whole.size == (1920, 1080)
    ours = small.convert("L").resize((16, 9)).getdata()
    theirs = whole.convert("L").resize((16, 9)).getdata()
    assert max(abs(a - b) for a, b in zip(ours, theirs, strict=True)) < 40


def test_it_comes_through_the_bridge_with_its_password(
    room: httpx.Client, machine: Machine
) -> None:
    said = room.get(f"/api/trials/{RUN}/{TRIAL}/screen").json()
    assert said["password"] == machine.vnc[1]
    address = f"{room.base_url}vnc/{RUN}/{TRIAL}?viewer=v{os.getpid()}"
    with viewer(address, dict(room.cookies), said["password"]) as (_, size):
        assert size == (1920, 1080)


def test_it_is_filmed_from_outside(
    room: httpx.Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert vnc(tmp_path / RUN, png=tmp_path / "now.png", mp4=tmp_path / "now.mp4", seconds=2) == 0
    assert f"{TRIAL}: VNC at 127.0.0.1:" in capsys.readouterr().out
    assert Image.open(tmp_path / "now.png").size == (1920, 1080)
    with av.open(str(tmp_path / "now.mp4")) as film:
        assert sum(1 for _ in film.decode(video=0)) == 20
