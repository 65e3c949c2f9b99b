"""App `service`: executes the tools of toolsets, for a gateway on the host.

Agents are not shown its tool. The gateway sends it what a toolset says about a tool: AWS operations
go to the service `moto`, HTTP requests to the service of the server's name, and MCP servers are
started here.
"""

from __future__ import annotations

from ambidex.mcp_tools import App

app = App(
    "service",
    "Tools of toolsets",
    worker="service",
    listed=False,
    timeout=270,  # the first call of an MCP server starts it
)
