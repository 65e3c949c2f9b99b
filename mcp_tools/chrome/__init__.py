"""Chromium, and Google Chrome where it is installed."""

from __future__ import annotations

from ambidex.mcp_tools import App

app = App("chrome", "Chromium", worker="browser", timeout=60)
