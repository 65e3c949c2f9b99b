"""Helpers that call tools in a real guest and return the value or the error."""

from typing import Any
from uuid import uuid4

from ambidex.host import ToolCall, ToolResult
from ambidex.host.client.guest import Guest
from ambidex.mcp_tools.waiting import wait_for
from tests.desktop.proofs import LEDGER


def called(guest: Guest, name: str, arguments: dict[str, Any]) -> ToolResult:
    """Call a tool once."""
    return guest.call(ToolCall(uuid4().hex, name, arguments))


def answered(guest: Guest, name: str, /, **arguments: Any) -> ToolResult:
    """The result of a call that must succeed."""
    result = called(guest, name, arguments)
    assert not result.error, f"{name}: {result.error}: {result.text}"
    LEDGER.done.add(name)
    return result


def done(guest: Guest, name: str, /, **arguments: Any) -> Any:
    """The value of a call that must succeed."""
    return answered(guest, name, **arguments).value


def refused(guest: Guest, name: str, /, **arguments: Any) -> tuple[str, str]:
    """Code and text of a call that must fail."""
    result = called(guest, name, arguments)
    assert result.error, f"{name} was not refused: {result.text}"
    LEDGER.refused.add(name)
    return result.error, result.text


def read(guest: Guest, *command: str) -> str:
    """Standard output of a program in the guest, stripped; the program must succeed."""
    ran = guest.run(command)
    assert ran.returncode == 0, ran
    return ran.stdout.strip()


def comes_to_hold(guest: Guest, path: str, content: bytes) -> None:
    """Wait until a file has this content: programs save with a delay after the keys."""
    assert wait_for(lambda: guest.get(path) == content, 60), guest.get(path)


def stop(guest: Guest, process: str) -> None:
    """Stop a program with SIGSTOP and wait until all its threads have stopped, which takes a moment
    on a busy machine.
    """
    stand = "until ! grep -L 'T (stopped)' /proc/$0/task/*/status | grep -q .; do :; done"
    read(guest, "sh", "-c", f"kill -STOP $0; {stand}", process)
