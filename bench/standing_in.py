"""The stand-in for a model, served to a benchmark."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import uvicorn

from ambidex.tasks import Task
from examples.stand_in import app

__all__ = ["stand_in"]


@contextmanager
def stand_in(tasks: Sequence[Task] | None = None) -> Iterator[str]:
    """Serve the stand-in for these tasks, by default the demo suite's; yields its address."""
    config = uvicorn.Config(app(tasks), port=0, log_level="warning", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    try:
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()
