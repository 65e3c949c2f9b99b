"""Whole trials through a gateway: what is offered, executed, recorded and counted."""

from __future__ import annotations

from pathlib import Path

from ambidex.evaluators.key_points import CALL_LIST
from ambidex.host import Decision, Limits, Observation, Stop, ToolCall
from ambidex.host.models.exposure import exposure_of
from ambidex.host.records.recorded_steps import load_step
from ambidex.host.records.trajectory import ExecutedTool, calls_of, read_trajectory
from ambidex.host.report.tool_use import choice
from ambidex.host.toolsets import CatalogueTool, DesktopExecution, Server
from ambidex.host.toolsets.toolset import ToolsetWriter
from ambidex.tasks import Suite
from tests.support.peer import CATALOGUE, PeerMachine
from tests.support.suites import config_of, run_in


class Searches:
    """Clicks, searches, calls what was found, then one tool that does not exist."""

    def __init__(self) -> None:
        self.seen: list[Observation] = []

    def step(self, observation: Observation) -> Decision:
        self.seen.append(observation)
        cell = {"cell": "B2", "value": 42}
        steps: list[tuple[str, dict[str, object]]] = [
            ("computer_click", {"x": 1, "y": 1}),
            ("find_tools", {"query": "set the value of a cell"}),
            ("call_tool", {"name": "calc_set_cell_value", "arguments": cell}),
            ("call_tool", {"name": "calc_save"}),
            ("call_tool", {"name": "nothing"}),
        ]
        number = len(self.seen)
        if number > len(steps):
            return Decision(stop=Stop.DONE)
        return Decision(calls=(ToolCall(f"{id(self)}-{number}", *steps[number - 1]),))


def test_a_task_is_solved_through_the_gateway_beside_the_mouse(
    suite: Suite, tmp_path: Path
) -> None:
    writer = ToolsetWriter()
    writer.add_server(Server(name="sheets"))
    for tool in CATALOGUE.values():
        if tool.app == "calc":
            execution = DesktopExecution(tool=tool.name)
            schema = tool.parameters
            writer.add(
                CatalogueTool(
                    server="sheets", name=tool.name, input_schema=schema, execution=execution
                )
            )
    path = tmp_path / "sheets.toolset"
    writer.write(path)
    agents = {"cell": Searches(), "impossible": Searches()}
    agent = agents["cell"]
    config = config_of(
        suite,
        exposure=exposure_of("gateway", 20, "find", (str(path),)),
        limits=Limits(steps=9),
    )
    rows = run_in(
        tmp_path / "run", suite, config, PeerMachine, lambda name, task, briefing: agents[task.name]
    )
    row = next(row for row in rows if row.task == "cell")
    assert (row.fate, row.score) == ("scored", 1.0)
    names = [tool.name for tool in agent.seen[0].tools]
    assert names == ["computer_click", "call_tool", "find_tools"]
    assert "calc_set_cell_value" in agent.seen[2].results[0].text
    counts = {(count.tool, count.app): (count.calls, count.errors) for count in row.calls}
    assert counts == {
        ("computer_click", "computer"): (1, 0),
        ("find_tools", "gateway"): (1, 0),
        ("call_tool", "gateway"): (3, 1),
        ("calc_set_cell_value", "sheets"): (1, 0),
        ("calc_save", "sheets"): (1, 0),
    }
    assert (row.tool_calls, row.gui_calls, row.steps) == (2, 1, 6)
    assert row.offered == ()
    use = choice([row])
    assert (use.tool_calls, use.gateway_calls, use.gateway_errors) == (2, 4, 1)
    lines = [
        line for line in read_trajectory(tmp_path / "run" / row.folder) if line["kind"] == "step"
    ]
    trial = tmp_path / "run" / row.folder
    value = {"cell": "B2", "value": 42}
    executed = ExecutedTool("sheets", "calc_set_cell_value", value)
    assert load_step(trial, lines[2]).executed == [executed]
    assert [line["executed"] for line in lines[1:4]] == [
        [None],
        [{"server": "sheets", "tool": "calc_set_cell_value", "arguments": value}],
        [{"server": "sheets", "tool": "calc_save", "arguments": {}}],
    ]
    calls = [(call["server"], call["tool"], call["search"]) for call in calls_of(trial)]
    assert calls == [
        ("", "computer_click", False),
        ("", "find_tools", True),
        ("sheets", "calc_set_cell_value", False),
        ("sheets", "calc_save", False),
        ("", "call_tool", False),
    ]
    assert calls_of(trial)[2]["arguments"] == value
    assert (row.retriever, CALL_LIST.validate_python(calls_of(trial))[1].search) == ("bm25", True)
