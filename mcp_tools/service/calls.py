"""The guest's one tool that executes the tools of toolsets."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.service import app, aws, sending
from ambidex.mcp_tools.service.servers import Servers

servers = Servers()


class Credential(BaseModel):
    """Where requests to a server carry its credential."""

    model_config = ConfigDict(extra="forbid")

    location: Literal["header", "query", "cookie"]
    name: str
    prefix: str = ""


class Server(BaseModel):
    """What has the tool."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(description="its name, or that of a service of the machine")
    command: list[str] = Field(default=[], description="argv of an MCP server on stdin and stdout")
    env: dict[str, str] = Field(default={}, description="environment variables of the command")
    url: str = Field(default="", description="address of an MCP server")
    credentials: list[Credential] = Field(
        default=[], description="where HTTP requests carry the token"
    )


@app.tool()
def call(
    server: Annotated[Server, Field(description="the server that has the tool")],
    tool: Annotated[str, Field(description="name of the tool, for messages")],
    arguments: Annotated[dict[str, Any], Field(description="arguments of the tool")],
    execution: Annotated[
        dict[str, Any], Field(description="how it is executed, with its `kind`: aws, http or mcp")
    ],
) -> Any:
    """Execute a tool of a toolset and return its result. Only gateways call this."""
    match execution.get("kind"):
        case "aws":
            return aws.call(execution["service"], execution["operation"], arguments)
        case "http":
            carriers = [carrier.model_dump() for carrier in server.credentials]
            return sending.call(server.name, execution, arguments, carriers)
        case "mcp":
            how = (server.name, server.command, server.env, server.url)
            return servers.call(*how, execution["tool"], arguments)
        case kind:
            raise ToolError(
                f"{tool} of {server.name} cannot be executed here: its kind is {kind!r}.",
                code="bad_arguments",
            )
