"""The image's services: whether each is ready, and its state as evidence.

`/usr/share/ambidex/services.json` declares them (`vm.building.services`).
"""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from ambidex.mcp_tools.service.addresses import DECLARED

__all__ = ["STARTED", "Service", "is_ready", "running_services"]

STARTED = Path("/run/ambidex-services.json")
"""The names of those that run, where not all do."""
ANSWERS_WITHIN = 5.0
"""Seconds for a probe."""


@dataclass(frozen=True)
class Service:
    """One service, as declared."""

    name: str
    title: str
    account: str
    ready: dict[str, Any]
    """How to see that it is ready: `http`, `tcp` or `run`."""
    page: str
    export: list[str]
    """The program that prints its state; empty if it has none."""
    questions: str = ""
    """The folder of its questions to a model of the host's; empty if it asks none."""


def running_services(declared: Path = DECLARED, started: Path = STARTED) -> dict[str, Service]:
    """The services that should run here, by name; none if the image declares none."""
    if not declared.exists():
        return {}
    names: Optional[list[str]] = json.loads(started.read_text()) if started.exists() else None
    fields = Service.__dataclass_fields__
    services = [
        Service(**{name: value for name, value in one.items() if name in fields})
        for one in json.loads(declared.read_text())
    ]
    return {one.name: one for one in services if names is None or one.name in names}


async def is_ready(service: Service) -> str:
    """Probe a service: an empty text if it is ready, else what is missing."""
    probe = service.ready
    try:
        if probe.get("http"):
            return await asyncio.to_thread(_get, probe["http"])
        if probe.get("tcp"):
            opening = asyncio.open_connection("127.0.0.1", probe["tcp"])
            _, writer = await asyncio.wait_for(opening, ANSWERS_WITHIN)
            writer.close()
            return ""
        process = await asyncio.create_subprocess_exec(
            *probe["run"], stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
        )
        try:
            status = await asyncio.wait_for(process.wait(), ANSWERS_WITHIN)
        except asyncio.TimeoutError:
            process.kill()
            return "its probe does not end"
        return f"its probe ended with status {status}" if status else ""
    except (OSError, asyncio.TimeoutError) as error:
        return f"no connection: {error or 'timed out'}"


def _get(address: str) -> str:
    try:
        with urllib.request.urlopen(address, timeout=ANSWERS_WITHIN):
            return ""
    except urllib.error.HTTPError as error:
        return "" if error.code < 500 else f"{address} answers with status {error.code}"
    except (OSError, ValueError) as error:
        return f"{address} does not answer: {error}"
