"""What a judge is shown of a trial."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ambidex.evaluators.key_points import RecordedCall, read_calls
from ambidex.host.models.prompts import prompt
from ambidex.host.untrusted.parsing import text
from ambidex.tasks import Task
from ambidex.tasks.livemcpbench.body import KeyPointBody

__all__ = ["PROMPTS", "Case", "case_of"]

PROMPTS = Path(__file__).parent / "prompts"
ANSWER = "answer.txt"
LONGEST_OUTPUT = 10_000
"""Characters of one tool's output that a judge sees, as upstream's agent does."""
MOST_OUTPUT = 200_000
"""Characters of all output that a judge sees: the latest calls, if there is more."""
LONGEST_ANSWER = 100_000
"""Characters of the final answer that a judge sees."""


@dataclass(frozen=True)
class Case:
    """One finished trial, as texts for its judges."""

    instruction: str
    answer: str
    calls: tuple[RecordedCall, ...]
    body: KeyPointBody

    def whole(self, points: Sequence[str]) -> str:
        """The question about all key points at once, as LiveMCPBench asks it: calls without their
        output, and descriptions of the tools."""
        history = [call for call in self.calls if not call.search]
        return prompt(
            "status_case",
            folder=PROMPTS,
            instruction=self.instruction,
            points=_numbered(points),
            answer=self.answer,
            history=_numbered([_request(call) for call in history]),
            descriptions="\n\n".join(self._descriptions(history)),
        )

    def of_point(self, point: str) -> str:
        """The question about one key point: calls with their output."""
        return prompt(
            "point_case",
            folder=PROMPTS,
            instruction=self.instruction,
            point=point,
            answer=self.answer,
            outputs="\n\n".join(self._outputs()) or "(no calls)",
        )

    def unread(self) -> str:
        """The question for key points, about the text of the task alone."""
        return prompt("extract_case", folder=PROMPTS, instruction=self.instruction)

    def _outputs(self) -> list[str]:
        shown: list[str] = []
        left = MOST_OUTPUT
        calls = [call for call in self.calls if not call.search]
        for number, call in reversed(list(enumerate(calls, 1))):
            output = _cut(call.output, LONGEST_OUTPUT)
            left -= len(output)
            if left < 0:
                shown.append(f"(the first {number} calls are left out)")
                break
            failed = f" failed ({call.error})" if call.error else ""
            shown.append(f"{number}. {_request(call)}{failed}\n{output}")
        return shown[::-1]

    def _descriptions(self, history: Sequence[RecordedCall]) -> Iterator[str]:
        for call in history:
            description = self.body.description(call.server, call.tool)
            if description:
                yield f"Server: {call.server}\nTool: {call.tool}\nDescription: {description}"
            else:
                yield f"Tool {call.tool} not found in server {call.server or 'not_given'}."


def case_of(task: Task, body: KeyPointBody, evidence: Path) -> Case:
    """The case in a trial's evidence. `UnreadableError` if the calls cannot be read."""
    stored = evidence / ANSWER
    answer = text(stored.read_bytes(), LONGEST_ANSWER) if stored.is_file() else ""
    return Case(task.spec.instruction, answer, read_calls(evidence), body)


def _numbered(items: Sequence[str]) -> str:
    return "\n".join(f"{number}. {item}" for number, item in enumerate(items, 1))


def _request(call: RecordedCall) -> str:
    """The call as JSON, in the form in which LiveMCPBench's agent executes a tool."""
    server = {"server_name": call.server} if call.server else {}
    called = server | {"tool_name": call.tool, "params": call.arguments}
    return json.dumps(called, ensure_ascii=False)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most} more characters)"
