"""A suite, and a model for it, in which it is known what each hand comes to at each decision.

The task: A1 is to be 3, B1 to be 2, C1 and D1 to be 1. The model sets them in this order, each by
one call of a tool or by as many clicks on its button, and says in one step more that it is done.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ambidex.host import Answer, Limits, Model, Request, Usage
from ambidex.host.agents import agent_maker
from ambidex.host.models.prices import read_prices
from ambidex.host.records.config import Branch, CheckpointPolicy, Fork, ModelConfig, adopt, locked
from ambidex.host.records.jobs import Job
from ambidex.host.records.rows import Row
from ambidex.host.runs import launch
from ambidex.host.runs.launch import RunFunction, RunRequest
from ambidex.host.runs.runner import run_jobs
from ambidex.tasks import Suite
from ambidex.tasks.load import load_suite
from tests.support.peer import BUTTONS, CATALOGUE, PeerMachine
from tests.support.suites import config_of, run_in, write_suite

GOAL = {"A1": 3, "B1": 2, "C1": 1, "D1": 1}

TASK = """
instruction = "Fill the first row."
tool_beneficial = true
useful_tools = ["calc_set_cell_value"]
collect = [{ call = "calc_save", to = "saved.json" }, { get = "~/cells.json" }]

[[check]]
use = "output.json_fields_equal"
with = { file = "cells.json", fields = { A1 = 3, B1 = 2, C1 = 1, D1 = 1 } }
"""

SET = "calc_set_cell_value"


def suite_in(folder: Path, *names: str) -> Suite:
    """Copies of the task under these names."""
    write_suite(folder, **dict.fromkeys(names or ("row",), TASK))
    return load_suite(folder, CATALOGUE)


@dataclass
class Toy:
    """A `host.Model` that fills the row. It knows what it has done from its conversation alone, and
    takes it that whatever it did came off."""

    by_hand: frozenset[str] = frozenset()
    """Cells for which it takes the mouse where it may choose."""
    slips: Mapping[str, str] = field(default_factory=dict)
    """Cells that it gets wrong, and with which hand: `gui` or `tools`."""
    name: str = "toy"
    asked: list[dict[str, Any]] = field(default_factory=list)

    def ask(self, request: Request) -> Answer:
        """See `Model`."""
        body = json.loads(json.dumps(request.body))
        self.asked.append(body)
        offered = {tool["function"]["name"] for tool in body["tools"]}
        name, arguments = self._next(_done(body["messages"]), offered)
        call = {"id": "c", "function": {"name": name, "arguments": json.dumps(arguments)}}
        message = {"role": "assistant", "content": f"I {name}.", "tool_calls": [call]}
        usage = Usage(input_tokens=100, output_tokens=10, cost=0.5, requests=1)
        return Answer({"choices": [{"message": message, "finish_reason": "stop"}]}, usage)

    def _next(self, done: Mapping[str, int], offered: set[str]) -> tuple[str, dict[str, Any]]:
        for at, (cell, goal) in enumerate(GOAL.items()):
            if done.get(cell, 0) >= goal:
                continue
            by_hand = SET not in offered or ("computer_click" in offered and cell in self.by_hand)
            slip = self.slips.get(cell) == ("gui" if by_hand else "tools")
            if by_hand:
                # Far beyond the row, and it believes that the cell is done.
                return "computer_click", {"x": at + 10 * slip, "y": BUTTONS}
            return SET, {"cell": cell, "value": goal + 90 * slip}
        return "finish", {}


def _done(messages: list[dict[str, Any]]) -> dict[str, int]:
    """What has been done, in words of the goal, from the conversation."""
    done: dict[str, int] = {}
    for name, given in _calls(messages):
        if name == SET:
            done[given["cell"]] = given["value"]
        elif name == "computer_click":
            cell = list(GOAL)[given["x"] % 10]
            slipped = given["x"] >= 10
            done[cell] = GOAL[cell] if slipped else done.get(cell, 0) + 1
    return done


def _calls(messages: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for message in messages:
        for call in message.get("tool_calls") or ():
            yield call["function"]["name"], json.loads(call["function"]["arguments"])


MODEL = ModelConfig(name="toy")
KEPT = CheckpointPolicy()


def recorded(folder: Path, suite: Suite, live: Model, **other: object) -> Row:
    """A run of the model whose steps are all kept; its one row."""
    said = {"keep": KEPT, "model": MODEL, "agents": ("model",), "limits": Limits(steps=12)} | other
    config = config_of(suite, **said)
    [found] = run_in(folder, suite, config, make_agent=agent_maker(config, lambda _: live))
    return found


def forked(
    folder: Path,
    suite: Suite,
    live: Model,
    parent: Path,
    *steps: int,
    runs: int = 1,
    machines: Sequence[PeerMachine] = (),
    make_agent: Any = None,
    **other: Any,
) -> list[Row]:
    """Runs that go on from these steps of a trial."""
    branches = tuple(Branch(trial=parent.name, step=step) for step in steps)
    of = {name: other.pop(name) for name in ("hint", "hand", "lasting") if name in other}
    said = {
        "fork": Fork(run=str(parent.parent), branches=branches, **of),
        "model": MODEL,
        "agents": ("model",),
        "limits": Limits(steps=12),
        "runs": runs,
    } | other
    config, task = config_of(suite, **said), parent.name.partition(".")[0]
    jobs = [
        Job(task, config.agents[0], number, branch)
        for number, branch in enumerate((each for each in branches for _ in range(runs)), 1)
    ]
    left = list(machines)
    with locked(folder):
        adopt(folder, config)
        return run_jobs(
            jobs,
            config,
            suite,
            folder,
            lambda: left.pop(0) if left else PeerMachine(),
            make_agent or agent_maker(config, lambda _: live),
        )


def on_peers(live: Model) -> RunFunction:
    """Plays runs on peers."""

    def play(request: RunRequest, folder: Path) -> list[Row]:
        config = launch.config_of(request, read_prices())
        with locked(folder):
            adopt(folder, config)
            make = agent_maker(config, lambda _: live)
            return run_jobs(request.jobs, config, request.suite, folder, PeerMachine, make)

    return play
