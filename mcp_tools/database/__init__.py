"""App `database`: the stock MCP server for PostgreSQL, on the desktop user's database `work`."""

from __future__ import annotations

from ambidex.mcp_tools import App

app = App(
    "database",
    "PostgreSQL database",
    worker="database",
    mounted="postgres-mcp 0.3.0",
    service="database",
    command=(
        "/opt/programs/python/bin/postgres-mcp",
        "--access-mode=unrestricted",
        "postgresql:///work?host=/run/postgresql",
    ),
    needs="/opt/programs/python/bin/postgres-mcp",
    timeout=240,  # the first call starts the server
)
