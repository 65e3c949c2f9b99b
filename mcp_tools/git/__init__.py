"""App `git`: the stock MCP server for git."""

from __future__ import annotations

from ambidex.mcp_tools import App

app = App(
    "git",
    "Git repositories",
    worker="git",
    mounted="mcp-server-git 2026.10.19",
    needs="/usr/bin/git",
    timeout=240,  # the first call starts the server
)
