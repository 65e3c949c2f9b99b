"""LibreOffice Impress."""

from __future__ import annotations

from ambidex.mcp_tools import App

# Prepared and recovered with Calc, whose worker this is.
app = App("impress", "LibreOffice Impress", worker="office")
