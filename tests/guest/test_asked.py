"""Services ask a model of the host's."""

from __future__ import annotations

import asyncio
import json
import os
import pwd
from pathlib import Path
from typing import Any

import httpx
from starlette.applications import Starlette

from ambidex.guest import HarnessError
from ambidex.guest.account import Account
from ambidex.guest.asked import Asked
from ambidex.guest.harness import on_error
from ambidex.guest.processes import Processes
from ambidex.guest.services import Service


def test_questions_of_a_service_are_read_and_answered_as_its_account(tmp_path: Path) -> None:
    user, folder = pwd.getpwuid(os.getuid()).pw_name, tmp_path / "questions"
    asks = Service("colleagues", "", user, {}, "", [], str(folder))
    silent = Service("chat", "", user, {}, "", [])

    async def scene() -> None:
        processes = Processes(Account.named(user))
        asked = Asked({"colleagues": asks, "chat": silent}, processes)
        app = Starlette(routes=asked.routes(), exception_handlers={HarnessError: on_error})
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
