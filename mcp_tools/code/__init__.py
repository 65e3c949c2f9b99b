"""App `code`: VS Code."""

from __future__ import annotations

from ambidex.mcp_tools import App

app = App(
    "code",
    "VS Code",
    worker="editor",
    windows=("code",),
    needs="/opt/programs/node_modules/code-server/package.json:/usr/share/code",
)
