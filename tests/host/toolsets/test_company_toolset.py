"""The toolset of the firm's services: what it holds, and what its requests are."""

from __future__ import annotations

from pathlib import Path

import pytest

from ambidex.host.toolsets import CatalogueTool
from ambidex.host.toolsets.compiling import compile_sources
from ambidex.host.toolsets.guests import Guests
from ambidex.host.toolsets.sources import read_sources
from ambidex.host.toolsets.toolset import Toolset
from ambidex.mcp_tools.service.request import build_request
from ambidex.tasks.assets import AssetStore
from ambidex.vm.building.recipe import load_recipe
from ambidex.vm.building.services import load_services

EXAMPLES = Path(__file__).parents[3] / "examples" / "toolsets"
IMAGE = "debian-13-company"


@pytest.fixture(scope="module")
def toolset(tmp_path_factory: pytest.TempPathFactory) -> Toolset:
    folder = tmp_path_factory.mktemp("toolset")
    sources = read_sources(EXAMPLES / "company.toml")
    return compile_sources(sources, EXAMPLES, AssetStore(folder), folder / "company.toolset")


@pytest.fixture(scope="module")
def tools(toolset: Toolset) -> dict[str, CatalogueTool]:
    return {tool.name: tool for tool in toolset}


def test_every_tool_is_executed_by_a_service_of_the_image(toolset: Toolset) -> None:
    guests = Guests.of(IMAGE)
    services = load_services(load_recipe(IMAGE)[0].services)
    for tool in toolset:
        server = toolset.servers[tool.server]
        assert not guests.refusal(tool, server)
        assert services[tool.server].page
        assert [one.name for one in server.credentials] == ["Authorization"]
        assert tool.executable
        assert tool.description


def test_a_request_has_each_argument_where_the_service_expects_it(
    tools: dict[str, CatalogueTool],
) -> None:
    def request(name: str, **arguments: object) -> tuple[str, str, bytes]:
        execution = tools[name].execution.model_dump(mode="json")
        built = build_request(execution, arguments, "http://localhost:1")
        return built.method, built.url.removeprefix("http://localhost:1"), built.body

    sent = request("chat_sendMessage", roomId="!a:firm.test", transaction="1", body="Hello")
    assert sent == (
        "PUT",
        "/_matrix/client/v3/rooms/%21a%3Afirm.test/send/m.room.message/1",
        b'{"msgtype":"m.text","body":"Hello"}',
    )
    assert request("documents_listFolder", path="sales")[:2] == ("PROPFIND", "/sales")
    moved = request("documents_moveFile", path="a.txt", Destination="/b.txt")
    assert moved[:2] == ("MOVE", "/a.txt")
    event = request("calendar_writeEvent", owner="teams", calendar="sales", event="x", body="BEGIN")
    assert event == ("PUT", "/teams/sales/x.ics", b"BEGIN")
    closed = request("tracker_updateIssue", issue=7, body_issue={"status_id": 5})
    assert closed == ("PUT", "/issues/7.json", b'{"issue":{"status_id":5}}')
