"""The guest's worker `service` on this computer, with moto at an address of a test."""

from __future__ import annotations

import asyncio
import os
import pwd
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ambidex.guest import HEADLESS, worker
from ambidex.guest.account import Account
from ambidex.guest.processes import Processes
from ambidex.guest.workers import Worker, WorkerError, WorkerRefusalError
from ambidex.mcp_tools.service import addresses

__all__ = ["ServiceWorker", "main"]

DECLARED = "TEST_SERVICES"
"""The variable with the path of the services' declarations."""
WITHIN = 120.0


class ServiceWorker:
    """A worker, and the calls that are sent to it one after another."""

    def __init__(self, declared: Path) -> None:
        account = Account.named(pwd.getpwuid(os.getuid()).pw_name)
        self._processes = Processes(account, module="tests.support.service_worker")
        self._worker = Worker("service", self._processes)
        self._worker.session = {HEADLESS: "1", DECLARED: str(declared), **account.runtime}

    async def start(self) -> None:
        """Start it."""
        self._task = asyncio.create_task(self._worker.run())
        await self._worker.wait_until_up(WITHIN)

    async def end(self) -> None:
        """End it."""
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        await self._processes.close()

    @property
    def pid(self) -> int:
        """Its process."""
        return self._worker.pid or 0

    async def call(self, record: Mapping[str, Any]) -> tuple[str, str]:
        """Carry out a call of `service_call`: `result`, or the code and text of its error."""
        try:
            await self._worker.ask("service_call", dict(record), WITHIN)
        except WorkerRefusalError as refusal:
            return refusal.error["code"], refusal.error["message"]
        except WorkerError as lost:
            return lost.code, str(lost)
        return "result", ""


def main(name: str, fd: int) -> None:
    """Run the worker."""
    addresses.DECLARED = Path(os.environ[DECLARED])
    worker.main(name, fd)
