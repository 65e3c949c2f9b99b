from __future__ import annotations

import asyncio
import contextlib
import os
import pwd
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager

import pytest

from ambidex.guest.account import Account
from ambidex.guest.processes import Processes
from ambidex.guest.workers import Worker

StartWorker = Callable[[str], AbstractAsyncContextManager[Worker]]


@pytest.fixture
def start_worker() -> StartWorker:
    """Starts a worker for the length of a block, with our own user id."""

    @contextlib.asynccontextmanager
    async def start(name: str = "small") -> AsyncIterator[Worker]:
        account = Account.named(pwd.getpwuid(os.getuid()).pw_name)
        processes = Processes(account, module="tests.guest.small_worker")
        worker = Worker(name, processes)
        task = asyncio.create_task(worker.run())
        try:
            yield worker
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            await processes.close()

    return start
