"""A local moto server."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["moto", "reset", "state"]

STARTS_WITHIN = 60.0
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@contextmanager
def moto(log: Path) -> Iterator[str]:
    """A server on a free port of this machine for the length of a block; yields its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with (
        log.open("wb") as output,
        subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT) as process,
    ):
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_until_it_answers(address, process, log)
            yield address
        finally:
            process.kill()


def _wait_until_it_answers(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + STARTS_WITHIN
    while True:
        try:
            state(address)
        except urllib.error.URLError as error:
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"moto did not start: {error}; its output is in {log}") from None
            time.sleep(0.05)
        else:
            return


def state(address: str) -> str:
    """Everything that the server holds, as its dashboard shows it: JSON text. Empty if the server
    fails to show it, as it does with some objects."""
    try:
        with DIRECT.open(f"{address}/moto-api/data.json", timeout=120) as answer:
            content: bytes = answer.read()
    except urllib.error.HTTPError:
        return ""
    return content.decode()


def reset(address: str) -> None:
    """Empty the server."""
    request = urllib.request.Request(f"{address}/moto-api/reset", b"", method="POST")
    with DIRECT.open(request, timeout=120):
        pass
