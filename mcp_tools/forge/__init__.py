"""App `forge`: the forge of the image, Pagure, over its REST API as the desktop user."""

from __future__ import annotations

from ambidex.mcp_tools import App

app = App(
    "forge",
    "Forge (git hosting)",
    worker="forge",
    needs="/usr/share/ambidex/forge",
    service="forge",
    timeout=90,  # a push runs the forge's hooks
)
