"""Verbs for looking at machines: those of a run from outside, one's own from a prompt."""

from __future__ import annotations

from code import interact
from contextlib import closing
from pathlib import Path
from uuid import uuid4

from rich.console import Console

from host import ToolCall, ToolResult
from host.guest import Guest
from host.machines import MachineOptions, open_machines
from host.watch import now_running

__all__ = ["shell", "watch"]


def watch(run: Path) -> int:
    """Say where the desktops of a run can be watched just now: VNC address and password of each
    trial."""
    shown = list(now_running(run))
    for trial, seen in shown:
        print(f"{trial}: VNC at {seen.vnc}, password {seen.password or '(none)'}")
    if not shown:
        print(f"no trial is under way in {run}")
    return 0


def shell(*, machines: MachineOptions = MachineOptions()) -> int:  # noqa: B008 - a frozen value
    """A Python prompt with a booted `machine` and its `guest`; both are gone when it ends."""
    said = Console(stderr=True)
    with open_machines(machines, said.print) as source, closing(source.make()) as machine:
        machine.boot()
        with Guest(machine.endpoint, machine.token) as guest:
            address, password = machine.vnc
            banner = (
                f"machine, guest, call(tool, **arguments); VNC at {address}, password {password}"
            )

            def call(tool: str, **arguments: object) -> ToolResult:
                return guest.call(ToolCall(uuid4().hex, tool, arguments))

            interact(banner, local={"machine": machine, "guest": guest, "call": call}, exitmsg="")
    return 0
