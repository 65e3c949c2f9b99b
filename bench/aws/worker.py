"""The guest's worker `service` on this computer, where moto answers at an address of the bench."""

from __future__ import annotations

import os
from pathlib import Path

from ambidex.guest import worker
from ambidex.mcp_tools.service import addresses

__all__ = ["SERVICES", "main"]

SERVICES = "BENCH_SERVICES"
"""The variable with the path of the services' declarations."""


def main(name: str, fd: int) -> None:
    """Run the worker."""
    addresses.DECLARED = Path(os.environ[SERVICES])
    worker.main(name, fd)
