"""Machines with services and no desktop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from ambidex.host.client.guest import Guest
from ambidex.host.runs.machines import MachineOptions, Source, open_machines
from ambidex.vm import Machine, MachineError
from tests.conftest import without
from tests.support.proofs import IMAGE

NEEDS = ("database",)


@pytest.fixture(scope="session")
def machines(provider: str) -> Iterator[Source]:
    """Machines of the image with services."""
    with ExitStack() as stack:
        try:
            options = MachineOptions(provider=provider, image=IMAGE)
            source = stack.enter_context(open_machines(options, print))
        except (MachineError, ImportError) as error:
            without(f"no machine: {error} {getattr(error, 'hint', '')}")
        yield source


@pytest.fixture(scope="module")
def machine(machines: Source) -> Iterator[Machine]:
    """One machine for a module, with the database."""
    with closing(machines.make()) as machine:
        machine.revert("ready", NEEDS)
        yield machine


@pytest.fixture
def fresh_guest(machine: Machine) -> Iterator[Guest]:
    """The guest of the module's machine after a revert."""
    machine.revert("ready", NEEDS)
    with Guest(machine.endpoint, machine.token) as guest:
        guest.wait_ready()
        yield guest
