"""App `impress`: LibreOffice Impress."""

from __future__ import annotations

from ambidex.mcp_tools import App

# Shares Calc's worker, which prepares and recovers the office for all three apps.
app = App(
    "impress",
    "LibreOffice Impress",
    worker="office",
    windows=("libreoffice-impress",),
    needs="/usr/bin/soffice",
)
