"""The commands that look at machines: watch, vnc and shell."""

from __future__ import annotations

import time
from code import interact
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Any
from uuid import uuid4

from cyclopts import Parameter
from cyclopts.validators import Number
from PIL import Image

from ambidex.evaluators.bounded import open_picture
from ambidex.host import ToolCall, ToolResult
from ambidex.host.client.guest import Guest
from ambidex.host.errors import BusyError, UsageError
from ambidex.host.records.announcement import ScreenAddress, running_trials
from ambidex.host.room.wall import Wall
from ambidex.host.runs.machines import MachineOptions, open_machines
from ambidex.host.terminal import Terminal, echo

__all__ = ["shell", "vnc", "watch", "watched"]

PORT = 8765
ROOM = "The control room is at"
PLAIN: Any = {"soft_wrap": True, "highlight": False, "markup": False}


def watch(
    *runs: Path,
    host: str = "127.0.0.1",
    port: Annotated[int, Parameter(validator=Number(gte=0, lte=65535))] = PORT,
    name: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    open: Annotated[bool, Parameter(negative="")] = False,
    tui: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Serve the control room: watch trials, pause them, take over, and replay them. It can be
    started and stopped at any time, during a run or after it.

    Parameters
    ----------
    runs
        Directories of runs, or directories that contain runs; by default runs/.
    host
        The address to listen on. On any other than the default, whoever opens a printed address
        first can control the run.
    port
        The port to listen on; 0 chooses a free one.
    name
        Another host name (and port) by which browsers reach it, such as that of a proxy.
    open
        Open the page in a browser.
    tui
        Show the control room in this terminal instead of a browser.
    """
    folders = runs or (Path("runs"),)
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"not a directory: {folder}")
    if tui:
        from ambidex.host.room.tui import Terminal  # heavy

        Terminal(Wall(folders)).run()
        return 0
    from ambidex.host.room.serve import serve  # heavy: a web server, and a VNC client

    serve(folders, host, port, _tell_room, open, name)
    return 0


@contextmanager
def watched(folder: Path) -> Iterator[None]:
    """Serve a control room for the run in that directory while the block runs."""
    from ambidex.host.room.serve import opened  # heavy: a web server, and a VNC client

    with opened([folder], announce=_tell_room) as address:
        _tell_room(address())
        yield


def _tell_room(address: str) -> None:
    Terminal(stderr=True).print(f"{ROOM} {address}", **PLAIN)


def vnc(
    run: Path,
    *,
    trial: str = "",
    png: Path | None = None,
    mp4: Path | None = None,
    seconds: Annotated[int, Parameter(validator=Number(gte=1))] = 30,
) -> int:
    """Print the VNC address and password of each running trial. Works even if the guest does not
    respond.

    Parameters
    ----------
    run
        Directory of a run in progress.
    trial
        Only this trial: TASK.NUMBER.
    png
        Write a screenshot.
    mp4
        Write a video of the screen, one frame per second.
    seconds
        The length of the video.
    """
    if not run.is_dir():
        raise UsageError(f"not a run directory: {run}")
    trials = [(name, seen) for name, seen in running_trials(run) if trial in ("", name)]
    if (png or mp4) and len(trials) != 1:
        running = ", ".join(name for name, _ in trials) or "none"
        raise UsageError("name one trial with --trial", hint=f"Running: {running}.")
    for name, seen in trials:
        if seen.vnc:
            echo(f"{name}: VNC at {seen.vnc}, password {seen.password or '(none)'}")
        else:
            echo(f"{name}: no screen")
        if png:
            png.write_bytes(_picture(seen))
        if mp4:
            from ambidex.host.room.video import write_shots  # heavy: it encodes

            write_shots(_shots(seen, seconds), mp4)
    if not trials:
        raise BusyError(f"no trial is running in {run}")
    return 0


def _picture(seen: ScreenAddress) -> bytes:
    from ambidex.vm.machines.display import capture  # heavy: a VNC client

    if not seen.vnc:
        raise UsageError("the machine of this trial has no screen")
    return capture(seen.vnc, seen.password)


def _shots(seen: ScreenAddress, seconds: int) -> Iterator[tuple[Image.Image, float]]:
    for _ in range(seconds):
        began = time.monotonic()
        with open_picture(_picture(seen)) as picture:
            yield picture.convert("RGB"), 1.0
        time.sleep(max(0.0, began + 1.0 - time.monotonic()))


def shell(*, machines: MachineOptions = MachineOptions()) -> int:
    """Start a Python prompt with a booted `machine` and its `guest`; both end with the prompt."""
    terminal = Terminal(stderr=True)
    with open_machines(machines, terminal.print) as source, closing(source.make()) as machine:
        machine.boot()
        with Guest(machine.endpoint, machine.token) as guest:
            screen = "VNC at {}, password {}".format(*machine.vnc) if machine.vnc else "no screen"
            banner = f"machine, guest, call(tool, **arguments); {screen}"

            def call(tool: str, **arguments: object) -> ToolResult:
                return guest.call(ToolCall(uuid4().hex, tool, arguments))

            interact(banner, local={"machine": machine, "guest": guest, "call": call}, exitmsg="")
    return 0
