"""A desktop as an MCP server, seen by the clients of FastMCP and of the protocol's SDK."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import pytest
from fastmcp import Client
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from ambidex.host.client.limits import Patience
from ambidex.host.integrations.mcp_server import Offer, served
from ambidex.host.integrations.served_desktop import MOST_FORKS, Access, Desktop
from ambidex.host.runs.providers.attached import ENDPOINT, TOKEN
from tests.support.commands import ambidex
from tests.support.peer import PeerMachine

T = TypeVar("T")
ROOT = Path(__file__).parents[3]
EVERYTHING = Offer(revert=True, forks=True)
SERVE = ("-m", "ambidex.host.cli.main", "serve", "--provider", "attached")


@pytest.fixture
def machine() -> Iterator[PeerMachine]:
    with closing(PeerMachine()) as machine:
        machine.boot()
        yield machine


@pytest.fixture
def desktop(machine: PeerMachine, tmp_path: Path) -> Iterator[Desktop]:
    with Desktop(machine, tmp_path) as desktop:
        yield desktop


@pytest.fixture
def environment(machine: PeerMachine) -> dict[str, str]:
    """Names a peer as the machine of the provider `attached`."""
    return {**os.environ, ENDPOINT: machine.endpoint, TOKEN: machine.token}


def ask(config: dict[str, Any], what: Callable[[Client[Any]], Awaitable[T]]) -> T:
    """The answer to a client that reads this configuration."""

    async def connect() -> T:
        async with Client(config) as client:
            return await what(client)

    return asyncio.run(connect())


def call(access: Access, tool: str, **arguments: object) -> Any:
    return ask(
        access.client_config(),
        lambda client: client.call_tool(tool, arguments, raise_on_error=False),
    )


def names(access: Access) -> set[str]:
    return {tool.name for tool in ask(access.client_config(), lambda client: client.list_tools())}


def test_the_tools_of_the_named_apps_are_served_and_no_others(desktop: Desktop) -> None:
    with served(desktop, Offer(frozenset({"calc"}))) as access:
        assert names(access) == {"calc_set_cell_value", "calc_get_cell_value", "calc_save"}
        assert call(access, "computer_click", x=1, y=1).is_error
        result = call(access, "calc_set_cell_value", cell="A1", value=3)
        assert not result.is_error
        assert call(access, "calc_get_cell_value", cell="A1").structured_content == {"result": 3}


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer another"}])
def test_a_client_without_the_token_is_refused(desktop: Desktop, headers: dict[str, str]) -> None:
    with served(desktop, Offer()) as access:
        answer = httpx2.post(access.url, json={}, headers=headers, trust_env=False)
    assert answer.status_code == 401


def test_a_snapshot_brings_the_machine_back_at_the_same_address(desktop: Desktop) -> None:
    with served(desktop, EVERYTHING) as access:
        call(access, "calc_set_cell_value", cell="A1", value=1)
        assert not call(access, "machine_snapshot", name="one").is_error
        call(access, "calc_set_cell_value", cell="A1", value=2)
        assert not call(access, "machine_revert", snapshot="one").is_error
        assert call(access, "calc_get_cell_value", cell="A1").structured_content == {"result": 1}
        assert not call(access, "machine_revert").is_error
        assert call(access, "calc_get_cell_value", cell="A1").structured_content is None


def test_what_a_machine_tool_refuses_is_said_with_the_reason(desktop: Desktop) -> None:
    with served(desktop, EVERYTHING) as access:
        unknown = call(access, "machine_revert", snapshot="two")
        assert unknown.is_error
        assert unknown.content[0].text == "there is no snapshot 'two' Snapshots: ready."
        assert "not a name" in call(access, "machine_snapshot", name="../x").content[0].text
        assert "exists already" in call(access, "machine_snapshot", name="ready").content[0].text
        assert "no fork" in call(access, "machine_end_fork", url="http://x").content[0].text


def test_a_fork_has_an_address_of_its_own_and_its_own_state(
    desktop: Desktop, machine: PeerMachine
) -> None:
    with served(desktop, EVERYTHING) as access:
        call(access, "calc_set_cell_value", cell="A1", value=1)
        fork = Access(**call(access, "machine_fork").structured_content)
        call(fork, "calc_set_cell_value", cell="A1", value=2)
        assert call(access, "calc_get_cell_value", cell="A1").structured_content == {"result": 1}
        assert call(fork, "calc_get_cell_value", cell="A1").structured_content == {"result": 2}
        assert not call(access, "machine_end_fork", url=fork.url).is_error
        with pytest.raises(httpx2.ConnectError):
            httpx2.get(fork.url, trust_env=False)
        for _ in range(MOST_FORKS):
            assert not call(access, "machine_fork").is_error
        assert "End one of them" in call(access, "machine_fork").content[0].text


def test_a_lost_guest_is_an_error_that_the_client_reads(
    machine: PeerMachine, tmp_path: Path
) -> None:
    with (
        Desktop(machine, tmp_path, patience=Patience(back=0.1)) as desktop,
        served(desktop, Offer(revert=True)) as access,
    ):
        names(access)
        machine.close()
        lost = call(access, "calc_save")
        assert lost.structured_content["error"]["code"] == "lost"
        assert not call(access, "machine_revert").is_error
        assert not call(access, "calc_save").is_error


def test_the_command_writes_a_configuration_that_only_its_owner_can_read(
    environment: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "client.json"
    command = [sys.executable, *SERVE, "--apps", "calc,files", "--json", str(file)]
    process = subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE)
    assert process.stdout
    with process.stdout as output:
        assert output.readline().startswith(b"MCP server: http://127.0.0.1:")
        config = json.loads(file.read_text())
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        tools = ask(config, lambda client: client.list_tools())
        assert {tool.name.partition("_")[0] for tool in tools} == {"calc", "files"}
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 130
    assert not file.exists()


def test_the_command_speaks_mcp_over_standard_input_and_output(
    environment: dict[str, str],
) -> None:
    server = StdioServerParameters(
        command=sys.executable, args=[*SERVE, "--stdio"], env=environment, cwd=ROOT
    )

    async def speak() -> list[str]:
        async with (
            stdio_client(server) as (read, write),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            result = await session.call_tool("calc_set_cell_value", {"cell": "A1", "value": 3})
            assert not result.is_error
            return [tool.name for tool in (await session.list_tools()).tools]

    assert "calc_save" in asyncio.run(speak())


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--apps", "clac"), "there is no app 'clac'"),
        (("--stdio", "--json", "x.json"), "--stdio has no URL"),
        (("--json", __file__), "exists already"),
    ],
)
def test_an_impossible_request_is_refused(
    words: tuple[str, ...],
    reason: str,
    environment: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(ENDPOINT, environment[ENDPOINT])
    monkeypatch.setenv(TOKEN, environment[TOKEN])
    assert ambidex("serve", "--provider", "attached", *words) == 2
    assert reason in capsys.readouterr().err
