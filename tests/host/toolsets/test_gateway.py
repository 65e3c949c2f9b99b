"""The gateway: what its tools answer, and what it executes in the guest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from ambidex.host import ToolCall, ToolResult
from ambidex.host.errors import UsageError
from ambidex.host.models.exposure import exposure_of
from ambidex.host.records.config import Exposure
from ambidex.host.records.gateway_options import GatewayOptions
from ambidex.host.records.retrieval import names_in
from ambidex.host.records.trajectory import ExecutedTool
from ambidex.host.toolsets import (
    CatalogueTool,
    DesktopExecution,
    HttpExecution,
    McpExecution,
    Server,
)
from ambidex.host.toolsets.gateway import Gateway, open_gateway
from ambidex.host.toolsets.guests import Guests
from ambidex.host.toolsets.importers.mcp import mcp_tool
from ambidex.host.toolsets.index import ToolIndex
from ambidex.host.toolsets.retrieval import Query
from ambidex.host.toolsets.toolset import Toolset, ToolsetWriter
from ambidex.host.toolsets.toolset_tools import open_tools
from tests.support.tables import every_case

CELL = {
    "type": "object",
    "properties": {"cell": {"type": "string"}, "value": {"type": "integer"}},
    "required": ["cell", "value"],
}


def toolset_of(folder: Path, *tools: CatalogueTool) -> Toolset:
    writer = ToolsetWriter()
    for name in sorted({tool.server for tool in tools}):
        writer.add_server(Server(name=name, description=f"The {name} service."))
    for tool in tools:
        writer.add(tool)
    return writer.write(folder / "small.toolset")


@pytest.fixture(scope="module")
def toolset(tmp_path_factory: pytest.TempPathFactory) -> Toolset:
    return toolset_of(
        tmp_path_factory.mktemp("toolset"),
        CatalogueTool(
            server="forge",
            name="forge_close_issue",
            description="Close an issue of a project.",
            input_schema={"type": "object", "properties": {"id": {"type": "integer"}}},
            execution=HttpExecution(method="POST", path="/issues/{id}/close"),
        ),
        CatalogueTool(
            server="calc",
            name="set_cell",
            description="Write a number into a cell of a spreadsheet.",
            input_schema=CELL,
            execution=DesktopExecution(tool="calc_set_cell_value"),
        ),
        CatalogueTool(
            server="weather",
            name="get_forecast",
            description="The weather forecast of a city.",
            execution=McpExecution(tool="get-forecast"),
            executable=False,
            cause="it needs the network",
        ),
    )


class Sent:
    """Stands in for the guest: remembers what it was sent."""

    def __init__(self, error: str = "") -> None:
        self.calls: list[ToolCall] = []
        self._error = error

    def __call__(self, call: ToolCall) -> ToolResult:
        self.calls.append(call)
        return ToolResult(call.id, "done", self._error)


def gateway_of(toolset: Toolset, **options: Any) -> Gateway:
    return Gateway(GatewayOptions(toolsets=(str(toolset.path),), **options), (toolset,))


def test_find_tools_returns_full_specifications_best_first(toolset: Toolset) -> None:
    sent = Sent()
    call = ToolCall("1", "find_tools", {"query": "write into a spreadsheet's cell"})
    result, executed = gateway_of(toolset).answer(call, sent)
    [first, *_] = json.loads(result.text)
    assert first == {
        "name": "set_cell",
        "description": "Write a number into a cell of a spreadsheet.",
        "parameters": CELL,
    }
    assert (result.error, executed, sent.calls) == ("", None, [])


def test_route_reads_the_tag_of_a_query_and_answers_in_yaml(toolset: Toolset) -> None:
    query = "I want to.\n<tool_assistant>\nserver: forge\ntool: close issue\n</tool_assistant>"
    call = ToolCall("1", "route", {"query": query})
    result, _ = gateway_of(toolset, form="route", top=1).answer(call, Sent())
    [found] = yaml.safe_load(result.text)
    assert (found["server_name"], found["tool_name"]) == ("forge", "forge_close_issue")
    assert list(names_in(result.text)) == ["forge_close_issue"]
    assert found["input_schema"]["properties"] == {"id": {"type": "integer"}}


def test_a_tool_that_cannot_be_executed_is_found_with_its_cause(toolset: Toolset) -> None:
    call = ToolCall("1", "find_tools", {"query": "weather forecast", "num_tools": 1})
    result, _ = gateway_of(toolset).answer(call, Sent())
    assert json.loads(result.text)[0]["unavailable"] == "it needs the network"


def test_an_execution_is_one_call_of_the_generic_tool(toolset: Toolset) -> None:
    sent = Sent()
    arguments = {"name": "forge_close_issue", "arguments": {"id": 3}}
    result, executed = gateway_of(toolset).answer(ToolCall("7", "call_tool", arguments), sent)
    [call] = sent.calls
    assert (call.id, call.name) == ("7", "service_call")
    assert call.arguments["arguments"] == {"id": 3}
    assert (call.arguments["server"]["name"], call.arguments["tool"]) == (
        "forge",
        "forge_close_issue",
    )
    assert call.arguments["execution"]["path"] == "/issues/{id}/close"
    assert executed == ExecutedTool("forge", "forge_close_issue", {"id": 3})
    assert result.text == "done"


def test_a_tool_of_the_desktop_is_called_as_the_guest_names_it(toolset: Toolset) -> None:
    sent = Sent()
    arguments = {
        "server_name": "calc",
        "tool_name": "set_cell",
        "params": {"cell": "A1", "value": 1},
    }
    call = ToolCall("7", "execute-tool", arguments)
    _, executed = gateway_of(toolset, form="route").answer(call, sent)
    assert sent.calls == [ToolCall("7", "calc_set_cell_value", {"cell": "A1", "value": 1})]
    assert executed == ExecutedTool("calc", "set_cell", {"cell": "A1", "value": 1})


@every_case(
    ("form", "name", "arguments", "error"),
    [
        ("route", "execute-tool", {"server_name": "x", "tool_name": "y"}, "unknown_server"),
        ("route", "execute-tool", {"server_name": "calc", "tool_name": "y"}, "unknown_tool"),
        ("route", "execute-tool", {"tool_name": "y"}, "bad_arguments"),
        ("find", "call_tool", {"name": "nothing"}, "unknown_tool"),
        ("find", "call_tool", {"name": "set_cell", "arguments": {"cell": 1}}, "bad_arguments"),
        ("find", "call_tool", {"name": "get_forecast"}, "unavailable_tool"),
        ("find", "find_tools", {"query": 1}, "bad_arguments"),
    ],
)
def test_a_wrong_call_is_an_error_and_never_reaches_the_guest(
    toolset: Toolset, form: str, name: str, arguments: dict[str, Any], error: str
) -> None:
    sent = Sent()
    result, executed = gateway_of(toolset, form=form).answer(ToolCall("1", name, arguments), sent)
    assert (result.error, executed, sent.calls) == (error, None, [])


@every_case("error", ["timeout", "crashed"])
def test_the_guest_s_errors_are_passed_on_as_executed(toolset: Toolset, error: str) -> None:
    call = ToolCall("1", "call_tool", {"name": "forge_close_issue"})
    result, executed = gateway_of(toolset).answer(call, Sent(error))
    assert result.error == error
    assert executed == ExecutedTool("forge", "forge_close_issue")


def test_found_tools_may_be_called_directly_only_by_policy(toolset: Toolset) -> None:
    search = ToolCall("1", "find_tools", {"query": "spreadsheet weather"})
    for direct, names in ((False, []), (True, ["set_cell"])):
        gateway, sent = gateway_of(toolset, direct_calls=direct), Sent()
        offer = gateway.with_found(lambda frame: ())
        assert offer(None) == ()
        gateway.answer(search, sent)
        assert [tool.name for tool in offer(None)] == names
        assert gateway.answers("set_cell") is direct
    call = ToolCall("2", "set_cell", {"cell": "A1", "value": 1})
    _, executed = gateway.answer(call, sent)
    assert (executed, len(sent.calls)) == (None, 1)


@given(st.integers(1, 9), st.integers(1, 9))
def test_equal_matches_are_in_the_toolset_s_order(
    tmp_path_factory: pytest.TempPathFactory, count: int, top: int
) -> None:
    same = [
        CatalogueTool(
            server="s",
            name=f"zz{number}",
            description="Resize.",
            execution=McpExecution(tool="t"),
        )
        for number in reversed(range(count))
    ]
    other = CatalogueTool(server="s", name="other", execution=McpExecution(tool="t"))
    small = toolset_of(tmp_path_factory.mktemp("equal"), *same, other)
    gateway = gateway_of(small)
    found = [tool.name for tool in gateway.search(Query("resize"), top)]
    assert found == [f"zz{number}" for number in range(count)][:top]


@given(st.text())
def test_any_query_is_answered_in_both_forms(toolset: Toolset, query: str) -> None:
    for form, name in (("find", "find_tools"), ("route", "route")):
        gateway = gateway_of(toolset, form=form)
        result, executed = gateway.answer(ToolCall("1", name, {"query": query}), Sent())
        assert (result.error, executed) == ("", None)


def test_an_index_is_built_once_and_found_again(toolset: Toolset) -> None:
    first = ToolIndex.open([toolset]).scores("close an issue").tolist()
    assert ToolIndex.open([toolset]).scores("close an issue").tolist() == first
    folders = list(toolset.path.parent.glob("*.index-*"))
    assert len(folders) == 1


def test_two_tools_of_one_name_are_refused(toolset: Toolset) -> None:
    options = GatewayOptions(toolsets=(str(toolset.path),))
    with pytest.raises(UsageError, match="two tools are named"):
        Gateway(options, (toolset, toolset))


def test_the_configuration_says_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="require each other"):
        Exposure(policy="gateway")
    with pytest.raises(ValidationError, match="form = 'find'"):
        GatewayOptions(toolsets=("x",), form="route", direct_calls=True)
    with pytest.raises(UsageError, match="--toolsets"):
        exposure_of("gateway", 20)
    missing = exposure_of("gateway", 20, "find", (str(tmp_path / "none"),))
    with pytest.raises(UsageError, match="No such file"):
        open_gateway(missing, "tools", "")
    assert open_gateway(missing, "gui", "") is None


def test_tools_of_several_toolsets_are_found_in_one_ranking(
    toolset: Toolset, tmp_path: Path
) -> None:
    second = CatalogueTool(
        server="mail",
        name="send_mail",
        description="Send a message about a project.",
        execution=McpExecution(tool="send"),
    )
    both = (toolset, toolset_of(tmp_path, second))
    gateway = Gateway(GatewayOptions(toolsets=tuple(str(one.path) for one in both)), both)
    assert [tool.name for tool in gateway.search(Query("send a message"), 1)] == ["send_mail"]
    found = {tool.name for tool in gateway.search(Query("project"), 5)}
    assert found == {"forge_close_issue", "send_mail"}


@every_case("server", ["computer", "browser", "gateway"])
def test_a_server_that_would_be_counted_as_another_app_is_refused(
    tmp_path_factory: pytest.TempPathFactory, server: str
) -> None:
    tool = CatalogueTool(server=server, name="click", execution=DesktopExecution(tool="click"))
    reserved = toolset_of(tmp_path_factory.mktemp("reserved"), tool)
    with pytest.raises(UsageError, match="may not be named"):
        gateway_of(reserved)


def test_tools_of_toolsets_are_offered_like_the_guests_own(toolset: Toolset) -> None:
    assert open_tools(Exposure(), "tools", "") is None
    exposure = exposure_of("named", 20, toolsets=(str(toolset.path),))
    assert open_tools(exposure, "gui", "") is None
    tools = open_tools(exposure, "tools", "")
    assert tools is not None
    assert tools.specs().keys() == {"forge_close_issue", "set_cell"}, "get_forecast is unavailable"
    sent = Sent()
    refused, _ = tools.answer(ToolCall("1", "forge_close_issue", {"id": "three"}), sent)
    assert (refused.error, sent.calls) == ("bad_arguments", [])
    closed, _ = tools.answer(ToolCall("2", "forge_close_issue", {"id": 3}), sent)
    assert (closed.text, sent.calls[0].name) == ("done", "service_call")
    with pytest.raises(UsageError, match="two tools are named forge_close_issue"):
        tools.refuse_names(["click", "forge_close_issue"])


def test_a_toolset_without_tools_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no tools in .*small\.toolset"):
        gateway_of(toolset_of(tmp_path))


def test_a_tool_that_no_guest_can_execute_is_refused_before_a_run(
    toolset: Toolset, tmp_path: Path
) -> None:
    options, guests = GatewayOptions(toolsets=("small",)), Guests.of("debian-12")
    with pytest.raises(UsageError, match=r"forge_close_issue of forge: debian-12 has no service"):
        Gateway(options, (toolset,), guests).tools.check_executions()
    fine = toolset_of(tmp_path, *(tool for tool in toolset if tool.server != "forge"))
    Gateway(options, (fine,), guests).tools.check_executions()


def test_route_knows_the_tools_of_mcp_servers_by_their_own_names(tmp_path: Path) -> None:
    tools = (mcp_tool(server, "list_items", f"List {server}.", {}) for server in ("a b", "c"))
    gateway, sent = gateway_of(toolset_of(tmp_path, *tools), form="route"), Sent()
    result, _ = gateway.answer(ToolCall("1", "route", {"query": "list"}), sent)
    found = yaml.safe_load(result.text)
    assert [(tool["server_name"], tool["tool_name"]) for tool in found] == [
        ("a b", "list_items"),
        ("c", "list_items"),
    ]
    for name in ("list_items", "a_b_list_items"):
        arguments = {"server_name": "a b", "tool_name": name}
        _, executed = gateway.answer(ToolCall("2", "execute-tool", arguments), sent)
        assert executed == ExecutedTool("a b", "list_items", {})
    assert [call.arguments["tool"] for call in sent.calls] == ["a_b_list_items"] * 2


def test_arguments_are_left_to_the_server_where_a_schema_is_itself_wrong(tmp_path: Path) -> None:
    page = {"type": "integer", "minimum": 0, "exclusiveMinimum": True}  # of an older draft
    tool = mcp_tool("pdf", "read", "Read a page.", {"properties": {"page": page}})
    gateway, sent = gateway_of(toolset_of(tmp_path, tool)), Sent()
    arguments = {"name": "pdf_read", "arguments": {"page": 1}}
    result, _ = gateway.answer(ToolCall("1", "call_tool", arguments), sent)
    assert (result.error, len(sent.calls)) == ("", 1)
