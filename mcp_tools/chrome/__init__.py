"""App `chrome`: Chromium, or Google Chrome if that is installed."""

from __future__ import annotations

from ambidex.mcp_tools import App

app = App(
    "chrome",
    "Chromium",
    worker="browser",
    timeout=60,
    windows=("chromium", "chromium-browser", "google-chrome"),
    needs="/usr/bin/chromium:/usr/bin/google-chrome",
)
