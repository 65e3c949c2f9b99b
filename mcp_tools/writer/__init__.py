"""App `writer`: LibreOffice Writer."""

from __future__ import annotations

from ambidex.mcp_tools import App

# Shares Calc's worker, which prepares and recovers the office for all three apps.
app = App(
    "writer",
    "LibreOffice Writer",
    worker="office",
    windows=("libreoffice-writer",),
    needs="/usr/bin/soffice",
)
