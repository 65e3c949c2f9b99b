"""What an agent behind a gateway lost to the retriever, to the gateway and to itself, where each
fault was planted."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import pytest

from ambidex.host import Answer, Request, Usage
from ambidex.host.errors import UsageError
from ambidex.host.records.config import Exposure
from ambidex.host.records.gateway_options import GatewayOptions
from ambidex.host.records.retrieval import Retrieval
from ambidex.host.records.rows import read_rows
from ambidex.host.report.report_lines import lines
from ambidex.host.report.tables import hands_table
from ambidex.host.report.tool_use import Searching, searching
from ambidex.host.terminal import Terminal
from ambidex.host.toolsets import CatalogueTool, DesktopExecution, Server
from ambidex.host.toolsets.toolset import Toolset, ToolsetWriter
from ambidex.host.travel.gateway_regret import (
    WAYS,
    ComparedSearch,
    Loss,
    compare_searches,
    gateway_regret,
    search_records,
    searches,
)
from ambidex.host.travel.regret import Outcome
from ambidex.tasks import Suite
from ambidex.tasks.load import load_suite
from tests.support.peer import CATALOGUE
from tests.support.suites import write_suite
from tests.support.travel import Toy, on_peers, recorded, suite_in

SET = "calc_set_cell_value"
FINDS, MISSES = "write a value into a cell", "read a value out of a cell"
Fault = Literal["", "not found", "misused", "not called"]

TASK = """
instruction = "Set A1 to 3."
tool_beneficial = true
useful_tools = ["calc_set_cell_value"]
collect = [{ call = "calc_save", to = "saved.json" }, { get = "~/cells.json" }]

