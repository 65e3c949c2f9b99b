"""Checks the new issues."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import after_setup, finish, issue

state = after_setup()
for host, day in (("beta", "2026-11-28"), ("epsilon", "2026-11-30")):
    title = f"Renew the certificate of {host}"
    text = f"Expires on {day}"
    state["fleet"]["issues"][f"+{title}"] = issue(
        title, text, assignee="maintainer", tags=["certificate"]
    )
finish(state)
