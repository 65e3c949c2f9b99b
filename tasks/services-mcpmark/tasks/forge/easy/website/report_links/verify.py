"""Checks the new issue."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import after_setup, finish, issue

TITLE = "Links to the prices are broken"

state = after_setup()
pages = "about/team.md\ncontact.md\nindex.md"
state["website"]["issues"][f"+{TITLE}"] = issue(TITLE, pages)
finish(state)
