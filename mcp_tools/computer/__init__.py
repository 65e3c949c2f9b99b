"""App `computer`: keyboard, mouse and screen."""

from __future__ import annotations

from ambidex.mcp_tools import DESKTOP, App

app = App(
    "computer",
    "Keyboard, mouse and screen",
    "computer",
    prepare="ambidex.mcp_tools.computer.actions:prepare",
    needs=DESKTOP,
)
