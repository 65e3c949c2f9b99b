"""App `os`: the operating system (files, sound, terminals, trash, git)."""

from __future__ import annotations

from ambidex.mcp_tools import DESKTOP, App

app = App("os", "the operating system", worker="desktop", needs=DESKTOP)
