"""What guests of an image can execute, and what they are told of a server."""

from __future__ import annotations

import pytest

from ambidex.host.toolsets import (
    AwsExecution,
    CatalogueTool,
    Credential,
    DesktopExecution,
    Execution,
    HttpExecution,
    McpExecution,
    Server,
)
from ambidex.host.toolsets.guests import ANY_IMAGE, Guests
from ambidex.mcp_tools.service.calls import Server as ServerInGuest
from tests.support.tables import every_case

MEMORY = ("npx", "-y", "@modelcontextprotocol/server-memory")
WEATHER = ("npx", "-y", "weather")
AWS = AwsExecution(service="s3", operation="CreateBucket")
HTTP = HttpExecution(method="GET", path="/")
ABROAD = HttpExecution(method="GET", path="/", base="https://api.example.org")
MCP = McpExecution(tool="run")


@every_case(
    ("image", "execution", "server", "said"),
    [
        ("debian-12", DesktopExecution(tool="calc_save"), Server(name="calc"), ""),
        ("debian-13-services", AWS, Server(name="s3"), ""),
        ("debian-12", AWS, Server(name="s3"), "debian-12 has no service 'moto'"),
        ("debian-13-services:0123456789", HTTP, Server(name="forge"), ""),
        ("debian-13-services", HTTP, Server(name="shop"), "has no service 'shop'"),
        ("debian-13-services", ABROAD, Server(name="shop"), ""),
        ("debian-13-livemcpbench", MCP, Server(name="m", command=MEMORY), ""),
        ("debian-13-services", MCP, Server(name="m", url="http://127.0.0.1/mcp"), ""),
        (
            "debian-13-livemcpbench",
            MCP,
            Server(name="m", command=WEATHER),
            "the package weather is not among the programs of debian-13-livemcpbench",
        ),
        ("debian-12", MCP, Server(name="m"), "neither a command nor an address"),
        ("imported", AWS, Server(name="s3"), ""),
    ],
)
def test_an_image_s_recipe_says_what_its_guests_execute(
    image: str, execution: Execution, server: Server, said: str
) -> None:
    tool = CatalogueTool(server=server.name, name="run", execution=execution)
    why = Guests.of(image).refusal(tool, server)
    assert why.endswith(said)
    assert bool(why) is bool(said)


@pytest.mark.parametrize("guests", [ANY_IMAGE, Guests.of("debian-13-livemcpbench")])
def test_the_guest_reads_what_it_is_told_of_a_server(guests: Guests) -> None:
    server = Server(
        name="m",
        title="Memory",
        command=MEMORY,
        env={"A": "b"},
        credentials=(Credential(location="header", name="X-Key"),),
    )
    read = ServerInGuest.model_validate(guests.told(server))
    assert (read.name, read.env, read.credentials[0].name) == ("m", {"A": "b"}, "X-Key")
    assert read.command[0] == ("npx" if guests is ANY_IMAGE else guests.told(server)["command"][0])
    assert read.command[0].endswith("npx" if guests is ANY_IMAGE else "/node")