[[check]]
use = "output.json_fields_equal"
with = { file = "cells.json", fields = { A1 = 3 } }
"""


@dataclass
class Searcher:
    """A `host.Model` that searches for a tool, calls what it found, and says that it is done."""

    fault: Fault = ""
    name: str = "searcher"

    def ask(self, request: Request) -> Answer:
        """See `Model`."""
        body = json.loads(json.dumps(request.body))
        offered = {tool["function"]["name"] for tool in body["tools"]}
        name, arguments = self._next(body["messages"], offered)
        call = {"id": "c", "function": {"name": name, "arguments": json.dumps(arguments)}}
        message = {"role": "assistant", "content": f"I {name}.", "tool_calls": [call]}
        usage = Usage(input_tokens=100, output_tokens=10, cost=0.5, requests=1)
        return Answer({"choices": [{"message": message, "finish_reason": "stop"}]}, usage)

    def _next(
        self, messages: list[Mapping[str, Any]], offered: set[str]
    ) -> tuple[str, dict[str, Any]]:
        called = [
            call["function"]["name"]
            for message in messages
            for call in message.get("tool_calls") or ()
        ]
        arguments = {"cell": "A1", "value": 4 if self.fault == "misused" else 3}
        if {"call_tool", SET} & set(called):
            return "finish", {}
        if SET in offered:
            return SET, arguments
        if "find_tools" not in called:
            return "find_tools", {"query": MISSES if self.fault == "not found" else FINDS}
        answers = [str(message["content"]) for message in messages if message["role"] == "tool"]
        if not any(SET in answer for answer in answers):
            return "finish", {}
        wrong = {"cell": "B1", "value": 3} if self.fault == "not called" else arguments
        return "call_tool", {"name": SET, "arguments": wrong}


@pytest.fixture(scope="module")
def toolset(tmp_path_factory: pytest.TempPathFactory) -> Toolset:
    writer = ToolsetWriter()
    writer.add_server(Server(name="calc", description="Spreadsheets."))
    for name, description in (
        (SET, "Write a value into a cell."),
        ("calc_get_cell_value", "Read a value out of a cell."),
    ):
        schema = {"type": "object", "properties": {"cell": {"type": "string"}}}
        writer.add(
            CatalogueTool(
                server="calc",
                name=name,
                description=description,
                input_schema=schema,
                execution=DesktopExecution(tool=name),
            )
        )
    return writer.write(tmp_path_factory.mktemp("toolset") / "small.toolset")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    folder = tmp_path_factory.mktemp("suite")
    write_suite(folder, cell=TASK)
    return load_suite(folder, CATALOGUE)


def behind(toolset: Toolset, *, direct_calls: bool = False) -> Exposure:
    options = GatewayOptions(toolsets=(str(toolset.path),), top=1, direct_calls=direct_calls)
    return Exposure(policy="gateway", gateway=options)


@pytest.mark.parametrize(
    ("fault", "outcomes", "loss"),
    [
        ("not found", (0, 1, 1), "retriever"),
        ("not called", (0, 0, 1), "gateway"),
        ("misused", (0, 0, 0), "model"),
    ],
)
def test_a_planted_fault_is_attributed_to_where_it_is(
    fault: Fault,
    outcomes: tuple[float, float, float],
    loss: Loss,
    toolset: Toolset,
    suite: Suite,
    tmp_path: Path,
) -> None:
    agent = Searcher(fault)
    run, folder = tmp_path / "run", tmp_path / "ways"
    assert not recorded(run, suite, agent, exposure=behind(toolset)).success
    found = searches(run)
    assert [(search.step, search.query) for search in found] == [
        (1, MISSES if fault == "not found" else FINDS)
    ]
    [search] = compare_searches(run, found, 1, CATALOGUE, folder, on_peers(agent))
    assert (search.as_it_was.success, search.answer.success, search.set.success) == outcomes
    assert search.loss == loss
    assert {row.parent.given for row in read_rows(folder / "set") if row.parent} == {"set"}
    [set_row] = read_rows(folder / "set")
    assert "find_tools" not in set_row.offered
    [record] = search_records(run, [search])
    assert {name: record[name] for name in ("retriever", "gateway", "model")} == {
        name: float(name == loss) for name in ("retriever", "gateway", "model")
    }
    total = gateway_regret([search])
    assert getattr(total, loss).value == 1


def test_tools_found_before_the_branch_point_can_still_be_called_directly(
    toolset: Toolset, suite: Suite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agent = Searcher("misused")
    exposure = behind(toolset, direct_calls=True)
    row = recorded(tmp_path / "run", suite, agent, exposure=exposure)
    assert SET in row.offered
    assert row.retrieval == Retrieval(searches=1, words=6, found=(SET,))
    assert searching([row]) == Searching(trials=1, searches=1, words=6, found=1, recall=1)
    Terminal().print(hands_table(lines([tmp_path / "run"])))
    printed = capsys.readouterr().out.splitlines()
    assert any(re.search(r"words of a query\W+6\.0", line) for line in printed), printed
    found = searches(tmp_path / "run")
    later = [replace(search, step=2) for search in found]
    agent.fault = ""
    [search] = compare_searches(
        tmp_path / "run", later, 1, CATALOGUE, tmp_path / "ways", on_peers(agent)
    )
    assert search.as_it_was.success == 1


def test_only_unsolved_trials_behind_a_gateway_have_searches_to_compare(
    toolset: Toolset, suite: Suite, tmp_path: Path
) -> None:
    assert recorded(tmp_path / "solved", suite, Searcher(), exposure=behind(toolset)).success
    with pytest.raises(UsageError, match="no search with a checkpoint"):
        searches(tmp_path / "solved")
    recorded(tmp_path / "without", suite_in(tmp_path / "suite"), Toy(slips={"A1": "tools"}))
    with pytest.raises(UsageError, match="has no gateway"):
        searches(tmp_path / "without")


def test_what_luck_solves_is_lost_to_nobody() -> None:
    def of(success: float) -> Outcome:
        return Outcome(4, success, 3.0, 1.0, None)

    search = ComparedSearch("a.1", "a", 1, "q", of(0.5), of(0.25), of(0.75))
    assert (search.retriever, search.gateway, search.model) == (0.0, 0.25, 0.25)
    assert search.loss == "gateway"
    assert replace(search, as_it_was=of(1.0), set=of(0.0)).loss is None
    assert list(WAYS.values()) == [None, "answer", "set"]
