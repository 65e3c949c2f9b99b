"""App `gnome`: settings of the GNOME desktop."""

from __future__ import annotations

from ambidex.mcp_tools import DESKTOP, App

app = App("gnome", "GNOME settings", worker="desktop", needs=DESKTOP)
