"""Stops the desktop user's processes before the evidence is read, and checks that none runs."""

from __future__ import annotations

import asyncio
import signal
import socket
from pathlib import Path

from ambidex.guest import FREEZER, THAWER, HarnessError
from ambidex.guest.processes import Processes

__all__ = ["Freezer", "find_running"]

EXITS_WITHIN = 30.0
STOP_PENDING = 1 << signal.SIGSTOP - 1
"""SIGSTOP in /proc's mask of pending signals: the process stops before it does anything else."""
TRIES = 5
"""Attempts: system services may start processes for the user meanwhile."""


class Freezer:
    """Stops and resumes the desktop user's processes."""

    def __init__(self, processes: Processes) -> None:
        self._processes = processes
        self.frozen = False

    async def freeze(self) -> int:
        """Stop all processes and return their number; 503 if some still run."""
        account = self._processes.account
        if account.worker is None:
            message = "The door runs as the desktop user, so it cannot stop that user's processes."
            raise HarnessError(message, code="not_separate", status=503)
        self.frozen = True
        for _ in range(TRIES):
            await self._signal(FREEZER)
            stopped, running = find_running(account.uid, account.worker)
            if not running:
                return stopped
        message = f"Processes of the desktop user still run: {', '.join(map(str, running[:10]))}."
        raise HarnessError(message, code="not_frozen", status=503)

    async def thaw(self) -> None:
        """Resume the processes, for a machine that is not reverted."""
        if self.frozen:
            await self._signal(THAWER)
            self.frozen = False

    async def all_stopped(self) -> bool:
        """Whether no process of the desktop user runs."""
        account = self._processes.account
        assert account.worker is not None
        return not find_running(account.uid, account.worker)[1]

    async def _signal(self, worker: str) -> None:
        ours, theirs = socket.socketpair()
        our_output, their_output = socket.socketpair()
        with ours, our_output:
            with theirs, their_output:
                process = await self._processes.start(worker, {}, theirs, their_output)
            status = await asyncio.wait_for(process.wait(), EXITS_WITHIN)
            our_output.setblocking(False)
            try:
                output = our_output.recv(4096).decode(errors="replace").strip()
            except BlockingIOError:
                output = ""
        if status != "0":
            message = f"The {worker} failed (exit status {status}): {output}"
            raise HarnessError(message, code="not_frozen", status=503)


def find_running(uid: int, own: int, proc: Path = Path("/proc")) -> tuple[int, list[int]]:
    """Look at the processes that have `uid` among their user ids, except those with the real user
    id `own`, which are workers.

    Returns how many are stopped, about to stop or ended, and the process ids of all others.
    """
    stopped, running = 0, []
    for folder in proc.glob("[0-9]*"):
        try:
            status = (folder / "status").read_text(errors="replace")
        except OSError:
            continue
        lines = dict(line.partition(":\t")[::2] for line in status.splitlines())
        users = [int(user) for user in lines["Uid"].split()]
        if uid not in users or users[0] == own:
            continue
        pending = int(lines["SigPnd"], 16) | int(lines["ShdPnd"], 16)
        if lines["State"][0] in "TtZX" or pending & STOP_PENDING:
            stopped += 1
        else:
            running.append(int(folder.name))
    return stopped, running
