"""What null agents share that run a shell script as the desktop user, with tools that every agent
has."""

from __future__ import annotations

import uuid
from typing import Any

from ambidex.host import Decision, Observation, Stop, ToolCall

__all__ = ["DOCUMENTS", "NEEDED", "RAN", "Scripted", "calls"]

DOCUMENTS = "find Desktop Documents Downloads Music Pictures Public Videos -type f"
"""Prints the user's documents, one a line; run in the home folder."""
RAN = "null agent is done"
"""Title of the terminal when the script has run."""
NEEDED = ("files_write_text", "os_open_shell", "computer_type", "computer_wait")
WITHIN = 30
"""Seconds that the agent waits for its script."""


def calls(*named: tuple[str, dict[str, Any]]) -> tuple[ToolCall, ...]:
    """Calls of these tools with these arguments."""
    return tuple(ToolCall(uuid.uuid4().hex, name, arguments) for name, arguments in named)


class Scripted:
    """Runs one script in the home folder in a terminal, and ends the episode as done. It ends at
    once if a tool that it needs is not on offer."""

    def __init__(self, script: str) -> None:
        typed = f"sh ~/.null-agent; printf '\\033]0;{RAN}\\007'; read x\n"
        self._left: list[tuple[str, dict[str, Any]]] = [
            ("files_write_text", {"path": "~/.null-agent", "content": f"cd ~\n{script}\n"}),
            ("os_open_shell", {}),
            ("computer_type", {"text": typed}),
            ("computer_wait", {"seconds": WITHIN, "window": RAN}),
        ]

    def step(self, observation: Observation) -> Decision:
        """The next call; done after the last."""
        missing = {*NEEDED} - {tool.name for tool in observation.tools}
        if missing:
            names = ", ".join(sorted(missing))
            return Decision(thought=f"No script can be run without {names}.", stop=Stop.DONE)
        if not self._left:
            return Decision(thought="It is done.", stop=Stop.DONE)
        return Decision(calls=calls(self._left.pop(0)))
