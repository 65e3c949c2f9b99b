"""Adding candidates: from a task, a wish, recorded runs, an MCP server or an OpenAPI file."""

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
from ambidex.toolgen.gate.tools_text import module_of_app
from ambidex.toolgen.store import Folder, now, start

__all__ = ["Proposal", "from_elsewhere", "from_recordings", "short_name"]


@dataclass(frozen=True)
class Proposal:
    """What all candidates of one `propose` command have in common."""

    app: str
    task: Path | None
    model: str
    foundry: Path

    def add(
        self, *, name: str = "", wish: str = "", origin: Origin | None = None, **more: object
    ) -> Folder:
        """Add a candidate to the foundry. `UsageError` if it has neither a task nor a wish, if
        there is no such app, or if its name is taken."""
        module_of_app(ROOT, self.app)
        task_hash = ""
        if self.task is not None:
            suite = load_suite(self.task.parent, read_catalogue(), (self.task.name,))
            spec = suite.tasks[0].spec
            task_hash, wish = suite.tasks[0].hash, wish or spec.instruction.strip()
            if not spec.feasible:
                raise UsageError(
                    f"the task is infeasible: {self.task}",
                    hint="A tool can only be made from a task that can be solved.",
                )
        if not wish.strip():
            raise UsageError("a candidate needs a task or a wish", hint="--task or --wish")
        candidate = Candidate.model_validate(
            {
                "name": name or short_name(self.app, self.task.name if self.task else wish),
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


def from_recordings(proposal: Proposal, runs: Sequence[Path], least: int) -> list[Folder]:
    """Add a candidate for each sequence of GUI calls that recorded runs repeat in the app."""
    sequences = [sequence for sequence in mine(runs, least=least) if sequence.app == proposal.app]
    return [
        proposal.add(
            name=f"{proposal.app}-by-hand-{number}",
            wish=wish_of(sequence),
            origin="recording",
            source=", ".join(sequence.trials),
            examples=[
                [written(call.call, call.arguments) for call in example]
                for example in sequence.examples[:EXAMPLES]
            ],
        )
        for number, sequence in enumerate(sequences, 1)
    ]


def from_elsewhere(
    proposal: Proposal, server: str, openapi: Path | None, only: Sequence[str]
) -> list[Folder]:
    """Add a candidate for each tool of an MCP server, or each operation of an OpenAPI file."""
    tools = from_server(server) if server else from_openapi(openapi) if openapi else []
    if unknown := set(only) - {tool.name for tool in tools}:
        names = ", ".join(tool.name for tool in tools)
        raise UsageError(
            f"not offered by the source: {', '.join(sorted(unknown))}", hint=f"It has: {names}."
        )
    return [
        proposal.add(
            name=short_name(proposal.app, tool.name),
            wish=tool.description or tool.name,
            origin="server" if server else "openapi",
            source=server or str(openapi),
            parameters=tool.parameters,
        )
        for tool in tools
        if not only or tool.name in only
    ]


def short_name(app: str, words: str) -> str:
    """A candidate's name from the app and the first words, such as `calc-order-starts`."""
    parts = [word for word in re.findall(r"[a-z0-9]+", words.lower()) if word != app]
    return "-".join([app, *parts[:6]])[:64].strip("-")
