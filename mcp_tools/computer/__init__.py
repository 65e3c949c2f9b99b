"""The keyboard, the mouse and the screen."""

from __future__ import annotations

from mcp_tools import App

app = App(
    "computer", "Keyboard, mouse and screen", "computer", prepare="mcp_tools.computer.actions:ready"
)
