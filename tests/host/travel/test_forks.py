"""Forks of recorded episodes."""

from __future__ import annotations

import json
import shutil
import time
import uuid
from pathlib import Path
from typing import Any

import pytest

from ambidex.host import (
    Agent,
    Answer,
    Briefing,
    Decision,
    Limits,
    Observation,
    Request,
    Stop,
    ToolCall,
)
from ambidex.host.agents import agent_maker
from ambidex.host.errors import ModelError, UsageError
from ambidex.host.loop.branch_point import checkpoint_of, checkpointed_steps
from ambidex.host.records.config import CheckpointPolicy, ModelConfig
from ambidex.host.records.orders import Order, post
from ambidex.host.records.trajectory import read_trajectory
from ambidex.host.room.standalone_page import episode_html
from ambidex.tasks import Suite, Task
from tests.support.peer import PeerMachine
from tests.support.suites import config_of, run_in
from tests.support.travel import KEPT, MODEL, Toy, forked, recorded, suite_in


@pytest.fixture
def row(tmp_path: Path) -> Suite:
    return suite_in(tmp_path / "suite")


def steps_of(folder: Path) -> list[dict[str, Any]]:
    return [line for line in read_trajectory(folder) if line["kind"] == "step"]


def test_a_checkpoint_is_saved_before_each_step_and_its_path_is_recorded(
    tmp_path: Path, row: Suite
) -> None:
    result = recorded(tmp_path / "run", row, Toy())
    trial = tmp_path / "run" / result.folder
    assert (result.score, result.steps, result.stop) == (1.0, 5, Stop.DONE)
    assert [step["kept"] for step in steps_of(trial)] == [f"snapshots/{n}" for n in range(1, 6)]
    assert checkpointed_steps(trial) == [1, 2, 3, 4, 5]
    assert result.seconds["keep"] > 0


def test_only_each_kth_step_has_a_checkpoint_if_requested(tmp_path: Path, row: Suite) -> None:
    result = recorded(tmp_path / "run", row, Toy(), keep=CheckpointPolicy(every=2))
    trial = tmp_path / "run" / result.folder
    assert checkpointed_steps(trial) == [1, 3, 5]
    with pytest.raises(UsageError, match="no checkpoint before step 4") as refused:
        checkpoint_of(trial, 4)
    assert "1, 3, 5" in refused.value.hint


def test_the_time_to_save_a_checkpoint_is_not_the_agent_s(tmp_path: Path, row: Suite) -> None:
    class Slow(PeerMachine):
        def snapshot(self, place: Any, programs: Any = ()) -> None:
            super().snapshot(place)
            time.sleep(2.0)

    settings = {"keep": CheckpointPolicy(every=4), "model": MODEL, "agents": ("model",)}
    config = config_of(row, limits=Limits(steps=12, seconds=2.0), **settings)
    make = agent_maker(config, lambda _: Toy())
    [result] = run_in(tmp_path / "run", row, config, Slow, make)
    assert result.stop is Stop.DONE


def test_a_fork_starts_from_the_checkpoint_and_is_self_contained(
    tmp_path: Path, row: Suite
) -> None:
    parent = tmp_path / "run" / recorded(tmp_path / "run", row, Toy(slips={"C1": "tools"})).folder
    machine = PeerMachine()
    [branch] = forked(tmp_path / "fork", row, Toy(), parent, 3, machines=[machine])
    assert machine.reverts == [parent / "snapshots" / "3"]
    assert machine.desktops[0].done == [
        "calc_set_cell_value", "calc_set_cell_value",  # in the snapshot already
        "calc_set_cell_value", "calc_set_cell_value", "calc_save",
    ]  # fmt: skip
    assert (branch.score, branch.steps) == (1.0, 5)
    assert branch.parent is not None
    assert (branch.parent.trial, branch.parent.step) == (parent.name, 3)
    then, now = steps_of(parent), steps_of(tmp_path / "fork" / branch.folder)
    assert now[:2] == then[:2]
    assert [step["number"] for step in now] == [1, 2, 3, 4, 5]
    lines = list(read_trajectory(tmp_path / "fork" / branch.folder))
    assert lines[0]["from"] == {"run": str(parent.parent), "trial": parent.name, "step": 3}
    shutil.rmtree(parent)
    assert "calc_set_cell_value" in episode_html(tmp_path / "fork" / branch.folder)


