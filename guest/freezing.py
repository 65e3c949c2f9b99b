"""Stopping the desktop user's processes before the evidence is read, and seeing that none runs."""

from __future__ import annotations

import asyncio
import signal
import socket
from pathlib import Path

from ambidex.guest import FREEZER, THAWER, HarnessError
from ambidex.guest.processes import Processes

__all__ = ["Freezer", "running"]

ENDS_WITHIN = 30.0
STOPPING = 1 << signal.SIGSTOP - 1
"""The signal as /proc has it among those that are pending: it comes before anything else does."""
TRIES = 5
"""How often what a service of the system starts for the user meanwhile is stopped as well."""


class Freezer:
    """Whether the desktop stands still, and how it is made to."""

    def __init__(self, processes: Processes) -> None:
        self._processes = processes
        self.on = False

    async def freeze(self) -> int:
        """Stop them all; returns how many. 503 where some run on."""
        account = self._processes.account
        if account.worker is None:
            message = "The door runs as the desktop user, so it cannot stop that user's processes."
            raise HarnessError(message, code="not_separate", status=503)
        self.on = True
        for _ in range(TRIES):
            await self._signal(FREEZER)
            stopped, left = running(account.uid, account.worker)
            if not left:
                return stopped
        message = f"Processes of the desktop user run on: {', '.join(map(str, left[:10]))}."
        raise HarnessError(message, code="not_frozen", status=503)

    async def thaw(self) -> None:
        """Let them run again, for a machine that is not reverted."""
        if self.on:
            await self._signal(THAWER)
            self.on = False

    async def still(self) -> bool:
        """Whether none has begun to run since."""
        account = self._processes.account
        assert account.worker is not None
        return not running(account.uid, account.worker)[1]

    async def _signal(self, worker: str) -> None:
        ours, theirs = socket.socketpair()
        heard, spoken = socket.socketpair()
        with ours, heard:
            with theirs, spoken:
                process = await self._processes.start(worker, {}, theirs, spoken)
            status = await asyncio.wait_for(process.wait(), ENDS_WITHIN)
            heard.setblocking(False)
            try:
                said = heard.recv(4096).decode(errors="replace").strip()
            except BlockingIOError:
                said = ""
        if status != "0":
            message = f"The {worker} did not do its work (exit status {status}): {said}"
            raise HarnessError(message, code="not_frozen", status=503)


def running(uid: int, besides: int, proc: Path = Path("/proc")) -> tuple[int, list[int]]:
    """How many processes with that user among theirs are stopped, about to be or ended, and the
    numbers of the others. Those of whom `besides` is the real user are ours.
    """
    stopped, others = 0, []
    for folder in proc.glob("[0-9]*"):
        try:
            status = (folder / "status").read_text(errors="replace")
        except OSError:
            continue
        lines = dict(line.partition(":\t")[::2] for line in status.splitlines())
        users = [int(each) for each in lines["Uid"].split()]
        if uid not in users or users[0] == besides:
            continue
        pending = int(lines["SigPnd"], 16) | int(lines["ShdPnd"], 16)
        if lines["State"][0] in "TtZX" or pending & STOPPING:
            stopped += 1
        else:
            others.append(int(folder.name))
    return stopped, others
