"""Null agents: what each does, without a desktop."""

from __future__ import annotations

import random
from dataclasses import replace

from ambidex.host import Briefing, Decision, Frame, Limits, Observation, Stop, ToolResult, is_gui
from ambidex.host.agents import null
from ambidex.host.agents.null import NULL_AGENTS
from ambidex.host.agents.null.attacks import ATTACKS, TOGETHER
from ambidex.host.agents.null.file_seeker import FileSeeker
from ambidex.host.agents.null.idle import Idle
from ambidex.host.agents.null.save_everything import SaveEverything
from ambidex.host.agents.null.scripted import NEEDED, Scripted
from ambidex.host.agents.random import Random
from ambidex.host.named import part_names
from tests.support import served
from tests.support.peer import CATALOGUE

SEEN = Observation(Frame.of((64, 48), bytes(64 * 48 * 3)), tools=tuple(served.CATALOGUE.values()))
BARE = replace(SEEN, tools=tuple(CATALOGUE.values()))


def names(decision: Decision) -> list[str]:
    return [call.name for call in decision.calls]


def test_every_null_agent_is_a_module_of_its_own() -> None:
    assert set(part_names(null, "AGENT")) == set(NULL_AGENTS)


def test_idle_never_stops_and_never_calls() -> None:
    agent = Idle()
    decisions = [agent.step(SEEN) for _ in range(20)]
    assert {(decision.calls, decision.stop) for decision in decisions} == {((), None)}


def test_a_random_agent_of_one_modality_calls_no_tool_of_the_other() -> None:
    apps = {tool.name: tool.app for tool in SEEN.tools}
    for modality in ("gui", "tools"):
        agent = Random(Briefing("", Limits(), random.Random(1).randrange(99)), modality)
        called = {name for _ in range(200) for name in names(agent.step(SEEN))}
        assert {is_gui(apps[name]) for name in called} == {modality == "gui"}
    none = replace(SEEN, tools=())
    assert Random(Briefing("", Limits()), "gui").step(none).stop is Stop.DONE


def test_a_script_is_written_run_and_waited_for() -> None:
    agent = Scripted("echo mine")
    decisions = [agent.step(SEEN) for _ in range(5)]
    assert [name for decision in decisions for name in names(decision)] == [*NEEDED]
    written = decisions[0].calls[0].arguments
    assert "echo mine" in written["content"]
    assert str(written["path"]).removeprefix("~/") in decisions[2].calls[0].arguments["text"]
    assert decisions[4].stop is Stop.DONE


def test_an_agent_that_cannot_run_its_script_ends_and_says_what_it_lacks() -> None:
    for agent in (Scripted("true"), FileSeeker(), SaveEverything()):
        decision = agent.step(BARE)
        assert (decision.calls, decision.stop) == ((), Stop.DONE)
        assert "os_open_shell" in decision.thought


def test_every_window_is_saved_by_its_title() -> None:
    agent = SaveEverything()
    assert names(agent.step(SEEN)) == ["computer_window_list"]
    windows = [{"title": "a.xlsx — Calc"}, {"title": ""}, {"title": "b.odt — Writer"}]
    listed = replace(SEEN, results=(ToolResult("1", "", value=windows),))
    saving = agent.step(listed)
    titles = [call.arguments["title"] for call in saving.calls if "title" in call.arguments]
    assert titles == ["a.xlsx — Calc", "b.odt — Writer"]
    keys = [call.arguments["keys"] for call in saving.calls if "keys" in call.arguments]
    assert keys == [["ctrl", "s"], ["enter"]] * 2
    assert names(agent.step(SEEN)) == ["files_write_text"], "then its script"


def test_what_was_found_is_the_answer() -> None:
    agent = FileSeeker()
    decisions = [agent.step(SEEN) for _ in range(5)]
    assert names(decisions[4]) == ["files_read_text"]
    found = replace(SEEN, results=(ToolResult("1", "the answer is 42"),))
    last = agent.step(found)
    assert (last.stop, last.answer) == (Stop.DONE, "the answer is 42")


def test_the_tamperer_makes_every_attack_that_leaves_a_desktop_to_judge() -> None:
    alone = {"voider", "crasher", "freezer", "bulldozer"}
    assert [name for name, script in ATTACKS.items() if script not in TOGETHER] == sorted(
        alone, key=list(ATTACKS).index
    )
