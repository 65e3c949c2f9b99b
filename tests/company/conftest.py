"""The image with a firm. It takes minutes to build, so these tests are not among those of CI."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from ambidex.host.client.guest import Guest
from ambidex.host.runs.machines import MachineOptions, Source, open_machines
from ambidex.vm import Machine, MachineError
from tests.conftest import without

IMAGE = "debian-13-company"


@pytest.fixture(scope="session")
def machines(provider: str) -> Iterator[Source]:
    """Machines of the image."""
    with ExitStack() as stack:
        try:
            options = MachineOptions(provider=provider, image=IMAGE)
            source = stack.enter_context(open_machines(options, print))
        except (MachineError, ImportError) as error:
            without(f"no machine with a firm: {error} {getattr(error, 'hint', '')}")
        yield source


@pytest.fixture(scope="module")
def machine(machines: Source) -> Iterator[Machine]:
    """One machine with all services."""
    with closing(machines.make()) as machine:
        machine.revert("ready")
        yield machine


@pytest.fixture(scope="module")
def guest(machine: Machine) -> Iterator[Guest]:
    """Its guest."""
    with Guest(machine.endpoint, machine.token) as guest:
        guest.wait_ready()
        yield guest
