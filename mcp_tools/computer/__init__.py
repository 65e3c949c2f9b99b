"""The keyboard, the mouse and the screen."""

from __future__ import annotations

from ambidex.mcp_tools import App

app = App(
    "computer",
    "Keyboard, mouse and screen",
    "computer",
    prepare="ambidex.mcp_tools.computer.actions:ready",
)
