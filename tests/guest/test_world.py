"""The services of a guest: their part in the health report, and their questions to a model."""

from __future__ import annotations

import asyncio
import json
import os
import pwd
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from starlette.applications import Starlette

from ambidex.guest import HarnessError
from ambidex.guest.account import Account
from ambidex.guest.freezing import Freezer
from ambidex.guest.harness import on_error
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


def test_questions_of_a_service_are_read_and_answered_as_its_account(tmp_path: Path) -> None:
    user, folder = pwd.getpwuid(os.getuid()).pw_name, tmp_path / "questions"
    asks = Service("colleagues", "", user, {}, "", [], str(folder))
    silent = Service("chat", "", user, {}, "", [])

    async def scene() -> None:
        processes = Processes(Account.named(user))
        world = World({"colleagues": asks, "chat": silent}, processes, cast(Freezer, None))
        app = Starlette(routes=world.routes(), exception_handlers={HarnessError: on_error})
        transport = httpx.ASGITransport(app=app)

        async def ask(*answers: dict[str, str], wait: float = 0) -> httpx.Response:
            body: Any = {"answers": answers, "wait": wait}
            return await http.post("/harness/questions", json=body)

        async with httpx.AsyncClient(transport=transport, base_url="http://guest") as http:
            assert (await ask()).json() == {"services": ["colleagues"], "questions": []}
            (folder / "one.json").write_text(json.dumps({"text": "When?"}))
            question = {"service": "colleagues", "id": "one", "with": {"text": "When?"}}
            assert (await ask(wait=30)).json()["questions"] == [question], "at once"
            answer = {"service": "colleagues", "id": "one", "text": "Grüße, at four"}
            assert (await ask(answer)).json()["questions"] == [], "it is answered"
            assert (folder / "one.txt").read_text(encoding="utf-8") == "Grüße, at four"
            for wrong in ({**answer, "id": "two"}, {**answer, "service": "chat"}):
                assert (await ask(wrong)).status_code == 400
        await processes.close()

    asyncio.run(scene())
