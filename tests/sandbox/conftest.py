"""Machines of the image of services, without a desktop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from ambidex.host.errors import MachineError
from ambidex.host.runs.machines import MachineOptions, Source, open_machines
from tests.conftest import without

SERVICES_IMAGE = "debian-13-services"


@pytest.fixture(scope="session")
def machines_with_services(provider: str) -> Iterator[Source]:
    """Machines with the image's services, for the whole session."""
    with ExitStack() as stack:
        options = MachineOptions(provider=provider, image=SERVICES_IMAGE)
        try:
            source = stack.enter_context(open_machines(options, print))
        except (MachineError, ImportError) as error:
            without(f"no machine: {error} {getattr(error, 'hint', '')}")
        yield source
