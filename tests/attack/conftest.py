"""A hostile guest and two clients of it, and a box to judge in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ambidex.host.box.client import Box
from ambidex.host.box.client import box as box_of_process
from ambidex.host.client.guest import Guest
from ambidex.host.client.limits import Patience
from tests.attack.hostile import Hostile, hostile


@pytest.fixture
def server() -> Iterator[Hostile]:
    with hostile() as server:
        yield server


@pytest.fixture
def patient(server: Hostile) -> Iterator[Guest]:
    """A client with long timeouts, for answers that must be refused by their size."""
    with Guest(server.endpoint, "token", patience=Patience(answer=20, call=20, back=1)) as guest:
        yield guest


@pytest.fixture
def impatient(server: Hostile) -> Iterator[Guest]:
    """A client with short timeouts, for answers that must be refused by their duration."""
    with Guest(
        server.endpoint, "token", patience=Patience(answer=0.3, call=0.3, back=0.1)
    ) as guest:
        yield guest


@pytest.fixture
def box() -> Box:
    """The box of this process: another one would load all libraries again."""
    return box_of_process()
