"""Wrap: working code, or a wish, becomes one tool in house form, with tests and the calls that
solve its case."""

from __future__ import annotations

import json

from ambidex.host.models.exposure import retrieved
from ambidex.host.models.prompts import prompt
from ambidex.host.records.config import Exposure
from ambidex.tasks import ToolSpec
from ambidex.toolgen import Finding, Outcome, StageResult
from ambidex.toolgen.gate.lint import TEST_PLACE, TOOL_PLACE, formatted
from ambidex.toolgen.gate.tools_text import example, home_of
from ambidex.toolgen.models.answer_blocks import MissingBlockError, calls_of, named
from ambidex.toolgen.models.asking import Message, user
from ambidex.toolgen.models.prompts import FOLDER
from ambidex.toolgen.stages.context import Ended, Shop
from ambidex.toolgen.stages.solve import CODE
from ambidex.toolgen.store import TEST, TOOL

__all__ = ["CALLS", "wrap"]

CALLS = "calls.json"
ANSWERS = 3
NEAR = 10


def wrap(shop: Shop, trouble: tuple[str, ...] = (), by: str = "wrap") -> Ended:
    """Ask for a draft; where there was one before, `trouble` says why it is not accepted."""
    said = shop.candidate
    code = shop.folder.path / CODE
    last = shop.folder.latest()
    words = prompt(
        "wrap",
        folder=FOLDER,
        wish=said.wish,
        code=code.read_text(encoding="utf-8") if code.exists() else "",
        examples="\n\n".join("\n".join(each) for each in said.examples),
        parameters=json.dumps(said.parameters, indent=1) if said.parameters else "",
        app=said.app,
        module=home_of(shop.root, said.app),
        example=example(shop.root, said.app),
        near=near(said.wish, said.app, tuple(shop.catalogue.values())),
        trouble=trouble,
        last=shop.folder.text(last.n)[0] if last and trouble else "",
    )
    messages: list[Message] = [user(words)]
    why = ""
    for _ in range(ANSWERS):
        answer = shop.talk.ask("wrap", messages)
        messages.append({"role": "assistant", "content": answer})
        try:
            tool = formatted(named(answer, TOOL), TOOL_PLACE, shop.root)
            test = formatted(named(answer, TEST), TEST_PLACE, shop.root)
            calls = calls_of(named(answer, CALLS))
        except MissingBlockError as error:
            why = str(error)
            messages.append(user(f"{error}. Answer with all three blocks."))
            continue
        if last and trouble and (tool, test) == shop.folder.text(last.n):
            return Ended(Outcome.FAILED, f"the same draft again: {trouble[0]}")
        beside = {CALLS: [call.model_dump(mode="json", by_alias=True) for call in calls]}
        draft = shop.folder.add_draft(tool, test, by, beside)
        return Ended(Outcome.PASSED, f"draft {draft.n}")
    return Ended(Outcome.FAILED, why)


def near(wish: str, app: str, catalogue: tuple[ToolSpec, ...]) -> list[ToolSpec]:
    """The tools of the app that suit the wish best, by name."""
    own = [tool for tool in catalogue if tool.app == app]
    names = retrieved(Exposure(policy="retrieved", top=NEAR), own, wish)
    return [tool for tool in own if tool.name in names]


def trouble_of(result: StageResult) -> tuple[str, ...]:
    """What a model is told of a draft that did not pass."""
    refused = [found for found in result.findings if found.refused]
    return tuple(_said(found) for found in refused) or (result.reason,)


def _said(found: Finding) -> str:
    where = f"line {found.line}, " if found.line else ""
    return f"{where}{found.rule}: {found.text}"
