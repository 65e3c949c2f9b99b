"""Agents that need no model."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from ambidex.host import Briefing, Frame, Limits, Observation, Stop, ToolResult
from ambidex.host.agents import check_agent
from ambidex.host.agents.null.says_done import Says
from ambidex.host.agents.oracle import Script, play_oracle
from ambidex.host.agents.random import Random, invent
from ambidex.host.agents.replay import Replay
from ambidex.host.errors import UsageError
from ambidex.host.records.config import offered
from ambidex.host.toolsets.gateway_tools import SPECS
from ambidex.tasks import Suite
from ambidex.tasks.spec import ScriptedCall
from tests.support import served
from tests.support.peer import ALIAS, CATALOGUE
from tests.support.suites import config_of, run_in

SEEN = Observation(Frame.of((64, 48), bytes(64 * 48 * 3)), tools=tuple(CATALOGUE.values()))


def test_invented_arguments_fit_the_schema_of_every_tool_of_the_guest() -> None:
    dice = random.Random(7)
    for tool in served.CATALOGUE.values():
        schema = Draft202012Validator(tool.parameters)
        for _ in range(20):
            arguments = invent(tool.parameters, dice, (1280, 720))
            # A random agent cannot guess a word that fits an arbitrary pattern.
            wrong = [
                error for error in schema.iter_errors(arguments) if error.validator != "pattern"
            ]
            errors = [error.message for error in wrong]
            assert not errors, f"{tool.name} {arguments}: {errors}"


def test_the_same_seed_gives_the_same_calls() -> None:
    def calls(seed: int) -> list[object]:
        agent = Random(Briefing("", Limits(), seed))
        return [(c.name, c.arguments) for _ in range(9) for c in agent.step(SEEN).calls]

    assert calls(1) == calls(1)
    assert calls(1) != calls(2)


def test_doing_nothing_is_done_at_once() -> None:
    decision = Says(Stop.DONE).step(SEEN)
    assert (decision.calls, decision.stop) == ((), Stop.DONE)


def test_an_oracle_makes_one_call_a_step_and_then_stops(suite: Suite) -> None:
    agent = play_oracle(suite.tasks[0], "tools")
    decisions = [agent.step(SEEN) for _ in range(3)]
    assert [d.calls[0].name for d in decisions[:2]] == ["calc_set_cell_value", "calc_save"]
    assert decisions[2].stop is Stop.DONE
    with pytest.raises(UsageError, match="no oracle by gui"):
        play_oracle(suite.tasks[0], "gui")


def test_in_hybrid_any_oracle_will_do(suite: Suite) -> None:
    check_agent("oracle", config_of(suite), suite.tasks)
    with pytest.raises(UsageError, match="no oracle by tools for impossible"):
        check_agent("oracle", config_of(suite, condition="tools"), suite.tasks)


def test_a_replay_repeats_the_recorded_calls(suite: Suite, tmp_path: Path) -> None:
    first = run_in(tmp_path / "one", suite, config_of(suite, agents=("oracle",)))
    agents = (f"replay:{tmp_path / 'one'}",)
    second = run_in(tmp_path / "two", suite, config_of(suite, agents=agents))

    def told(rows: list[object]) -> list[object]:
        return [(r.task, r.score, r.steps, r.calls) for r in rows]  # type: ignore[attr-defined]

    assert told(list(first)) == told(list(second))
    assert all(row.success for row in first)
    with pytest.raises(UsageError, match="has no trial of cell"):
        Replay(tmp_path, "cell")


def test_a_replay_of_calls_by_reference_aliases_uses_our_names(
    suite: Suite, tmp_path: Path
) -> None:
    run_in(tmp_path / "one", suite, config_of(suite, agents=("oracle",)))
    record = tmp_path / "one" / "cell.1" / "trajectory.jsonl"
    said = record.read_text(encoding="utf-8")
    assert '"calc_set_cell_value"' in said
    record.write_text(said.replace('"calc_set_cell_value"', f'"{ALIAS}"'), encoding="utf-8")
    agents = (f"replay:{tmp_path / 'one'}",)
    rows = {
        row.task: row for row in run_in(tmp_path / "two", suite, config_of(suite, agents=agents))
    }
    assert rows["cell"].success
    assert {call.tool: (call.app, call.errors) for call in rows["cell"].calls} == {
        "calc_set_cell_value": ("calc", 0),
        "calc_save": ("calc", 0),
    }


def test_the_conditions_differ_in_the_tools_offered_and_in_nothing_else() -> None:
    tools = tuple(CATALOGUE.values())
    gui, others = offered(tools, "gui"), offered(tools, "tools")
    assert {tool.app for tool in gui.values()} == {"computer"}
    assert "computer" not in {tool.app for tool in others.values()}
    assert gui | others == offered(tools, "hybrid")


def test_an_oracle_uses_what_an_earlier_call_has_returned() -> None:
    calls = [
        {"call": "find", "keep": {"room": "rooms.1.id", "none": "rooms.9.id"}},
        {"call": "send", "with": {"to": ["$room"], "text": "$none", "price": "$5"}},
    ]
    script = Script([ScriptedCall.model_validate(call) for call in calls], Stop.DONE, None)
    script.step(SEEN)
    result = ToolResult("1", '{"rooms": [{"id": "!a"}, {"id": "!b"}]}')
    (call,) = script.step(replace(SEEN, results=(result,))).calls
    assert call.arguments == {"to": ["!b"], "text": None, "price": "$5"}


def test_behind_a_gateway_an_oracle_searches_for_each_tool_once() -> None:
    calls = [
        {"call": "chat_sendMessage", "with": {"body": "a"}},
        {"call": "chat_sendMessage", "with": {"body": "b"}},
        {"call": "files_copy"},
    ]
    script = Script([ScriptedCall.model_validate(call) for call in calls], Stop.DONE, None)
    behind = replace(SEEN, tools=SPECS["find"])
    answers = ["", '[{"name": "chat_sendMessage"}]', "sent", "sent", "No tool matches.", ""]
    made = []
    for answer in answers:
        decision = script.step(replace(behind, results=(ToolResult("1", answer),)))
        made += [(call.name, call.arguments) for call in decision.calls]
    assert made == [
        ("find_tools", {"query": "chat send message"}),
        ("call_tool", {"name": "chat_sendMessage", "arguments": {"body": "a"}}),
        ("call_tool", {"name": "chat_sendMessage", "arguments": {"body": "b"}}),
        ("find_tools", {"query": "files copy"}),
    ]
    assert decision.stop is Stop.DONE