def test_the_model_gets_the_recorded_conversation(tmp_path: Path, row: Suite) -> None:
    before, after = Toy(by_hand=frozenset({"A1"})), Toy(by_hand=frozenset({"A1"}))
    parent = tmp_path / "run" / recorded(tmp_path / "run", row, before).folder
    forked(tmp_path / "fork", row, after, parent, 5)
    assert len(after.asked) == 3, "no answer of the beginning was asked for again"
    assert after.asked[0]["messages"] == before.asked[4]["messages"]


def test_tokens_cost_and_steps_are_those_of_the_whole_episode(tmp_path: Path, row: Suite) -> None:
    whole = recorded(tmp_path / "run", row, Toy())
    parent = tmp_path / "run" / whole.folder
    [branch] = forked(tmp_path / "fork", row, Toy(), parent, 4)
    assert (branch.steps, branch.cost, branch.input_tokens) == (5, 2.5, 500)
    assert branch.calls == whole.calls


def test_limits_hold_for_the_whole_episode(tmp_path: Path, row: Suite) -> None:
    parent = tmp_path / "run" / recorded(tmp_path / "run", row, Toy()).folder
    [branch] = forked(tmp_path / "steps", row, Toy(), parent, 3, limits=Limits(steps=3))
    assert (branch.stop, branch.steps) == (Stop.STEP_LIMIT, 3)
    [branch] = forked(tmp_path / "cost", row, Toy(), parent, 3, limits=Limits(cost=2.0))
    assert (branch.stop, branch.steps, branch.cost) == (Stop.COST_LIMIT, 4, 2.0)


def test_another_model_condition_and_a_hint_change_what_comes_after(
    tmp_path: Path, row: Suite
) -> None:
    parent = tmp_path / "run" / recorded(tmp_path / "run", row, Toy()).folder
    other = Toy(name="other")
    [branch] = forked(
        tmp_path / "fork",
        row,
        other,
        parent,
        2,
        model=ModelConfig(name="other"),
        condition="gui",
        hint="Use the buttons.",
    )
    assert (branch.score, branch.condition, branch.model) == (1.0, "gui", "other")
    steps = steps_of(tmp_path / "fork" / branch.folder)
    assert [step["apps"] for step in steps] == [["calc"], *[["computer"]] * 4, []]
    assert [step["notes"] for step in steps[:3]] == [
        [], ["A person who watches says: Use the buttons."], [],
    ]  # fmt: skip
    assert [exchange["model"] for step in steps for exchange in step["decision"]["exchanges"]] == [
        "toy", *["other"] * 5,
    ]  # fmt: skip
    assert "Use the buttons." in json.dumps(other.asked[0]["messages"][-1])
    assert not branch.assisted, "the hint is part of the run's configuration"


@pytest.mark.parametrize(("lasting", "apps"), [("once", "gtt"), ("rest", "ggggg")])
def test_one_modality_is_forced_for_one_step_or_for_the_rest(
    tmp_path: Path, row: Suite, lasting: str, apps: str
) -> None:
    parent = tmp_path / "run" / recorded(tmp_path / "run", row, Toy()).folder
    [branch] = forked(tmp_path / "fork", row, Toy(), parent, 2, hand="gui", lasting=lasting)
    steps = steps_of(tmp_path / "fork" / branch.folder)[1:-1]
    told = "".join("g" if step["apps"] == ["computer"] else "t" for step in steps)
    assert told.startswith(apps[:3])
    assert branch.parent is not None
    assert branch.parent.hand == "gui"
    assert branch.score == 1.0


