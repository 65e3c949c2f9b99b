"""`python3 -m ambidex.mcp_tools.service.listing` prints the tools of an MCP server.

The server is a JSON object on stdin, as `service_call` takes one. What keeps a server from starting
is the last line on stderr, after the server's own words, and the exit status is 1.
"""

from __future__ import annotations

import json
import sys

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.service.servers import mount_of

__all__ = ["main"]


def main() -> int:
    """Start the server, print its list and stop it; returns the exit status."""
    server = json.load(sys.stdin)
    mount = mount_of(server["name"], server["command"], server["env"], server["url"])
    try:
        tools = mount.list_tools()
    except ToolError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        mount.close()
    print(json.dumps(tools))
    return 0


if __name__ == "__main__":
    sys.exit(main())
