"""What a person asks of a trial is carried out between two steps, and recorded."""

from __future__ import annotations

import threading
from keyword import iskeyword
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from ambidex.host import Briefing, Decision, Limits, Observation, Stop
from ambidex.host.client.guest import Guest
from ambidex.host.loop.episode import Hooks, run_episode
from ambidex.host.loop.progress import Episode
from ambidex.host.loop.supervision import SupervisedTrial
from ambidex.host.records.orders import Act, Order, Orders, post, read_call, written
from ambidex.host.records.rows import Row, read_rows
from ambidex.host.records.trajectory import Trajectory, read_trajectory
from ambidex.host.room.live_trajectory import LiveTrajectory
from ambidex.tasks import Suite, Task
from tests.support.peer import CATALOGUE, Desktop
from tests.support.suites import config_of, run_in
from tests.support.tables import every_case

CLICK = Act(call="computer_click", arguments={"x": 3, "y": 4})


class Ordering:
    """Says nothing for so many steps, then done; before each step something may be ordered."""

    def __init__(self, folder: Path, steps: int, **orders: list[Order]) -> None:
        self._folder = folder
        self._left = steps
        self._orders = orders
        self.seen: list[Observation] = []

    def step(self, observation: Observation) -> Decision:
        self.seen.append(observation)
        for order in self._orders.get(f"at_{len(self.seen)}", ()):
            post(self._folder, order)
        self._left -= 1
        return Decision(stop=None if self._left else Stop.DONE)


def play(agent: Ordering, guest: Guest, folder: Path) -> tuple[Episode, SupervisedTrial]:
    with Trajectory(folder) as trajectory:
        person = SupervisedTrial(folder, guest, trajectory, settle=0.0)
        hooks = Hooks(person=person)
        episode = run_episode(agent, guest, CATALOGUE, Limits(20), trajectory, hooks=hooks)
        return episode, person


def of_kind(folder: Path, kind: str) -> list[dict[str, Any]]:
    return [line for line in read_trajectory(folder) if line["kind"] == kind]


def test_a_hint_is_given_once_with_the_next_screenshot(guest: Guest, tmp_path: Path) -> None:
    agent = Ordering(tmp_path, 4, at_2=[Order(order="hint", text="Look at the menu.", by="me")])
    _, person = play(agent, guest, tmp_path)
    said = [each.notes for each in agent.seen]
    assert said == [(), (), ("A person who watches says: Look at the menu.",), ()]
    assert person.assisted
    (line,) = of_kind(tmp_path, "person")
    assert (line["order"], line["text"], line["by"]) == ("hint", "Look at the menu.", "me")


def test_a_paused_agent_waits_until_it_is_resumed_and_its_time_does_not_run(
    guest: Guest, tmp_path: Path
) -> None:
    agent = Ordering(tmp_path, 3, at_1=[Order(order="pause")])
    later = threading.Timer(0.4, post, (tmp_path, Order(order="resume")))
    later.start()
    episode, person = play(agent, guest, tmp_path)
    later.join(60)
    assert (episode.steps, episode.stop) == (3, Stop.DONE)
    assert not person.assisted
    assert sum(vars(episode.seconds).values()) < 0.4
    assert [line["order"] for line in of_kind(tmp_path, "person")] == ["pause", "resume"]


def test_one_step_is_one_step(guest: Guest, tmp_path: Path) -> None:
    first = [Order(order="pause"), Order(order="step")]
    agent = Ordering(tmp_path, 5, at_1=first, at_2=[Order(order="stop", end="infeasible")])
    episode, _ = play(agent, guest, tmp_path)
    assert (episode.steps, episode.stop) == (2, Stop.INFEASIBLE)


def test_the_actions_of_a_person_are_recorded_and_told_to_the_model(
    guest: Guest, tmp_path: Path
) -> None:
    orders = [
        Order(order="take", by="me"),
        Order(order="act", acts=(CLICK, Act(call="computer_type", arguments={"text": "hello"}))),
        Order(order="give", by="me"),
        Order(order="act", acts=(CLICK,)),
    ]
    agent = Ordering(tmp_path, 3, at_1=orders)
    episode, person = play(agent, guest, tmp_path)
    assert agent.seen[1].notes == (
        "A person took over for a while and did this: computer_click(x=3, y=4),"
        " computer_type(text='hello').",
    )
    steps = of_kind(tmp_path, "step")
    assert [(step["number"], step["actor"]) for step in steps] == [
        (1, "agent"),
        (2, "human"),
        (3, "human"),
        (4, "agent"),
        (5, "agent"),
    ]
    assert (episode.steps, person.steps, person.assisted) == (3, 2, True)
    assert [line["order"] for line in of_kind(tmp_path, "person")] == ["take", "give"]


def test_handing_back_resumes_an_agent_that_was_paused_before(guest: Guest, tmp_path: Path) -> None:
    def never() -> None:
        raise AssertionError("the agent still waits")

    agent = Ordering(
        tmp_path, 3, at_1=[Order(order="pause"), Order(order="take"), Order(order="give")]
    )
    with Trajectory(tmp_path) as trajectory:
        person = SupervisedTrial(tmp_path, guest, trajectory, 0.0, check=never)
        run_episode(agent, guest, CATALOGUE, Limits(20), trajectory, hooks=Hooks(person=person))
    live = LiveTrajectory(tmp_path)
    live.read()
    assert (len(agent.seen), live.state) == (3, "running"), "as the control room shows it"


