"""A peer that stands in for a guest, and a client of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ambidex.host.client.guest import Guest
from tests.support.peer import TOKEN, Desktop, peer


@pytest.fixture(scope="module")
def running() -> Iterator[tuple[str, Desktop]]:
    with peer() as both:
        yield both


@pytest.fixture
def guest(running: tuple[str, Desktop]) -> Iterator[Guest]:
    with Guest(running[0], TOKEN) as guest:
        yield guest
