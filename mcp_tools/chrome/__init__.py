"""App `chrome`: Chromium, or Google Chrome if that is installed."""

from __future__ import annotations

from ambidex.mcp_tools import App

WITH_START = 300.0
"""Timeout of a tool that may start the browser, in seconds: a minute to listen, another to complete
its startup, and the call itself, which may load a page for 90 s."""

app = App(
    "chrome",
    "Chromium",
    worker="browser",
    timeout=60,
    windows=("chromium", "chromium-browser", "google-chrome"),
    needs="/usr/bin/chromium:/usr/bin/google-chrome",
)
