"""The stand-in model expresses its decisions in every dialect (no desktop needed)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from ambidex.host import (
    Answer,
    Briefing,
    Decision,
    Form,
    Limits,
    Observation,
    Request,
    ToolResult,
    Usage,
)
from ambidex.host.agents.model import ModelAgent
from ambidex.host.dialects import dialects, open_dialect
from ambidex.host.records.config import ModelConfig
from ambidex.host.runs.first_request import BODIES
from ambidex.tasks import Task
from ambidex.tasks.load import load_suite
from examples.stand_in import app
from tests.support.replaying import Drawn
from tests.support.served import CATALOGUE
from tests.support.tables import every_case

TASKS = {task.name: task for task in load_suite(Path("tasks/demo"), CATALOGUE).tasks}
FRAME = Drawn.of((1280, 720), bytes(1280 * 720 * 3))
DOOR = TestClient(app([*TASKS.values()]))
PATHS = {"chat": "chat/completions", "messages": "messages", "responses": "responses"}


@pytest.fixture(autouse=True, scope="module")
def one_event_loop() -> Iterator[None]:
    """A client that is not entered starts an event loop in a thread for each request."""
    with DOOR:
        yield


class Asks:
    """A `host.Model` that calls the stand-in directly, without a network."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.requests: list[str] = []

    def ask(self, request: Request) -> Answer:
        self.requests.append(json.dumps(request.body, ensure_ascii=False))
        body = {key: value for key, value in request.body.items() if key != "extra_headers"}
        body = {"model": self.name, **body}
        answer = DOOR.post(f"/v1/{PATHS[request.form]}", json=body)
        if answer.status_code == 429:
            return self.ask(request)
        assert answer.status_code == 200, answer.text
        return Answer(answer.json(), Usage(requests=1))


@pytest.mark.parametrize("form", BODIES)
def test_the_first_request_of_a_run_is_answered(form: Form) -> None:
    assert Asks("tools-70").ask(Request(form, BODIES[form]))


def played(task: Task, model: Asks, dialect: str) -> list[Decision]:
    config = ModelConfig(name=model.name, dialect=dialect)
    briefing = Briefing(task.spec.instruction, Limits())
    agent = ModelAgent(model, open_dialect(config, briefing), briefing)
    decisions = [agent.step(Observation(FRAME, (), tuple(CATALOGUE.values())))]
    while decisions[-1].stop is None:
        results = tuple(ToolResult(call.id, "done") for call in decisions[-1].calls)
        decisions.append(agent.step(Observation(FRAME, results, tuple(CATALOGUE.values()))))
        assert len(decisions) < 40
    return decisions


@every_case("dialect", dialects())
@every_case("name", ["calc-budget-formulas", "writer-invitation", "music-to-cd"])
def test_it_plays_a_reference_solution_by_tools_in_every_dialect(dialect: str, name: str) -> None:
    task = TASKS[name]
    decisions = played(task, Asks("tools-100"), dialect)
    oracle = next(oracle for oracle in task.spec.oracle if oracle.by == "tools")
    calls = [(call.name, dict(call.arguments)) for decision in decisions for call in decision.calls]
    assert calls == [(call.call, call.with_) for call in oracle.calls]
    assert decisions[-1].stop == oracle.stop
    assert not any(decision.malformed for decision in decisions)


@every_case("dialect", dialects())
@every_case("hand", ["tools", "gui"])
def test_what_a_person_says_is_in_the_next_request(dialect: str, hand: str) -> None:
    model = Asks(f"{hand}-100")
    briefing = Briefing(TASKS["files-invoices"].spec.instruction, Limits())
    config = ModelConfig(name=model.name, dialect=dialect)
    agent = ModelAgent(model, open_dialect(config, briefing), briefing)
    tools = tuple(CATALOGUE.values())
    hints = ("A person who watches says: look at the top.",)
    decision = agent.step(Observation(FRAME, (), tools))
    results = tuple(ToolResult(call.id, "done") for call in decision.calls)
    decision = agent.step(Observation(FRAME, results, tools, hints))
    assert [hints[0] in request for request in model.requests] == [False, True]
    results = tuple(ToolResult(call.id, "done") for call in decision.calls)
    agent.step(Observation(FRAME, results, tools))
    # The responses API sends only new items; the others send the whole conversation.
    assert model.requests[-1].count(hints[0]) <= 1


@pytest.mark.parametrize("dialect", dialects())
def test_it_plays_by_hand_where_it_is_told_to(dialect: str) -> None:
    decisions = played(TASKS["files-invoices"], Asks("gui-100"), dialect)
    assert {call.name for decision in decisions for call in decision.calls} <= {
        "computer_key",
        "computer_wait",
        "computer_type",
    }
    assert sum(bool(decision.calls) for decision in decisions) > 4


@pytest.mark.parametrize("dialect", dialects())
def test_each_fault_is_shown_once_and_then_it_goes_on(dialect: str) -> None:
    model = Asks("tools-100-busy-garbled-astray-unwilling-cut")
    decisions = played(TASKS["calc-budget-formulas"], model, dialect)
    reasons = [decision.malformed for decision in decisions if decision.malformed]
    assert len(reasons) == 3
    assert any("refusal" in reason for reason in reasons)
    assert any("cut off" in reason for reason in reasons)
    names = [call.name for decision in decisions for call in decision.calls]
    assert names.count("os_get_volume") == 1
    assert names.count("calc_save") == 1


def test_a_number_in_its_name_is_how_many_tasks_it_solves() -> None:
    whole = {
        name: len(played(task, Asks("tools-100"), "functions")) for name, task in TASKS.items()
    }
    half = {name: len(played(task, Asks("tools-50"), "functions")) for name, task in TASKS.items()}
    shorter = [name for name in TASKS if half[name] < whole[name]]
    assert 0 < len(shorter) < len(TASKS)


def test_a_request_without_a_picture_is_refused() -> None:
    tool = {"type": "function", "function": {"name": "computer_click"}}
    messages = [{"role": "user", "content": "hello"}]
    body = {"model": "tools", "tools": [tool], "messages": messages}
    answer = DOOR.post("/v1/chat/completions", json=body)
    assert (answer.status_code, "image" in answer.text) == (400, True)
