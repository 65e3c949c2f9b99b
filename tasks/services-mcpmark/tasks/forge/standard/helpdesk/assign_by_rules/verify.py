"""Checks who has which issue, and the comments."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import after_setup, finish

QUESTION = "Which product is this about?"

state = after_setup()
issues = state["helpdesk"]["issues"]
for number, person in (("1", "maintainer"), ("2", "user"), ("3", "maintainer")):
    issues[number]["assignee"] = person
for number in ("4", "7"):
    issues[number]["comments"].append(QUESTION)
finish(state)
