"""App `filesystem`: the stock MCP server for files."""

from __future__ import annotations

from ambidex.mcp_tools import App

app = App(
    "filesystem",
    "Files below the home folder",
    worker="filesystem",
    mounted="@modelcontextprotocol/server-filesystem 2026.8.31",
    needs="/opt/programs/node_modules/@modelcontextprotocol/server-filesystem",
    timeout=240,  # the first call starts the server
    first_call="list_allowed_directories",
)
