"""Whether this machine can have sandboxes, found out by setting one up."""

from __future__ import annotations

import secrets
import subprocess
import sys

from ambidex.vm.machines.owner import PROJECT
from ambidex.vm.sandbox.enter import Plan
from ambidex.vm.sandbox.limits import Groups

__all__ = ["bounds", "refusal"]

WITHIN = 20.0


def refusal() -> str:
    """Why what a sandbox stands on cannot be had here; empty where it can."""
    folder = str(PROJECT)
    plan = Plan([folder], folder, disk=1 << 20, owner=0, groups=[], bubblewrap=["true"])
    enter = [sys.executable, "-S", "-m", "ambidex.vm.sandbox.enter", "ambidex-probe"]
    tried = subprocess.run(
        enter,
        input=plan.written(),
        cwd=PROJECT.parent,
        capture_output=True,
        text=True,
        timeout=WITHIN,
    )
    return "" if tried.returncode == 0 else (tried.stderr.strip() or f"exit {tried.returncode}")


def bounds() -> set[str]:
    """What control groups of ours would bound: memory, pids."""
    groups = Groups(f"ambidex-{secrets.token_hex(6)}")
    try:
        return groups.bounded
    finally:
        groups.close()
