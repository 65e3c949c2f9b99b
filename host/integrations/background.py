"""A web application served in the background."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from ambidex.host.errors import UsageError
from ambidex.host.room.serving import LOOPBACK, Server, listening

if TYPE_CHECKING:
    from starlette.types import ASGIApp

__all__ = ["serving", "written_privately"]


@contextmanager
def serving(app: ASGIApp, what: str, port: int = 0) -> Iterator[str]:
    """Serve on this computer while the block runs, and give the URL; port 0 chooses a free one."""
    import uvicorn  # heavy

    config = uvicorn.Config(app, log_level="warning", lifespan="auto", timeout_graceful_shutdown=1)
    server = Server(config)
    with listening(LOOPBACK, port, what) as listener:
        thread = Thread(target=lambda: asyncio.run(server.serve([listener])), daemon=True)
        thread.start()
        try:
            yield f"http://{LOOPBACK}:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def written_privately(path: Path, content: Any) -> Iterator[None]:
    """The content as JSON in a new file that only its owner can read, while the block runs."""
    text = json.dumps(content, indent=2) + "\n"
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise UsageError(
            f"{path} exists already", hint="Name a new file, or delete that one."
        ) from None
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
