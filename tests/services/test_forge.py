"""The forge in a sandbox: what its tools do, what its export says, and what a revert leaves."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from ambidex.host import ToolCall, ToolResult
from ambidex.host.client.guest import Guest
from ambidex.host.runs.machines import Source
from ambidex.vm import Machine

SERVICES = ["forge-queue", "forge"]
PAGE = "http://localhost:8081"
NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def machine(machines: Source) -> Iterator[Machine]:
    with closing(machines.make()) as machine:
        machine.revert("ready", SERVICES)
        yield machine


def ask(guest: Guest, name: str, /, **arguments: object) -> ToolResult:
    return guest.call(ToolCall(f"{name}-{next(NUMBERS)}", f"forge_{name}", arguments))


def tool(guest: Guest, name: str, /, **arguments: object) -> str:
    result = ask(guest, name, **arguments)
    assert not result.error, result
    return result.text


def exported(guest: Guest) -> Any:
    guest.freeze()
    content, complete = guest.export("forge")
    guest.thaw()
    assert complete
    return json.loads(content)


def test_a_change_goes_from_an_issue_through_a_pull_request_to_main(machine: Machine) -> None:
    with Guest(machine.endpoint, machine.token) as guest:
        guest.wait_ready()
        tool(guest, "create_project", name="shop", description="A shop")
        tool(guest, "create_issue", project="shop", title="Prices", content="None", tags=["bug"])
        tool(guest, "comment_on_issue", project="shop", number=1, comment="I look at it")
        tool(
            guest, "write_file", project="shop", path="docs/prices.md", content="tea 3\n",
            message="Prices", branch="prices", from_branch="main",
        )  # fmt: skip
        tool(guest, "create_pull_request", project="shop", title="Prices", from_branch="prices")
        assert "+tea 3" in tool(guest, "get_pull_request", project="shop", number=2)
        tool(guest, "merge_pull_request", project="shop", number=2)
        tool(guest, "assign_issue", project="shop", number=1, assignee="maintainer")
        tool(guest, "set_issue_status", project="shop", number=1, status="Closed")
        assert tool(guest, "read_file", project="shop", path="docs/prices.md") == "tea 3\n"
        page = guest.run(["curl", "-sf", f"{PAGE}/shop"])
        assert "A shop" in page.stdout

        # What the agent's own clone pushes arrives as well.
        clone = f"cd /tmp && git clone -q {PAGE}/shop.git && cd shop && echo x >x && git add x"
        script = f"{clone} && git commit -qm More && git push -q"
        assert guest.run(["sh", "-ec", script], timeout=60).returncode == 0

        state = exported(guest)
        shop, blobs = state["projects"]["shop"], state["blobs"]
        assert blobs[shop["trees"]["main"]["docs/prices.md"]]["text"] == "tea 3\n"
        assert "x" in shop["trees"]["main"]
        issue, request = shop["issues"]["1"], shop["pull_requests"]["2"]
        assert (issue["status"], issue["tags"]) == ("Closed", ["bug"])
        assert issue["assignee"] == "maintainer"
        assert issue["comments"][0] == {"author": "user", "text": "I look at it"}
        assert (request["status"], request["closed_by"]) == ("Merged", "user")


def test_what_is_refused_is_an_error_with_the_forge_s_words(machine: Machine) -> None:
    with Guest(machine.endpoint, machine.token) as guest:
        refused = ask(guest, "get_issue", project="no", number=1)
        assert (refused.error, refused.text) == (
            "not_found",
            "The forge refused: Project not found.",
        )


def test_the_agent_cannot_read_the_forge_s_files(machine: Machine) -> None:
    with Guest(machine.endpoint, machine.token) as guest:
        for path in (
            "/var/lib/pagure/pagure.sqlite",
            "/var/lib/pagure/secret",
            "/usr/share/ambidex/forge/maintainer.token",
        ):
            assert guest.run(["cat", path]).returncode != 0, path
        reached = guest.run(["redis-cli", "-s", "/run/forge/queue", "ping"])
        assert "PONG" not in reached.stdout
        hook = guest.run(["/usr/share/ambidex/forge/hook.py"])
        assert "Permission denied" in hook.stderr


def test_a_revert_leaves_nothing_of_it(machine: Machine) -> None:
    machine.revert("ready", SERVICES)
    with Guest(machine.endpoint, machine.token) as guest:
        guest.wait_ready()
        assert exported(guest) == {"people": ["maintainer", "user"], "projects": {}, "blobs": {}}
