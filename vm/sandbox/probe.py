"""Finds out whether this machine can run sandboxes, by setting one up."""

from __future__ import annotations

import secrets
import subprocess
import sys

from ambidex.vm.machines.owner import PROJECT
from ambidex.vm.sandbox.enter import Plan
from ambidex.vm.sandbox.limits import ControlGroups

__all__ = ["find_problem", "limited_resources"]

TIMEOUT = 20.0
"""Seconds."""


def find_problem() -> str:
    """Why a sandbox cannot be set up here; empty if it can."""
    folder = str(PROJECT)
    plan = Plan([folder], folder, disk=1 << 20, owner=0, groups=[], bubblewrap=["true"])
    enter = [sys.executable, "-S", "-m", "ambidex.vm.sandbox.enter", "ambidex-probe"]
    process = subprocess.run(
        enter,
        input=plan.to_json(),
        cwd=PROJECT.parent,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    if process.returncode == 0:
        return ""
    return process.stderr.strip() or f"exit {process.returncode}"


def limited_resources() -> set[str]:
    """The resources that control groups can limit here: `memory`, `pids`."""
    groups = ControlGroups(f"ambidex-{secrets.token_hex(6)}")
    try:
        return groups.limited
    finally:
        groups.close()
