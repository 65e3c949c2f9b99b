"""Checks the directory and the issues."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[4] / "forge"))
from checks import after_setup, finish

ROWS = "| Baker | 3 | 40 |\n| Lund | 15 | 35 |\n| Moreau | 7 | 44 |"

state = after_setup()
staff = state["staff"]
pages = staff["files"]["main"]
pages["directory.md"] = pages["directory.md"].replace("| Lund | 14 | 35 |", ROWS)
for number in ("1", "2", "3"):
    staff["issues"][number]["comments"].append("Done")
    staff["issues"][number]["status"] = "Closed"
finish(state)
