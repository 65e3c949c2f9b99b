"""Candidates: from a task, from a wish, from recorded runs, and from what exists elsewhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ambidex.host import ROOT
from ambidex.host.errors import UsageError
from ambidex.host.records.orders import written
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite
from ambidex.toolgen import Candidate, Origin
from ambidex.toolgen.candidates.importing import from_openapi, from_server
from ambidex.toolgen.candidates.mine import EXAMPLES, mine, wish_of
from ambidex.toolgen.gate.tools_text import home_of
from ambidex.toolgen.store import Folder, now, start

__all__ = ["Asked", "from_elsewhere", "from_recordings", "named_for"]


@dataclass(frozen=True)
class Asked:
    """What is common to all candidates of one proposal."""

    app: str
    task: Path | None
    model: str
    foundry: Path

    def keep(
        self, *, name: str = "", wish: str = "", origin: Origin | None = None, **more: object
    ) -> Folder:
        """Keep a new candidate; `UsageError` where it is neither made from a task nor from words,
        where there is no such app, or where its name is taken."""
        home_of(ROOT, self.app)
        task_hash = ""
        if self.task is not None:
            suite = load_suite(self.task.parent, read_catalogue(), (self.task.name,))
            spec = suite.tasks[0].spec
            task_hash, wish = suite.tasks[0].hash, wish or spec.instruction.strip()
            if not spec.feasible:
                raise UsageError(f"{self.task} cannot be done", hint="Nothing is learnt of it.")
        if not wish.strip():
            raise UsageError(
                "a candidate comes from a task or from a wish", hint="--task or --wish"
            )
        candidate = Candidate.model_validate(
            {
                "name": name or named_for(self.app, self.task.name if self.task else wish),
                "app": self.app,
                "origin": origin or ("task" if self.task else "wish"),
                "created": now(),
                "model": self.model,
                "wish": wish.strip(),
                "task": str(self.task.resolve()) if self.task else "",
                "task_hash": task_hash,
                **more,
            }
        )
        return start(self.foundry, candidate)


def from_recordings(asked: Asked, runs: Sequence[Path], least: int) -> list[Folder]:
    """A candidate for each sequence that recorded runs repeat in that app."""
    found = [each for each in mine(runs, least=least) if each.app == asked.app]
    return [
        asked.keep(
            name=f"{asked.app}-by-hand-{number}",
            wish=wish_of(each),
            origin="recording",
            source=", ".join(each.trials),
            examples=[
                [written(a.call, a.arguments) for a in one] for one in each.examples[:EXAMPLES]
            ],
        )
        for number, each in enumerate(found, 1)
    ]


def from_elsewhere(
    asked: Asked, server: str, openapi: Path | None, only: Sequence[str]
) -> list[Folder]:
    """A candidate for each tool of an MCP server, or each operation of an OpenAPI file."""
    found = from_server(server) if server else from_openapi(openapi) if openapi else []
    if unknown := set(only) - {each.name for each in found}:
        names = ", ".join(each.name for each in found)
        raise UsageError(f"there is no {', '.join(sorted(unknown))}", hint=f"There is {names}.")
    return [
        asked.keep(
            name=named_for(asked.app, each.name),
            wish=each.description or each.name,
            origin="server" if server else "openapi",
            source=server or str(openapi),
            parameters=each.parameters,
        )
        for each in found
        if not only or each.name in only
    ]


def named_for(app: str, words: str) -> str:
    """A name of a few words: `calc-order-starts`."""
    said = re.findall(r"[a-z0-9]+", words.lower())
    kept = [word for word in said if word != app][:6]
    return "-".join([app, *kept])[:64].strip("-")
