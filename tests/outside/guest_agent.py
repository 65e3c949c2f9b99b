"""An agent of Harbor's that calls tools from inside the guest, through the MCP server that the task
declares. It runs in Harbor's environment."""

from __future__ import annotations

import json
import shlex

from harbor.agents.base import BaseAgent
from harbor.agents.capabilities import AgentCapabilities
from harbor.environments.base import BaseEnvironment
from harbor.models.agent.context import AgentContext

__all__ = ["GuestAgent"]

CALLS = [
    ("gnome_set_dark_style", {"enable": True}),
    ("os_change_text_scale", {"new_scale": 1.25}),
    ("os_set_do_not_disturb", {"enable": True}),
]
CLIENT = """
import json, sys
import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

async def main():
    command, *args = json.loads(sys.argv[1])
    server = StdioServerParameters(command=command, args=args)
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        for name, arguments in json.loads(sys.argv[2]):
            result = await session.call_tool(name, arguments)
            assert not result.is_error, result

anyio.run(main)
"""
"""A client of the MCP SDK that the guest has."""


class GuestAgent(BaseAgent):
    """Makes three calls."""

    capabilities = AgentCapabilities(mcp_servers=True)

    @staticmethod
    def name() -> str:
        return "guest-agent"

    def version(self) -> str:
        return "1"

    async def setup(self, environment: BaseEnvironment) -> None:
        """Nothing is installed."""

    async def run(
        self, instruction: str, environment: BaseEnvironment, context: AgentContext
    ) -> None:
        [server] = self.mcp_servers
        words = ["python3", "-c", CLIENT, json.dumps([server.command, *server.args])]
        done = await environment.exec(
            shlex.join([*words, json.dumps(CALLS)]), env={"PYTHONPATH": "/opt/ambidex/site"}
        )
        assert done.return_code == 0, done.stderr
