"""MCP servers of toolsets: their five errors, and how long they live."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.mount import Mount
from ambidex.mcp_tools.service import calls
from ambidex.mcp_tools.service.servers import Servers
from tests.support.tables import every_case

SERVER = """
import os, sys, time
from mcp.server.mcpserver import MCPServer

server = MCPServer("small")

@server.tool(structured_output=False)
def pid() -> str:
    return str(os.getpid())

@server.tool(structured_output=False)
def add(left: int, tool: int = 0) -> str:
    return str(left + tool)

@server.tool(structured_output=False)
def place(name: str) -> str:
    return os.environ.get(name, "none")

@server.tool(structured_output=False)
def wait() -> str:
    time.sleep(60)

@server.tool(structured_output=False)
def die() -> str:
    os._exit(3)

if sys.argv[1:]:
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
else:
    server.run("stdio")
"""
COMMAND = (sys.executable, "-c", SERVER)


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    started = Servers()
    yield started
    started.close()


def call(servers: Servers, tool: str, within: float = 60.0, /, **arguments: Any) -> Any:
    environment = {"PLACE": "here", "PYTHONPATH": ""}
    return servers.call("small", COMMAND, environment, "", tool, arguments, within)


def test_a_server_is_started_once_with_its_environment(servers: Servers) -> None:
    assert call(servers, "pid") == call(servers, "pid")
    assert call(servers, "add", left=1, tool=2) == "3"
    assert call(servers, "place", name="PLACE") == "here"


@every_case(
    ("tool", "arguments", "code", "said"),
    [
        ("nothing", {}, "unknown_tool", "has no tool 'nothing'. Tools: pid, add"),
        ("add", {}, "bad_arguments", "'left' is a required property"),
        ("add", {"left": "x"}, "bad_arguments", "add: left: 'x' is not of type 'integer'"),
    ],
)
def test_a_call_that_does_not_fit_is_refused(
    servers: Servers, tool: str, arguments: dict[str, Any], code: str, said: str
) -> None:
    with pytest.raises(ToolError, match=said) as refused:
        call(servers, tool, **arguments)
    assert refused.value.code == code


@every_case(("tool", "code"), [("die", "crashed"), ("wait", "timeout")])
def test_a_server_that_crashes_or_hangs_is_replaced_at_the_next_call(
    servers: Servers, tool: str, code: str
) -> None:
    before = call(servers, "pid")
    with pytest.raises(ToolError) as lost:
        call(servers, tool, 0.5 if tool == "wait" else 60.0)
    assert lost.value.code == code
    assert call(servers, "pid") != before


@every_case(
    ("command", "code"),
    [
        ((), "unknown_server"),
        (("/no/such/program",), "not_installed"),
        (("false",), "not_started"),
    ],
)
def test_a_server_that_cannot_be_started_is_named(command: tuple[str, ...], code: str) -> None:
    servers = Servers()
    with pytest.raises(ToolError, match="server small") as refused:
        servers.call("small", command, {}, "", "pid", {})
    assert refused.value.code == code
    servers.close()


def test_a_server_at_an_address_is_called_over_http() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/mcp"
    servers = Servers()
    with subprocess.Popen([*COMMAND, str(port)], stderr=subprocess.DEVNULL) as process:
        try:
            wait_for_port(port)
            answer = servers.call("small", (), {}, url, "add", {"left": 1})
            assert answer == "1"
            with pytest.raises(ToolError) as lost:
                servers.call("small", (), {}, url, "die", {})
            assert lost.value.code == "crashed"
        finally:
            process.kill()
    with pytest.raises(ToolError) as gone:
        servers.call("small", (), {}, url, "pid", {})
    assert gone.value.code in ("crashed", "not_started")
    servers.close()


def wait_for_port(port: int) -> None:
    end = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            assert time.monotonic() < end, "the server does not listen"
            time.sleep(0.05)
        else:
            return


def test_a_server_that_leaves_a_program_behind_can_be_closed() -> None:
    launcher = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"
    mount = Mount("small server", lambda: [sys.executable, "-c", launcher, SERVER])
    assert mount.call("add", left=2) == "2"
    mount.close()


def test_a_record_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ToolError, match="its kind is 'grpc'") as refused:
        calls.call(calls.Server(name="small"), "pid", {}, {"kind": "grpc"})
    assert refused.value.code == "bad_arguments"
