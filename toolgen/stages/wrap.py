"""The wrap stage: turns working code, or a wish, into one tool in the project's form, with tests
and the calls that solve the candidate's task."""

from __future__ import annotations

import json

from ambidex.host.models.exposure import retrieved
from ambidex.host.models.prompts import prompt
from ambidex.host.records.config import Exposure
from ambidex.tasks import ToolSpec
from ambidex.toolgen import Finding, Outcome, StageResult
from ambidex.toolgen.gate.lint import TEST_PLACE, TOOL_PLACE, formatted
from ambidex.toolgen.gate.tools_text import example_module, module_of_app
from ambidex.toolgen.models.answer_blocks import MissingBlockError, block_named, parse_calls
from ambidex.toolgen.models.asking import Message, user
from ambidex.toolgen.models.prompts import FOLDER
from ambidex.toolgen.stages.context import StageContext, StageReport
from ambidex.toolgen.stages.solve import CODE
from ambidex.toolgen.store import TEST, TOOL

__all__ = ["CALLS", "problems_of", "wrap"]

CALLS = "calls.json"
ANSWERS = 3
"""Maximum answers until one has all blocks."""
NEAREST = 10
"""Existing tools that the prompt names."""


def wrap(context: StageContext, trouble: tuple[str, ...] = (), origin: str = "wrap") -> StageReport:
    """Ask the model for a draft. `trouble` says why the previous one, if any, was not accepted;
    `origin` is the stage that refused it."""
    candidate = context.candidate
    code = context.folder.path / CODE
    last = context.folder.latest()
    words = prompt(
        "wrap",
        folder=FOLDER,
        wish=candidate.wish,
        code=code.read_text(encoding="utf-8") if code.exists() else "",
        examples="\n\n".join("\n".join(calls) for calls in candidate.examples),
        parameters=json.dumps(candidate.parameters, indent=1) if candidate.parameters else "",
        app=candidate.app,
        module=module_of_app(context.root, candidate.app),
        example=example_module(context.root, candidate.app),
        near=nearest_tools(candidate.wish, candidate.app, tuple(context.catalogue.values())),
        trouble=trouble,
        last=context.folder.text(last.n)[0] if last and trouble else "",
    )
    messages: list[Message] = [user(words)]
    why = ""
    for _ in range(ANSWERS):
        answer = context.conversation.ask("wrap", messages)
        messages.append({"role": "assistant", "content": answer})
        try:
            tool = formatted(block_named(answer, TOOL), TOOL_PLACE, context.root)
            test = formatted(block_named(answer, TEST), TEST_PLACE, context.root)
            calls = parse_calls(block_named(answer, CALLS))
        except MissingBlockError as error:
            why = str(error)
            messages.append(user(f"{error}. Answer with all three blocks."))
            continue
        if last and trouble and (tool, test) == context.folder.text(last.n):
            return StageReport(Outcome.FAILED, f"the same draft again: {trouble[0]}")
        attachments = {CALLS: [call.model_dump(mode="json", by_alias=True) for call in calls]}
        draft = context.folder.add_draft(tool, test, origin, attachments)
        return StageReport(Outcome.PASSED, f"draft {draft.n}")
    return StageReport(Outcome.FAILED, why)


def nearest_tools(wish: str, app: str, catalogue: tuple[ToolSpec, ...]) -> list[ToolSpec]:
    """The app's tools that match the wish best."""
    own = [tool for tool in catalogue if tool.app == app]
    names = retrieved(Exposure(policy="retrieved", top=NEAREST), own, wish)
    return [tool for tool in own if tool.name in names]


def problems_of(result: StageResult) -> tuple[str, ...]:
    """Why a draft did not pass, as texts for the model."""
    refusals = [finding for finding in result.findings if finding.refused]
    return tuple(_describe(finding) for finding in refusals) or (result.reason,)


def _describe(finding: Finding) -> str:
    where = f"line {finding.line}, " if finding.line else ""
    return f"{where}{finding.rule}: {finding.text}"
