"""What the guests of an image can execute, known from its recipe before a machine starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ambidex.host.toolsets import (
    AwsExecution,
    CatalogueTool,
    DesktopExecution,
    HttpExecution,
    McpExecution,
    Server,
)
from ambidex.vm.building.recipe import load_recipe, recipe_names
from ambidex.vm.building.servers import installed_command, package_of

__all__ = ["ANY_IMAGE", "Guests"]

AWS = "moto"
"""The service that answers for AWS."""


@dataclass(frozen=True)
class Guests:
    """The guests of an image."""

    image: str = ""
    """Empty if nothing is known of it, as of an image that was imported: then everything is left
    for the guest to refuse."""
    services: frozenset[str] = frozenset()
    programs: str = ""
    """The image's set of programs at /opt/programs."""

    @classmethod
    def of(cls, image: str) -> Guests:
        """The guests of an image, given by name or by name and id."""
        name = image.partition(":")[0]
        if name not in recipe_names():
            return cls()
        recipe = load_recipe(name)[0]
        return cls(name, frozenset(recipe.services), recipe.programs)

    def refusal(self, tool: CatalogueTool, server: Server) -> str:
        """Why these guests cannot execute a tool of a server; empty if they can."""
        if not self.image:
            return ""
        match tool.execution:
            case DesktopExecution():
                return ""
            case AwsExecution():
                return "" if AWS in self.services else f"{self.image} has no service {AWS!r}"
            case HttpExecution(base=base):
                here = base or server.name in self.services
                return "" if here else f"{self.image} has no service {server.name!r}"
            case McpExecution():
                return self.missing(server)

    def missing(self, server: Server) -> str:
        """Why these guests cannot start an MCP server; empty if they can."""
        if server.url or not self.image:
            return ""
        if not server.command:
            return "its server has neither a command nor an address"
        if installed_command(self.programs, server.command):
            return ""
        package = package_of(server.command)
        what = f"the package {package.name}" if package else " ".join(server.command)
        return f"{what} is not among the programs of {self.image}"

    def told(self, server: Server) -> Mapping[str, Any]:
        """What a guest needs to know of a server in order to execute its tools."""
        command = list(server.command)
        if self.image and command:
            command = installed_command(self.programs, command) or command
        return {
            "name": server.name,
            "command": command,
            "env": server.env,
            "url": server.url,
            "credentials": [one.model_dump() for one in server.credentials],
        }


ANY_IMAGE = Guests()
