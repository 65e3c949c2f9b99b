"""LibreOffice Calc."""

from __future__ import annotations

from ambidex.mcp_tools import App

# Writer's tools run in the same worker: one preparation and one recovery serve both.
app = App(
    "calc",
    "LibreOffice Calc",
    worker="office",
    prepare="ambidex.mcp_tools.office.connection:ready",
    recover="ambidex.mcp_tools.office.connection:recover",
)
