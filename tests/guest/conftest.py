from __future__ import annotations

import asyncio
import contextlib
import os
import pwd
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from guest.workers import Account, Worker

SMALL = (sys.executable, str(Path(__file__).with_name("small_worker.py")))

Started = Callable[[str], AbstractAsyncContextManager[Worker]]


@pytest.fixture
def started() -> Started:
    """A worker that runs for the length of a block, as ourselves."""

    @contextlib.asynccontextmanager
    async def start(name: str = "small") -> AsyncIterator[Worker]:
        account = Account.named(pwd.getpwuid(os.getuid()).pw_name)
        worker = Worker(name, account, command=SMALL)
        task = asyncio.create_task(worker.run())
        try:
            yield worker
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    return start