def test_a_call_ordered_by_a_person_is_carried_out_once_and_recorded_with_its_result(
    guest: Guest, running: tuple[str, Desktop], tmp_path: Path
) -> None:
    wanted = Act(call="calc_set_cell_value", arguments={"cell": "B7", "value": "seven"})
    nowhere = Act(call="calc_nowhere")
    orders = [
        Order(order="take"),
        Order(order="do", acts=(wanted,)),
        Order(order="do", acts=(nowhere,)),
        Order(order="give"),
        Order(order="do", acts=(wanted,)),
    ]
    agent = Ordering(tmp_path, 3, at_1=orders)
    with Trajectory(tmp_path) as trajectory:
        apps = {tool.name: tool.app for tool in CATALOGUE.values()}
        person = SupervisedTrial(tmp_path, guest, trajectory, 0.0, apps)
        run_episode(agent, guest, CATALOGUE, Limits(20), trajectory, hooks=Hooks(person=person))
    done, failed = (line for line in of_kind(tmp_path, "step") if line["actor"] == "human")
    assert running[1].cells["B7"] == "seven"
    assert running[1].done.count("calc_set_cell_value") == 1
    assert (done["apps"], done["results"][0]["error"]) == (["calc"], "")
    assert (failed["apps"], bool(failed["results"][0]["error"])) == ([None], True)
    written = "calc_set_cell_value(cell='B7', value='seven'), calc_nowhere()."
    assert agent.seen[1].notes[0].endswith(f"did this: {written}")


@given(
    st.from_regex(r"[a-z]+_[a-z_]+", fullmatch=True).filter(lambda name: not iskeyword(name)),
    st.dictionaries(
        st.from_regex(r"[a-z]{1,8}", fullmatch=True).filter(lambda name: not iskeyword(name)),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
            max_leaves=5,
        ),
    ),
)
def test_a_call_as_it_is_written_is_read_back(name: str, arguments: dict[str, object]) -> None:
    assert read_call(written(name, arguments)) == Act(call=name, arguments=arguments)


@every_case(
    "line",
    ["", "computer_click", "click(3, 4)", "f(**{'a': 1})", "f(x=g())", "f(x=1); g()", "a.b()"],
)
def test_text_that_is_not_a_call_is_refused_with_the_expected_format(line: str) -> None:
    with pytest.raises(ValueError, match=r"computer_click\(x=640, y=360\)"):
        read_call(line)


def test_input_is_ignored_while_nobody_has_taken_over(guest: Guest, tmp_path: Path) -> None:
    agent = Ordering(tmp_path, 3, at_1=[Order(order="act", acts=(CLICK,))])
    _, person = play(agent, guest, tmp_path)
    assert (person.steps, person.assisted) == (0, False)
    assert agent.seen[1].notes == ()


def test_a_trial_ended_by_a_person_is_assisted_and_one_ended_as_void_runs_again(
    suite: Suite, tmp_path: Path
) -> None:
    ends = {"cell": iter(["void", "done"]), "impossible": iter(["infeasible"])}

    class Ended:
        def __init__(self, task: str) -> None:
            self._task = task

        def step(self, observation: Observation) -> Decision:
            end = next(ends[self._task])
            order = Order.model_validate({"order": "stop", "end": end, "text": "a test"})
            post(tmp_path / f"{self._task}.1", order)
            return Decision()

    def made(name: str, task: Task, briefing: Briefing) -> Ended:
        return Ended(task.name)

    run_in(tmp_path, suite, config_of(suite), make_agent=made)
    rows: dict[str, list[Row]] = {"cell": [], "impossible": []}
    for row in read_rows(tmp_path):
        rows[row.task].append(row)
    void, done = rows["cell"]
    assert (void.fate, done.fate, done.stop, done.assisted) == ("void", "scored", "done", True)
    assert void.failure is not None
    assert "a person ended the trial as void: a test" in void.failure.message
    (infeasible,) = rows["impossible"]
    assert (infeasible.score, infeasible.assisted) == (1.0, True)


@every_case(
    ("said", "what"),
    [
        ({"order": "hint", "text": " "}, "needs a text"),
        ({"order": "stop"}, "stop needs an end"),
        ({"order": "pause", "end": "done"}, "stop needs an end"),
        ({"order": "dance"}, "pause"),
    ],
)
def test_an_invalid_order_is_refused(said: dict[str, str], what: str) -> None:
    with pytest.raises(ValidationError, match=what):
        Order.model_validate(said)


def test_an_incomplete_line_is_read_once_complete_and_a_damaged_one_is_skipped(
    tmp_path: Path,
) -> None:
    orders = Orders(tmp_path)
    assert orders.new() == []
    whole = Order(order="pause").model_dump_json().encode()
    with (tmp_path / "orders.jsonl").open("ab", buffering=0) as file:
        file.write(b"damaged\n" + whole[:10])
        assert orders.new() == []
        file.write(whole[10:] + b"\n")
    assert [each.order for each in orders.new()] == ["pause"]
    assert orders.new() == []
