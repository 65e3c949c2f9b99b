"""Checks the pages on the new branch, and the pull request."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import after_setup, finish, pull_request

state = after_setup()
website = state["website"]
pages = dict(website["files"]["main"])
for name, old, new in (
    ("index.md", "(prices.md)", "(shop/prices.md)"),
    ("contact.md", "(prices.md)", "(shop/prices.md)"),
    ("about/team.md", "(../prices.md)", "(../shop/prices.md)"),
):
    pages[name] = pages[name].replace(old, new)
website["files"]["fix-links"] = pages
title = "Fix links to the prices"
website["pull_requests"][f"+{title}"] = pull_request(title, "fix-links")
finish(state, ignored={f"website/pull_requests/+{title}/content"})
