"""A recorded run with everything that a bridge must carry over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ambidex.host import Decision, Exchange, Observation, Stop, ToolCall, Usage
from ambidex.host.records.orders import Act, Order, post
from ambidex.tasks.load import load_suite
from tests.support.peer import CATALOGUE, PeerMachine
from tests.support.suites import CELL, IMPOSSIBLE, config_of, run_in, write_suite

PLANNED = {
    "choices": [{"message": {"tool_calls": [
        {"function": {"name": "computer_click", "arguments": '{"target": "the Save button"}'}}
    ]}}]
}  # fmt: skip
FOUND = {"choices": [{"message": {"content": "(3, 4)"}}]}


def asked(model: str, answer: dict[str, Any] | None = None, cost: float | None = 0.25) -> Exchange:
    return Exchange(model, answer or {}, Usage(100, 10, 50, 4, cost, 1, 2), 1.5)


class Busy:
    """Uses both modalities and makes mistakes; at the task `cell`, a person helps."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._number = 0

    def step(self, observation: Observation) -> Decision:
        self._number += 1
        match self._number:
            case 1:
                click = ToolCall("a", "computer_click", {"x": 3, "y": 4})
                asks = (asked("big/planner", PLANNED), asked("small/grounder", FOUND, None))
                if self._folder.name == "cell.1":
                    post(self._folder, Order(order="take", by="Ada"))
                    post(self._folder, Order(order="act", acts=(CLICK,), by="Ada"))
                    post(self._folder, Order(order="give", by="Ada"))
                    post(self._folder, Order(order="hint", text="Look left.", by="Ada"))
                return Decision("I click \udcff.", (click,), exchanges=asks)
            case 2:
                return Decision(malformed="not a call", exchanges=(asked("big/planner"),))
            case 3:
                calls = (
                    ToolCall("b", "calc_set_cell_value", {"cell": "B2", "value": 42}),
                    ToolCall("c", "calc_invented", {}),
                    ToolCall("d", "calc_save", {}),
                    ToolCall("e", "calc_save", {}),
                )
                return Decision("Now the tools.", calls)
        return Decision("That is all.", stop=Stop.DONE, answer="42")


CLICK = Act(call="computer_click", arguments={"x": 5, "y": 6})


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a void attempt, a solved trial that a person helped, and a failed one. Only to be
    read."""
    parent = tmp_path_factory.mktemp("recorded")
    loaded = load_suite(write_suite(parent / "suite", cell=CELL, impossible=IMPOSSIBLE), CATALOGUE)
    broken = iter([1])
    run_in(
        parent / "run",
        loaded,
        config_of(loaded),
        make_machine=lambda: PeerMachine(broken_reverts=next(broken, 0)),
        make_agent=lambda name, task, briefing: Busy(parent / "run" / f"{task.name}.1"),
    )
    return parent / "run"
