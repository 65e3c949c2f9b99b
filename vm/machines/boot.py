"""A boot that gets ready, or one that says how far it came."""

from __future__ import annotations

import time
from collections.abc import Callable

from ambidex.vm import MachineError
from ambidex.vm.machines.instance import Instance
from ambidex.vm.machines.machine import Running
from ambidex.vm.store import cache_folder
from ambidex.vm.wait import NotYetError, wait_for

__all__ = ["BOUNDS", "wait_until_quiet", "wait_until_ready"]

BOUNDS = {"kvm": 120.0, "qemu": 480.0}
"""Seconds a cold boot may take; emulation is about ten times slower."""

Stages = tuple[tuple[str, str], ...]

STAGES: Stages = (
    ("kernel", "Linux version"),
    ("system", "Welcome to"),
    ("desktop", "Graphical Interface"),
)
"""What the serial console shows, in order, before the guest itself can be asked."""

QUIET_LOAD, QUIET_FOR, QUIET_BOUND = 0.12, 3.0, 90.0
"""A desktop is quiet below this many busy processors, for so long; the bound in seconds."""

CONSOLE_LINES = 25
"""A kernel's panic is followed by a trace of a dozen."""


def stage_of(console: str, answering: bool, stages: Stages = STAGES) -> str:
    """The last stage a booting machine reached."""
    reached = "create"
    for stage, mark in stages:
        if mark in console:
            reached = stage
    return "guest" if answering else reached


def wait_until_ready(
    instance: Running,
    say: Callable[[str], None],
    *,
    bound: float,
    every: float = 0.25,
    stages: Stages = STAGES,
) -> None:
    """Return when the guest says it is ready; `MachineError` with stage, console and last frame
    otherwise.
    """
    shown = ""
    answering = False

    def probe() -> None:
        nonlocal shown, answering
        if not instance.running():
            raise failure("it ended during the boot")
        try:
            instance.door.health(timeout=10.0)
        except NotYetError as seen:
            answering = answering or str(seen).startswith("the guest answers")
            stage = stage_of(instance.console(), answering, stages)
            if stage != shown:
                shown = stage
                say(f"{instance.name}: {stage}")
            raise

    def failure(seen: str) -> MachineError:
        console = instance.console()
        stage = stage_of(console, answering, stages)
        last = "\n".join(console.splitlines()[-CONSOLE_LINES:])
        return MachineError(
            f"the machine did not get ready, it reached the stage {stage!r}: {seen}\n"
            f"last lines of its console:\n{last}",
            stage=stage,
            hint=_last_frame(instance),
        )

    wait_for(probe, bound=bound, every=every, fail=failure)


def _last_frame(instance: Running) -> str:
    if not instance.running():
        return "There is no last frame of it."
    try:
        picture = instance.picture()
    except MachineError:
        return "No last frame: the display did not answer."
    path = cache_folder() / "failures" / f"{instance.name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(picture)
    return f"Its last frame: {path}"


def wait_until_quiet(instance: Instance) -> None:
    """Return when the machine's processors have been idle for a while, or a bound has passed.

    A desktop goes on starting things after it is ready; a snapshot of a busy one is busy in every
    fork.
    """
    began = time.monotonic()
    quiet_since = began
    before, at = instance.domain.info()[4], began

    def probe() -> None:
        nonlocal quiet_since, before, at
        used, now = instance.domain.info()[4], time.monotonic()
        load = (used - before) / 1e9 / (now - at)
        before, at = used, now
        if load > QUIET_LOAD:
            quiet_since = now
        if now - quiet_since < QUIET_FOR and now - began < QUIET_BOUND:
            raise NotYetError(f"{load:.2f} processors busy")

    wait_for(probe, bound=2 * QUIET_BOUND, every=0.5, fail=MachineError)
