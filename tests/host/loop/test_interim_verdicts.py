"""A trial judged on the way: a fork of the machine is, the episode goes on."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import pytest

from ambidex.host import Briefing, Decision, Limits, Observation, Stop, ToolCall
from ambidex.host.errors import UsageError
from ambidex.host.runs.rescoring import rejudge
from ambidex.tasks import Suite, Task
from tests.support.peer import PeerMachine
from tests.support.suites import config_of, run_in


class Plays:
    """Sets the cell and saves it in its first steps, spoils it in the fourth, and goes on."""

    CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
        ("calc_set_cell_value", {"cell": "B2", "value": 42}),
        ("calc_save", {}),
        ("calc_get_cell_value", {"cell": "B2"}),
        ("calc_set_cell_value", {"cell": "B2", "value": 0}),
        ("calc_save", {}),
    )

    def __init__(self, name: str, task: Task, briefing: Briefing) -> None:
        self._left = list(self.CALLS)

    def step(self, observation: Observation) -> Decision:
        if not self._left:
            return Decision(stop=Stop.DONE)
        return Decision(calls=(ToolCall(uuid.uuid4().hex, *self._left.pop(0)),))


def test_a_copy_is_judged_at_the_checkpoint_and_the_episode_goes_on(
    tmp_path: Path, suite: Suite
) -> None:
    machines: list[PeerMachine] = []

    def make() -> PeerMachine:
        machines.append(PeerMachine())
        return machines[-1]

    config = config_of(suite, limits=Limits(steps=10), checkpoints=(1, 3, 8))
    rows = run_in(tmp_path, suite, config, make, Plays)
    row = next(row for row in rows if row.task == "cell")
    assert (row.score, row.steps, row.stop) == (0.0, 6, Stop.DONE)
    at = [(each.steps, each.score, each.stop) for each in row.checkpoints]
    assert at == [(1, 0.0, Stop.STEP_LIMIT), (3, 1.0, Stop.STEP_LIMIT)], "none after the end"
    assert sum(call.calls for call in row.checkpoints[1].calls) == 3
    # The copy has answered the question of the collection, the machine itself has not.
    asked = "calc_get_cell_value"
    fork, machine = machines[0].forks[1].desktops[0], machines[0].desktops[0]
    assert fork.done.count(asked) == machine.done.count(asked) == 2


def test_a_row_at_a_cap_is_what_the_checkpoint_saw(tmp_path: Path, suite: Suite) -> None:
    config = config_of(suite, limits=Limits(steps=10), checkpoints=(3,))
    row = next(r for r in run_in(tmp_path, suite, config, make_agent=Plays) if r.task == "cell")
    capped = row.at(3)
    assert (capped.success, capped.steps, capped.stop) == (True, 3, Stop.STEP_LIMIT)
    assert capped.key == row.key
    assert row.at(10) == row == row.at(6)
    with pytest.raises(UsageError, match="not judged after 5 steps"):
        row.at(5)


def test_stored_evidence_of_a_checkpoint_is_judged_again_too(tmp_path: Path, suite: Suite) -> None:
    config = config_of(suite, limits=Limits(steps=10), checkpoints=(3,))
    run_in(tmp_path, suite, config, make_agent=Plays)
    found = {each.now.task: each for each in rejudge(tmp_path, suite)}
    assert not found["cell"].differs
    evidence = tmp_path / found["cell"].before.folder / "evidence.3" / "cells.json"
    evidence.write_text('{"B2": 7}')
    again = next(each for each in rejudge(tmp_path, suite) if each.now.task == "cell")
    assert again.differs
    assert [each.score for each in again.now.checkpoints] == [0.0]


def test_what_is_asked_again_with_nothing_changed_is_a_repeat(tmp_path: Path, suite: Suite) -> None:
    class Repeats(Plays):
        CALLS = (
            ("calc_get_cell_value", {"cell": "B2"}),
            ("calc_get_cell_value", {"cell": "B2"}),  # a repeat
            ("calc_set_cell_value", {"cell": "B2", "value": 42}),
            ("calc_get_cell_value", {"cell": "B2"}),  # says something else now
            ("calc_get_cell_value", {"cell": "B2"}),  # a repeat
            ("computer_click", {"x": 1, "y": 1}),
            ("computer_click", {"x": 1, "y": 1}),  # of the GUI: never a repeat
            ("calc_get_cell_value", {"cell": "B2"}),  # a click may have changed it
        )

    config = config_of(suite, limits=Limits(steps=20))
    row = next(r for r in run_in(tmp_path, suite, config, make_agent=Repeats) if r.task == "cell")
    counts = {call.tool: (call.calls, call.repeats) for call in row.calls}
    assert counts["calc_get_cell_value"] == (5, 2)
    assert counts["computer_click"] == (2, 0)
