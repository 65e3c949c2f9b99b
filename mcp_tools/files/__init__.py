"""App `files`: files and folders."""

from __future__ import annotations

from ambidex.mcp_tools import App

app = App("files", "Files", worker="desktop")
