"""A complete agent in one class: it calls a read-only tool and answers with its result.

ambidex run tasks/demo --agent examples.first_tool:FirstTool
"""

from __future__ import annotations

import uuid

from ambidex.host import Briefing, Decision, Observation, Stop, ToolCall

__all__ = ["FirstTool"]


class FirstTool:
    """Calls the first tool that changes nothing and needs no argument, then stops with its text."""

    def __init__(self, briefing: Briefing) -> None:
        self._instruction = briefing.instruction

    def step(self, observation: Observation) -> Decision:
        """One call, then the end."""
        read_only = [
            tool.name
            for tool in observation.tools
            if tool.reads_only and not tool.parameters.get("required")
        ]
        if observation.results or not read_only:
            answer = observation.results[0].text if observation.results else "no such tool"
            return Decision(thought="That will do.", stop=Stop.DONE, answer=answer)
        return Decision(thought=self._instruction, calls=(_call(read_only[0]),))


def _call(name: str) -> ToolCall:
    return ToolCall(uuid.uuid4().hex, name, {})
