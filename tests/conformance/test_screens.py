"""The control room's access to a machine's screen, on each provider."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path

import av
import httpx
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from ambidex.host import Limits
from ambidex.host.cli.machines import vnc
from ambidex.host.records.announcement import announced
from ambidex.host.records.config import RunConfig, adopt
from ambidex.host.room.serve import opened
from ambidex.vm import Machine
from ambidex.vm.wait import NotYetError, wait_for
from tests.support.viewer import screen_of, viewer

RUN, TRIAL = "run", "watched.1"


def brightness(picture: bytes) -> NDArray[np.uint8]:
    """The brightness of a picture's pixels: shape (height, width)."""
    with Image.open(io.BytesIO(picture)) as image:
        return np.asarray(image.convert("L"))


def reduce(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(Image.fromarray(picture).resize((480, 270)))


@pytest.fixture
def room(machine: Machine, tmp_path: Path) -> Iterator[httpx.Client]:
    """A control room that watches a trial on the machine."""
    run = tmp_path / RUN
    (run / TRIAL).mkdir(parents=True)
    config = RunConfig(
        version="test",
        suite="nowhere",
        tasks={"watched": ""},
        agents=("says_done",),
        condition="gui",
        runs=1,
        limits=Limits(),
    )
    adopt(run, config)
    with (
        announced(run / TRIAL, machine.vnc),
        opened([run]) as address,
        httpx.Client(follow_redirects=True, timeout=30) as client,
    ):
        client.get(address())
        client.base_url = httpx.URL(address().partition("?")[0])
        yield client


def test_the_room_serves_a_thumbnail_of_the_screen(room: httpx.Client, machine: Machine) -> None:
    def fetch() -> bytes:
        answer = room.get(f"/live/{RUN}/{TRIAL}")
        if answer.status_code != 200:
            raise NotYetError(answer.text)
        return answer.content

    thumbnail = brightness(wait_for(fetch, bound=30, every=0.1, fail=AssertionError))
    screen = brightness(machine.picture())
    assert thumbnail.shape == (270, 480)
    ours, theirs = (picture[::30, ::30] // 64 for picture in (thumbnail, reduce(screen)))
    assert (ours == theirs).mean() > 0.8


def test_a_viewer_reaches_the_screen_through_the_bridge_with_its_password(
    room: httpx.Client, machine: Machine
) -> None:
    answer = room.get(f"/api/trials/{RUN}/{TRIAL}/screen").json()
    assert answer["password"] == screen_of(machine)[1]
    address = f"{room.base_url}vnc/{RUN}/{TRIAL}?viewer=v{os.getpid()}"
    with viewer(address, dict(room.cookies), answer["password"]) as (_, size):
        assert size == brightness(machine.picture()).shape[::-1]


def test_the_vnc_command_saves_a_picture_and_a_film(
    room: httpx.Client,
    machine: Machine,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert vnc(tmp_path / RUN, png=tmp_path / "now.png", mp4=tmp_path / "now.mp4", seconds=2) == 0
    assert f"{TRIAL}: VNC at 127.0.0.1:" in capsys.readouterr().out
    expected = brightness(machine.picture()).shape
    assert brightness((tmp_path / "now.png").read_bytes()).shape == expected
    with av.open(str(tmp_path / "now.mp4")) as film:
        assert sum(1 for _ in film.decode(video=0)) == 20
