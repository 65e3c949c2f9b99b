"""The health report's part about services."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import cast

import pytest

from ambidex.guest.freezing import Freezer
from ambidex.guest.processes import Processes
from ambidex.guest.services import Service
from ambidex.guest.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Two services. Each is ready while a file of its name exists, and logs its probes."""

    def service(name: str) -> Service:
        probe = f'echo >>"{tmp_path}/{name}.log"; test -e "{tmp_path}/{name}"'
        return Service(name, name, "root", {"run": ["sh", "-c", probe]}, "", [])

    services = {name: service(name) for name in ("database", "forge")}
    return World(services, cast(Processes, None), cast(Freezer, None))


def ask(world: World) -> dict[str, bool]:
    checks = asyncio.run(world.checks())
    return {name.removeprefix("service "): check["ok"] for name, check in checks.items()}


def test_a_service_that_is_ready_is_asked_again_when_the_last_one_is(
    world: World, tmp_path: Path
) -> None:
    def probes(name: str) -> int:
        return len((tmp_path / f"{name}.log").read_text())

    (tmp_path / "database").touch()
    for _ in range(3):
        assert ask(world) == {"database": True, "forge": False}
    assert (probes("database"), probes("forge")) == (1, 3)
    (tmp_path / "forge").touch()
    assert ask(world) == {"database": True, "forge": True}
    assert probes("database") == 2
    for _ in range(2):
        ask(world)
    assert probes("database") == 4


def test_a_service_that_ended_before_the_last_one_was_ready_is_missed(
    world: World, tmp_path: Path
) -> None:
    (tmp_path / "database").touch()
    ask(world)
    (tmp_path / "database").unlink()
    (tmp_path / "forge").touch()
    assert ask(world) == {"database": False, "forge": True}
    (tmp_path / "database").touch()
    assert ask(world) == {"database": True, "forge": True}
