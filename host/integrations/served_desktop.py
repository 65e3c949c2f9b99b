"""A desktop for any MCP client: the machine, its guest's tools, and its snapshots and forks."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any
from uuid import uuid4

from ambidex.host import ToolCall, ToolResult, ToolSpec
from ambidex.host.client.guest import Guest
from ambidex.host.client.limits import PATIENCE, Patience
from ambidex.host.errors import UsageError
from ambidex.vm import READY, Machine, plain_name
from ambidex.vm.closing import Closing

__all__ = ["Access", "Desktop"]

MOST_FORKS = 8
"""Forks that one desktop may have at a time."""


@dataclass(frozen=True)
class Access:
    """The address of a desktop's MCP server, and the token that it requires."""

    url: str
    token: str

    def client_config(self) -> dict[str, Any]:
        """The entry for the configuration file of an MCP client."""
        headers = {"Authorization": f"Bearer {self.token}"}
        return {"mcpServers": {"ambidex": {"type": "http", "url": self.url, "headers": headers}}}


class Desktop(Closing):
    """A booted machine with a connection to its guest. Everything is done one at a time. `close`
    ends its forks and the connection; the machine belongs to the caller."""

    def __init__(self, machine: Machine, snapshots: Path, *, patience: Patience = PATIENCE) -> None:
        self._machine = machine
        self._patience = patience
        self._snapshots = snapshots
        """An existing folder for snapshots."""
        self._lock = Lock()
        self._guest = self._connect()
        self._forks: dict[str, ExitStack] = {}

    def close(self) -> None:
        """End the forks and close the connection."""
        while self._forks:
            self._forks.popitem()[1].close()
        self._guest.close()

    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools that the guest serves."""
        with self._lock:
            return self._guest.tools()

    def call(self, name: str, arguments: dict[str, Any]) -> ToolResult:
        """Carry out one call."""
        with self._lock:
            return self._guest.call(ToolCall(uuid4().hex, name, arguments))

    def revert(self, snapshot: str) -> None:
        """Revert the machine to a snapshot; `UsageError` if there is none of that name."""
        with self._lock:
            saved = self._saved()
            if snapshot not in (READY, *saved):
                raise UsageError(
                    f"there is no snapshot {snapshot!r}",
                    hint=f"Snapshots: {', '.join((READY, *saved))}.",
                )
            self._machine.revert(READY if snapshot == READY else self._snapshots / snapshot)
            self._guest.close()
            self._guest = self._connect()

    def save(self, snapshot: str) -> None:
        """Save the present state of the machine; `UsageError` if the name is taken."""
        with self._lock:
            if plain_name(snapshot) in (READY, *self._saved()):
                raise UsageError(f"the snapshot {snapshot!r} exists already", hint="Name another.")
            self._machine.snapshot(self._snapshots / snapshot)

    def fork(self, publish: Callable[[Desktop], AbstractContextManager[Access]]) -> Access:
        """Start a second machine in the present state of this one and serve it with `publish`."""
        with self._lock, ExitStack() as stack:
            if len(self._forks) >= MOST_FORKS:
                raise UsageError(f"there are {MOST_FORKS} forks already", hint="End one of them.")
            machine = stack.enter_context(self._machine.fork())
            desktop = stack.enter_context(Desktop(machine, self._snapshots))
            access = stack.enter_context(publish(desktop))
            self._forks[access.url] = stack.pop_all()
            return access

    def end_fork(self, url: str) -> None:
        """End a fork; `UsageError` if none is served at this address."""
        with self._lock:
            if url not in self._forks:
                known = ", ".join(self._forks) or "none"
                raise UsageError(f"no fork is served at {url}", hint=f"Forks: {known}.")
            self._forks.pop(url).close()

    def _connect(self) -> Guest:
        return Guest(self._machine.endpoint, self._machine.token, patience=self._patience)

    def _saved(self) -> list[str]:
        return sorted(path.name for path in self._snapshots.glob("[!.]*"))
