"""Waiting for a machine to become ready; a timeout reports the boot stage it reached."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import fmean

from ambidex.vm import MachineError
from ambidex.vm.machines.instance import Instance
from ambidex.vm.machines.machine import Running
from ambidex.vm.store import cache_folder
from ambidex.vm.wait import NotYetError, wait_for

__all__ = ["BOUNDS", "wait_until_quiet", "wait_until_ready"]

BOUNDS = {"kvm": 120.0, "qemu": 900.0}
"""Seconds a cold boot may take. Emulation is about ten times slower: on a slow computer a desktop
took five minutes with nothing beside it, and more than eight with tests beside it."""

Stages = tuple[tuple[str, str], ...]

STAGES: Stages = (
    ("kernel", "Linux version"),
    ("system", "Welcome to"),
    ("desktop", "Graphical Interface"),
)
"""Boot stages and the text that marks each on the serial console, in order.

The console is read until the guest itself can be asked.
"""

SAMPLE = 0.5
"""Seconds between two measurements of a machine's load."""
QUIET_LOAD, QUIET_FOR = 0.12, 3.0
"""A machine is quiet with fewer than `QUIET_LOAD` busy processors for `QUIET_FOR` seconds."""
STEADY_LOAD, STEADY_FOR, STEADY_SHARE = 0.5, 10.0, 0.8
"""So is one with fewer than `STEADY_LOAD` busy processors whose load no longer changes: of its
means in the last `STEADY_FOR` seconds and in as many before, the smaller is at least `STEADY_SHARE`
of the larger. Servers that poll keep an emulated processor above `QUIET_LOAD`."""
QUIET_BOUND = 90.0
"""Seconds after which waiting for a quiet machine ends."""

CONSOLE_LINES = 25
"""Lines of the console in an error message: a kernel panic is followed by a trace of a dozen."""


def stage_of(console: str, answering: bool, stages: Stages = STAGES) -> str:
    """The last stage that a booting machine has reached."""
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
    """Wait until the guest reports that it is ready.

    `MachineError` after `bound` seconds, or if the machine ends or its desktop session fails; with
    the stage it reached, the end of its console and the path of its last frame.
    """
    shown = ""
    answering = False

    def probe() -> None:
        nonlocal shown, answering
        if not instance.running():
            raise failure("it ended during the boot")
        try:
            instance.door.health(timeout=10.0)
        except NotYetError as error:
            answering = answering or str(error).startswith("the guest answers")
            stage = stage_of(instance.console(), answering, stages)
            if stage != shown:
                shown = stage
                say(f"{instance.name}: {stage}")
            raise
        except MachineError as error:
            answering = True
            raise failure(str(error)) from None

    def failure(reason: str) -> MachineError:
        console = instance.console()
        stage = stage_of(console, answering, stages)
        last = "\n".join(console.splitlines()[-CONSOLE_LINES:])
        return MachineError(
            f"the machine did not become ready; it reached the stage {stage!r}: {reason}\n"
            f"last lines of its console:\n{last}",
            stage=stage,
            hint=_last_frame(instance),
        )

    wait_for(probe, bound=bound, every=every, fail=failure)


def _last_frame(instance: Running) -> str:
    if not instance.running():
        return "No last frame: the machine has ended."
    try:
        picture = instance.picture()
    except MachineError:
        return "No last frame: the display did not answer."
    path = cache_folder() / "failures" / f"{instance.name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(picture)
    return f"Last frame: {path}"


def is_quiet(loads: Sequence[float]) -> bool:
    """Whether a machine has finished starting. `loads` are its busy processors, measured every
    `SAMPLE` seconds, the latest last."""
    short, long = round(QUIET_FOR / SAMPLE), round(STEADY_FOR / SAMPLE)
    if len(loads) >= short and max(loads[-short:]) <= QUIET_LOAD:
        return True
    if len(loads) < 2 * long:
        return False
    latest, earlier = fmean(loads[-long:]), fmean(loads[-2 * long : -long])
    steady = min(latest, earlier) >= STEADY_SHARE * max(latest, earlier)
    return steady and latest <= STEADY_LOAD


def wait_until_quiet(instance: Instance) -> None:
    """Wait until the machine has finished starting, or a bound has passed.

    A desktop keeps starting services after it is ready; every fork of a snapshot of a busy machine
    would be busy too.
    """
    loads: list[float] = []
    before, at = instance.domain.info()[4], time.monotonic()
    end = at + QUIET_BOUND
    while not is_quiet(loads) and at < end:
        time.sleep(SAMPLE)
        used, now = instance.domain.info()[4], time.monotonic()
        loads.append((used - before) / 1e9 / (now - at))
        before, at = used, now
