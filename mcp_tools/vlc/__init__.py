"""App `vlc`: the VLC media player."""

from __future__ import annotations

from ambidex.mcp_tools import App

app = App("vlc", "VLC media player", worker="media", windows=("vlc",), needs="/usr/bin/vlc")
