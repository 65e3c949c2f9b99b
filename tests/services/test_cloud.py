"""AWS in a sandbox: an agent's gateway finds and executes its tools, and the export shows it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ambidex.host import ToolCall, ToolResult
from ambidex.host.client.guest import Guest
from ambidex.host.records.gateway_options import GatewayOptions
from ambidex.host.runs.machines import Source
from ambidex.host.toolsets import AwsExecution, CatalogueTool, HttpExecution, McpExecution, Server
from ambidex.host.toolsets.gateway import Gateway
from ambidex.host.toolsets.guests import Guests
from ambidex.host.toolsets.toolset import ToolsetWriter
from ambidex.vm import Machine
from tests.support.proofs import IMAGE

BUCKET = {"type": "object", "properties": {"Bucket": {"type": "string"}}, "required": ["Bucket"]}
FILES = ("npx", "-y", "@modelcontextprotocol/server-filesystem", "/tmp")


@pytest.fixture(scope="module")
def machine(machines: Source) -> Iterator[Machine]:
    with closing(machines.make()) as machine:
        machine.revert("ready", ("moto",))
        yield machine


@pytest.fixture
def gateway(tmp_path: Path) -> Gateway:
    """A gateway to two operations of AWS, one HTTP request and one tool of an MCP server."""
    writer = ToolsetWriter()
    writer.add_server(Server(name="s3"))
    writer.add_server(Server(name="moto"))
    writer.add_server(Server(name="files", command=FILES))
    for operation in ("CreateBucket", "DeleteBucket"):
        writer.add(
            CatalogueTool(
                server="s3",
                name=f"s3_{operation}",
                description=f"{operation} in S3",
                input_schema=BUCKET,
                execution=AwsExecution(service="s3", operation=operation),
            )
        )
    state = HttpExecution(method="GET", path="/moto-api/data.json")
    writer.add(CatalogueTool(server="moto", name="moto_state", execution=state))
    roots = McpExecution(tool="list_allowed_directories")
    writer.add(CatalogueTool(server="files", name="files_roots", execution=roots))
    toolset = writer.write(tmp_path / "cloud.toolset")
    gateway = Gateway(GatewayOptions(toolsets=(str(toolset.path),)), (toolset,), Guests.of(IMAGE))
    gateway.tools.check_executions()
    return gateway


def test_tools_of_three_kinds_are_executed_behind_a_gateway(
    machine: Machine, gateway: Gateway
) -> None:
    with Guest(machine.endpoint, machine.token) as guest:
        guest.wait_ready()
        assert "service_call" not in {tool.name for tool in guest.tools()}

        def ask(name: str, /, **arguments: object) -> ToolResult:
            number = f"{name}-{len(asked)}"
            asked.append(number)
            return gateway.answer(ToolCall(number, name, arguments), guest.call)[0]

        asked: list[str] = []
        found = json.loads(ask("find_tools", query="create a bucket").text)
        assert found[0]["name"] == "s3_CreateBucket"
        created = ask("call_tool", name="s3_CreateBucket", arguments={"Bucket": "invoices"})
        assert (created.error, json.loads(created.text)) == ("", {"Location": "/invoices"})
        state = ask("call_tool", name="moto_state")
        assert "invoices" in state.text
        roots = ask("call_tool", name="files_roots")
        assert (roots.error, "/tmp" in roots.text) == ("", True), roots
        refused = ask("call_tool", name="s3_DeleteBucket", arguments={"Bucket": "none"})
        assert refused.error == "refused"
        assert "NoSuchBucket" in refused.text
        guest.freeze()
        content, complete = guest.export("moto")
        guest.thaw()
    assert complete
    assert list(json.loads(content)["s3"]["123456789012"]["aws"]["buckets"]) == ["invoices"]


def test_a_revert_empties_the_cloud(machine: Machine) -> None:
    machine.revert("ready", ("moto",))
    with Guest(machine.endpoint, machine.token) as guest:
        guest.wait_ready()
        guest.freeze()
        assert guest.export("moto") == (b"{}", True)
