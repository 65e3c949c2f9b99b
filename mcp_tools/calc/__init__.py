"""App `calc`: LibreOffice Calc."""

from __future__ import annotations

from ambidex.mcp_tools import App

# Writer and Impress share this worker, so one preparation and recovery serves all three apps.
app = App(
    "calc",
    "LibreOffice Calc",
    worker="office",
    windows=("libreoffice-calc",),
    needs="/usr/bin/soffice",
    prepare="ambidex.mcp_tools.office.connection:prepare",
    recover="ambidex.mcp_tools.office.connection:recover",
)
