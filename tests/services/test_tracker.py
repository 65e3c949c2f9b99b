"""The tracker in a sandbox: what its export says about what was made over its REST API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from ambidex.host.client.guest import Guest
from ambidex.host.runs.machines import Source

ADDRESS = "http://localhost:8082"


@pytest.fixture(scope="module")
def guest(machines: Source) -> Iterator[Guest]:
    with closing(machines.make()) as machine:
        machine.revert("ready", ["tracker"])
        with Guest(machine.endpoint, machine.token) as guest:
            guest.wait_ready()
            yield guest


def send(guest: Guest, method: str, path: str, **content: Any) -> None:
    options = ["-sf", "-u", "user:password", "-X", method, "-H", "Content-Type: application/json"]
    address = f"{ADDRESS}/{path}.json"
    sent = guest.run(["curl", *options, "-d", json.dumps(content), address])
    assert sent.returncode == 0, (path, sent)


def test_the_export_has_projects_issues_and_wiki_pages(guest: Guest) -> None:
    send(guest, "POST", "projects", project={"name": "Shop", "identifier": "shop"})
    send(guest, "POST", "projects/shop/versions", version={"name": "1.0"})
    send(guest, "PUT", "projects/shop/wiki/Start", wiki_page={"text": "Hello"})
    issue = {"project_id": "shop", "subject": "Prices", "fixed_version_id": 1}
    send(guest, "POST", "issues", issue=issue)
    send(guest, "PUT", "issues/1", issue={"notes": "I look at it", "assigned_to_id": "me"})
    guest.freeze()
    content, complete = guest.export("tracker")
    guest.thaw()
    assert complete
    exported = json.loads(content)
    shop, issue = exported["projects"]["shop"], exported["issues"]["1"]
    assert shop["members"] == {"user": ["Manager"]}
    assert list(shop["versions"]) == ["1.0"]
    assert shop["wiki"]["Start"]["text"] == "Hello"
    assert (issue["project"], issue["version"], issue["assignee"]) == ("shop", "1.0", "user")
    assert issue["journal"][0]["notes"] == "I look at it"


def test_pages_and_their_styles_are_served(guest: Guest) -> None:
    script = f"curl -sf {ADDRESS}/ | grep -o '/assets/application[^\"]*css' | head -1"
    style = guest.run(["sh", "-ec", script]).stdout.strip()
    assert "#top-menu" in guest.run(["curl", "-sf", f"{ADDRESS}{style}"]).stdout


def test_the_agent_cannot_read_the_database(guest: Guest) -> None:
    assert guest.run(["cat", "/var/lib/redmine/default/redmine.sqlite"]).returncode != 0
