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

StartWorker = Callable[..., AbstractAsyncContextManager[Worker]]


@pytest.fixture
def start_worker() -> StartWorker:
    """Starts a worker for the length of a block, with our own user id, and the fork server that it
    comes from, unless it shares the one of another worker."""

    @contextlib.asynccontextmanager
    async def start(name: str = "small", shared: Processes | None = None) -> AsyncIterator[Worker]:
        account = Account.named(pwd.getpwuid(os.getuid()).pw_name)
        processes = shared or Processes(account, module="tests.guest.small_worker")
        worker = Worker(name, processes)
        task = asyncio.create_task(worker.run())
        try:
            yield worker
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            if shared is None:
                await processes.close()

    return start