def test_a_fork_is_resumed_like_any_run(tmp_path: Path, row: Suite) -> None:
    parent = tmp_path / "run" / recorded(tmp_path / "run", row, Toy()).folder
    first = forked(tmp_path / "fork", row, Toy(), parent, 2, 4, runs=2)
    assert [each.trial for each in first] == [1, 2, 3, 4]
    lines = (tmp_path / "fork" / "results.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "fork" / "results.jsonl").write_text("".join(lines[:2]))
    again = forked(tmp_path / "fork", row, Toy(), parent, 2, 4, runs=2)
    assert [each.trial for each in again] == [1, 2, 3, 4]
    assert again[:2] == first[:2]
    with pytest.raises(UsageError, match="fork was"):
        forked(tmp_path / "fork", row, Toy(), parent, 2, 3, runs=2)


def test_a_fork_of_a_fork_starts_from_a_checkpoint_of_its_parent_or_grandparent(
    tmp_path: Path, row: Suite
) -> None:
    parent = tmp_path / "run" / recorded(tmp_path / "run", row, Toy()).folder
    [found] = forked(tmp_path / "fork", row, Toy(), parent, 3, keep=CheckpointPolicy())
    middle = tmp_path / "fork" / found.folder
    assert checkpointed_steps(middle) == [1, 2, 3, 4, 5]
    assert [checkpoint_of(middle, step).parents[1] for step in (2, 3, 4)] == [
        parent,
        parent,
        middle,
    ]
    [late] = forked(tmp_path / "late", row, Toy(), middle, 4)
    [early] = forked(tmp_path / "early", row, Toy(), middle, 2)
    assert (late.score, early.score) == (1.0, 1.0)


def test_a_branch_is_replayed_whole_on_a_fresh_machine(tmp_path: Path, row: Suite) -> None:
    parent = tmp_path / "run" / recorded(tmp_path / "run", row, Toy()).folder
    [found] = forked(tmp_path / "fork", row, Toy(), parent, 3, condition="gui")
    agent = f"replay:{tmp_path / 'fork' / found.folder}"
    config = config_of(row, agents=(agent,), limits=Limits(steps=12))
    [again] = run_in(tmp_path / "again", row, config)
    assert (again.score, again.steps) == (found.score, found.steps) == (1.0, 5)
    assert [call.calls for call in again.calls] == [2, 2], "two by tools, then two clicks"


class Counting:
    """Sets A1 to these numbers, one a step."""

    def __init__(self, *said: int) -> None:
        self._said = list(said)

    def step(self, observation: Observation) -> Decision:
        if not self._said:
            return Decision(stop=Stop.DONE)
        given = {"cell": "A1", "value": self._said.pop(0)}
        return Decision(calls=(ToolCall(uuid.uuid4().hex, "calc_set_cell_value", given),))


def counting(*said: int) -> Any:
    def make(name: str, task: Task, briefing: Briefing) -> Agent:
        return Counting(*said)

    return make


def own(tmp_path: Path, suite: Suite, *said: int) -> Path:
    config = config_of(suite, keep=KEPT)
    [found] = run_in(tmp_path / "run", suite, config, make_agent=counting(*said))
    return tmp_path / "run" / found.folder


def test_a_custom_agent_is_asked_again_and_gets_its_state_back(tmp_path: Path, row: Suite) -> None:
    parent = own(tmp_path, row, 1, 2, 3)
    make = counting(1, 2, 7)
    [found] = forked(
        tmp_path / "fork", row, Toy(), parent, 3, make_agent=make, agents=("says_done",), model=None
    )
    steps = steps_of(tmp_path / "fork" / found.folder)
    values = [c["arguments"]["value"] for step in steps for c in step["decision"]["calls"]]
    assert values == [1, 2, 7]


def test_an_agent_that_deviates_from_its_record_is_void_at_that_step_without_a_retry(
    tmp_path: Path, row: Suite
) -> None:
    parent = own(tmp_path, row, 1, 2, 3)
    machine = PeerMachine()
    rows = forked(
        tmp_path / "fork",
        row,
        Toy(),
        parent,
        3,
        runs=2,
        make_agent=counting(1, 5, 7),
        agents=("says_done",),
        model=None,
        machines=[machine],
    )
    assert [(each.fate, each.trial, each.attempt) for each in rows] == [
        ("void", 1, 1),
        ("void", 2, 1),
    ]
    failure = rows[0].failure
    assert failure is not None
    assert (failure.type, failure.final) == ("RehearsalError", True)
    assert "does not decide step 2 as it did" in failure.message
    assert '"value": 2' in failure.message
    assert '"value": 5' in failure.message
    assert [each.done for each in machine.desktops] == [["calc_set_cell_value"] * 2] * 2, (
        "the machine is not to blame, and nothing was done in its guest"
    )


def test_an_agent_may_recall_its_decisions_instead(tmp_path: Path, row: Suite) -> None:
    class Recalling(Counting):
        def recall(self, observation: Observation, decision: Decision) -> Decision:
            self._said[:] = [10 * decision.calls[0].arguments["value"]]
            return decision

    parent = own(tmp_path, row, 1, 2, 3)
    [found] = forked(
        tmp_path / "fork",
        row,
        Toy(),
        parent,
        3,
        make_agent=lambda *_: Recalling(99),
        agents=("says_done",),
        model=None,
    )
    steps = steps_of(tmp_path / "fork" / found.folder)
    values = [c["arguments"]["value"] for step in steps for c in step["decision"]["calls"]]
    assert values == [1, 2, 20]


def test_a_trial_with_a_damaged_frame_is_not_forked(tmp_path: Path, row: Suite) -> None:
    parent = tmp_path / "run" / recorded(tmp_path / "run", row, Toy()).folder
    first = parent / "frames" / f"{steps_of(parent)[0]['before']}.png"
    other = next(path for path in parent.glob("frames/*.png") if path != first)
    shutil.copy(first, parent / "frames" / other.name.replace(".patch", ""))
    [found] = forked(tmp_path / "fork", row, Toy(), parent, 5)
    assert found.failure is not None
    assert "is damaged" in found.failure.message


def test_a_person_s_steps_before_the_fork_are_in_the_branch(tmp_path: Path, row: Suite) -> None:
    run = tmp_path / "run"

    class Helped(Toy):
        def ask(self, request: Request) -> Answer:
            if len(self.asked) == 1:
                post(run / "row.1", Order(order="hint", text="Careful."))
            return super().ask(request)

    parent = run / recorded(run, row, Helped()).folder
    model = Toy()
    [found] = forked(tmp_path / "fork", row, model, parent, 3)
    assert found.assisted
    lines = list(read_trajectory(tmp_path / "fork" / found.folder))
    assert [line["text"] for line in lines if line["kind"] == "person"] == ["Careful."]
    assert "Careful." in json.dumps(model.asked[0]["messages"][-1])


def test_an_attempt_without_a_result_keeps_no_checkpoints(tmp_path: Path, row: Suite) -> None:
    class Lost(Toy):
        def ask(self, request: Request) -> Answer:
            if len(self.asked) == 2:
                raise ModelError("lost")
            return super().ask(request)

    config = config_of(row, keep=KEPT, model=MODEL, agents=("model",), limits=Limits(steps=12))
    rows = run_in(tmp_path / "run", row, config, make_agent=agent_maker(config, lambda _: Lost()))
    assert [each.fate for each in rows] == ["void"] * 3
    kept = {path.parent.name for path in (tmp_path / "run").glob("*/snapshots")}
    assert kept == {"row.1"}
