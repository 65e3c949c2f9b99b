"""The stand-in model expresses its decisions in every dialect (no desktop needed)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from ambidex.host import (
    Agent,
    Answer,
    Briefing,
    Decision,
    Form,
    Frame,
    Limits,
    Observation,
    Request,
    ToolCall,
    ToolResult,
    ToolSpec,
    Usage,
)
from ambidex.host.agents.model import ModelAgent
from ambidex.host.agents.oracle import play_oracle
from ambidex.host.dialects import dialects, open_dialect
from ambidex.host.records.config import ModelConfig
from ambidex.host.records.gateway_options import GatewayOptions
from ambidex.host.runs.first_request import BODIES
from ambidex.host.toolsets import Server
from ambidex.host.toolsets.gateway import Gateway
from ambidex.host.toolsets.importers.desktop import from_desktop
from ambidex.host.toolsets.toolset import Toolset, ToolsetWriter
from ambidex.tasks import Task, is_gui
from ambidex.tasks.load import load_suite
from ambidex.tasks.toolset import read_tools
from examples.stand_in import app
from tests.support.replaying import Drawn
from tests.support.served import ALL, CATALOGUE
from tests.support.tables import every_case

TASKS = {task.name: task for task in load_suite(Path("tasks/demo"), CATALOGUE).tasks}
SUITE = Path("tasks/company")
COMPANY = {task.name: task for task in load_suite(SUITE, ALL).tasks}
COMPANY_TOOLS = {**ALL, **read_tools(SUITE)}
USED = {call.call for task in TASKS.values() for one in task.spec.oracle for call in one.calls}
TOOLS = [tool for tool in CATALOGUE.values() if tool.name in USED | {"os_get_volume"}]
"""Fewer than all: requests with hundreds of tools are slow to write and read."""
FRAME = Drawn.of((1280, 720), bytes(1280 * 720 * 3))
DOOR = TestClient(app([*TASKS.values(), *COMPANY.values()]))
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


def done(call: ToolCall) -> ToolResult:
    return ToolResult(call.id, "done")


def decisions_of(
    agent: Agent,
    tools: Sequence[ToolSpec],
    execute: Callable[[ToolCall], ToolResult],
    frame: Frame | None = FRAME,
) -> list[Decision]:
    """What the agent decides if these tools are on offer and its calls have these results."""
    decisions = [agent.step(Observation(frame, (), tuple(tools)))]
    while decisions[-1].stop is None:
        results = tuple(map(execute, decisions[-1].calls))
        decisions.append(agent.step(Observation(frame, results, tuple(tools))))
        assert len(decisions) < 60
    return decisions


def player(task: Task, model: Asks, dialect: str) -> ModelAgent:
    config = ModelConfig(name=model.name, dialect=dialect)
    briefing = Briefing(task.spec.instruction, Limits())
    return ModelAgent(model, open_dialect(config, briefing), briefing)


def played(task: Task, model: Asks, dialect: str) -> list[Decision]:
    return decisions_of(player(task, model, dialect), TOOLS, done)


def calls_in(decisions: Sequence[Decision]) -> list[tuple[str, object]]:
    return [(call.name, dict(call.arguments)) for one in decisions for call in one.calls]


@every_case("dialect", dialects())
@every_case("name", ["calc-budget-formulas", "writer-invitation", "music-to-cd"])
def test_it_plays_a_reference_solution_by_tools_in_every_dialect(dialect: str, name: str) -> None:
    task = TASKS[name]
    decisions = played(task, Asks("tools-100"), dialect)
    oracle = next(oracle for oracle in task.spec.oracle if oracle.by == "tools")
    assert calls_in(decisions) == [(call.call, call.with_) for call in oracle.calls]
    assert decisions[-1].stop == oracle.stop
    assert not any(decision.malformed for decision in decisions)


@every_case("dialect", dialects())
@every_case("hand", ["tools", "gui"])
def test_what_a_person_says_is_in_the_next_request(dialect: str, hand: str) -> None:
    model = Asks(f"{hand}-100")
    agent = player(TASKS["files-invoices"], model, dialect)
    tools = tuple(TOOLS)
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


@pytest.fixture(scope="module")
def toolset(tmp_path_factory: pytest.TempPathFactory) -> Toolset:
    """The tools of the firm and of the guest."""
    writer = ToolsetWriter()
    for item in from_desktop(COMPANY_TOOLS.values()):
        if isinstance(item, Server):
            writer.add_server(item)
        else:
            writer.add(item)
    return writer.write(tmp_path_factory.mktemp("toolset") / "firm.toolset")


ROOM = "!the-room:firm.test"


def guest(call: ToolCall) -> ToolResult:
    """A guest in which every call succeeds; those that find or create a room return its id."""
    return ToolResult(call.id, json.dumps({"room_id": ROOM}) if "Room" in call.name else "done")


class Behind:
    """A gateway to the toolset, and what the guest is sent through it."""

    def __init__(self, toolset: Toolset) -> None:
        self._gateway = Gateway(GatewayOptions(toolsets=(str(toolset.path),)), (toolset,))
        self.tools = [*self._gateway.own.values()]
        self.errors: list[str] = []
        self.sent: list[tuple[str, object]] = []

    def __call__(self, call: ToolCall) -> ToolResult:
        result, _ = self._gateway.answer(call, self._send)
        self.errors += [result.error] if result.error else []
        return result

    def _send(self, call: ToolCall) -> ToolResult:
        self.sent.append((call.name, dict(call.arguments)))
        return guest(call)


def test_behind_a_gateway_it_searches_and_calls_like_the_reference_solution(
    toolset: Toolset,
) -> None:
    behind = Behind(toolset)
    for task in [*COMPANY.values()][::3]:
        agent = player(task, Asks("tools-100"), "functions")
        decisions = decisions_of(agent, behind.tools, behind, None)
        expected = decisions_of(play_oracle(task, "tools"), behind.tools, behind, None)
        assert calls_in(decisions) == calls_in(expected), task.name
        assert decisions[-1].stop == expected[-1].stop
        (oracle, *_) = (oracle for oracle in task.spec.oracle if oracle.by == "tools")
        plan = [call.call for call in oracle.calls]
        assert [name for name, _ in behind.sent] == plan * 2, task.name
        assert (ROOM in str(behind.sent)) == any(call.keep for call in oracle.calls)
        assert "'$" not in str(behind.sent)
        behind.sent.clear()
    assert not behind.errors


@every_case("hand", ["tools", "gui"])
@every_case("name", ["eng-next-release", "hr-headcount-sheet", "proj-monday-hours"])
def test_it_plays_the_firm_by_named_tools_and_by_hand(hand: str, name: str) -> None:
    task = COMPANY[name]
    gui = [tool for tool in ALL.values() if is_gui(tool.app)]
    tools = gui if hand == "gui" else [COMPANY_TOOLS[tool] for tool in task.spec.useful_tools]
    agent = player(task, Asks("tools-100"), "functions")
    decisions = decisions_of(agent, tools, guest)
    expected = decisions_of(play_oracle(task, hand), tools, guest)
    assert calls_in(decisions) == calls_in(expected)
    assert all(len(decision.calls) == 1 for decision in decisions[:-1])


@every_case("dialect", dialects())
def test_it_searches_in_every_dialect(dialect: str, toolset: Toolset) -> None:
    behind, task = Behind(toolset), COMPANY["eng-ask-reporters"]
    decisions_of(player(task, Asks("tools-100"), dialect), behind.tools, behind)
    (oracle, *_) = task.spec.oracle
    assert behind.sent == [(call.call, call.with_) for call in oracle.calls]


def test_behind_a_gateway_each_fault_is_shown_once(toolset: Toolset) -> None:
    behind, task = Behind(toolset), COMPANY["fin-payments"]
    agent = player(task, Asks("tools-100-garbled-astray-terse-cut"), "functions")
    decisions = decisions_of(agent, behind.tools, behind, None)
    (oracle, *_) = task.spec.oracle
    first, second, _, last = (
        ("call_tool", {"name": call.call, "arguments": call.with_}) for call in oracle.calls
    )
    assert calls_in(decisions) == [
        ("find_tools", {"query": "database execute sql"}),
        first,
        ("call_tool", {"name": "files_read_text", "arguments": {"path": "~/todo.txt"}}),
        second,
        ("find_tools", {"query": "chat"}),  # finds tools of the chat, but not chat_findRoom
        ("find_tools", {"query": "chat send message"}),
        last,
    ]
    assert sum(bool(decision.malformed) for decision in decisions) == 2
