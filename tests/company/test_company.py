"""The firm of the image, as its services show it; colleagues answer, and keep their secrets."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from ambidex.host import ToolCall
from ambidex.host.client.guest import Guest
from ambidex.host.records.gateway_options import GatewayOptions
from ambidex.host.toolsets.compiling import compile_sources
from ambidex.host.toolsets.gateway import Gateway
from ambidex.host.toolsets.guests import Guests
from ambidex.host.toolsets.sources import read_sources
from ambidex.tasks.assets import AssetStore
from ambidex.vm.firm.draw import draw_firm
from tests.company.conftest import IMAGE

EXAMPLES = Path(__file__).parents[2] / "examples" / "toolsets"
FIRM = draw_firm(1)
LEAD = FIRM.lead("finance")
NUMBERS = itertools.count()
SERVICES = ("chat", "documents", "calendar", "tracker", "forge", "database", "moto")


@pytest.fixture(scope="module")
def exports(guest: Guest) -> dict[str, Any]:
    """What each service says."""
    guest.freeze()
    found = {name: guest.export(name) for name in SERVICES}
    guest.thaw()
    assert all(complete for _, complete in found.values())
    return {name: json.loads(content) for name, (content, _) in found.items()}


def test_every_service_has_the_firm(exports: dict[str, Any]) -> None:
    logins = {one.login for one in FIRM.people}
    assert {*exports["chat"]["people"]} == logins
    assert {*exports["tracker"]["people"]} == logins | {"maintainer"}
    assert {*exports["forge"]["people"]} == logins | {"maintainer"}
    for room in FIRM.rooms:
        said = exports["chat"]["rooms"][room.name.lower()]["messages"]
        assert [(one["author"], one["text"]) for one in said] == [
            (one.author, one.text) for one in room.messages
        ]
    for repository in FIRM.repositories:
        project = exports["forge"]["projects"][repository.name]
        assert len(project["commits"]) == len(repository.commits)
        for number, issue in enumerate(repository.issues, 1):
            shown = project["issues"][str(number)]
            assert (shown["title"], shown["assignee"] or "") == (issue.title, issue.assignee)
            assert (shown["status"] == "Open") is issue.open
    files = exports["documents"]["files"]
    assert {path: one["text"] for path, one in files.items()} == {
        one.path: one.text for one in FIRM.documents
    }
    events = exports["calendar"]["calendars"]
    assert sum(len(one["events"]) for one in events.values()) == len(FIRM.events)
    rows = exports["database"]["databases"]["work"]["tables"]["public.invoices"]["rows"]
    assert sorted(row[0] for row in rows) == [one.number for one in FIRM.invoices]
    issues = exports["tracker"]["issues"].values()
    assert len(issues) == sum(len(one.tickets) for one in FIRM.projects)
    (cloud,) = exports["moto"]["s3"].values()
    assert {*cloud["aws"]["buckets"]} == {one.name for one in FIRM.cloud.buckets}


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Gateway:
    folder = tmp_path_factory.mktemp("toolset")
    path = folder / "company.toolset"
    sources = read_sources(EXAMPLES / "company.toml")
    toolset = compile_sources(sources, EXAMPLES, AssetStore(folder), path)
    made = Gateway(GatewayOptions(toolsets=(str(path),)), (toolset,), Guests.of(IMAGE))
    made.tools.check_executions()
    return made


def call(gateway: Gateway, guest: Guest, name: str, /, **arguments: object) -> Any:
    """The result of a tool of the toolset, executed by the guest."""
    asked = ToolCall(f"call-{next(NUMBERS)}", "call_tool", {"name": name, "arguments": arguments})
    result = gateway.answer(asked, guest.call)[0]
    assert not result.error, result
    return json.loads(result.text) if result.text.startswith(("{", "[")) else result.text


def test_tools_of_four_services_are_executed(gateway: Gateway, guest: Guest) -> None:
    assert call(gateway, guest, "chat_whoAmI")["user_id"] == "@user:firm.test"
    projects = call(gateway, guest, "tracker_listProjects")["projects"]
    assert {one["identifier"] for one in projects} == {one.identifier for one in FIRM.projects}
    issues = call(gateway, guest, "tracker_listIssues", status_id="*", sort="id", limit=100)
    opened = [one["created_on"].partition("T")[0] for one in issues["issues"]]
    assert opened == [ticket.day for project in FIRM.projects for ticket in project.tickets]
    rooms = call(gateway, guest, "documents_readFile", path="operations/rooms.csv")
    assert rooms.startswith("room,seats,screen")
    call(gateway, guest, "documents_writeFile", path="sales/new.txt", body="new")
    assert "/sales/new.txt" in call(gateway, guest, "documents_listFolder", path="sales")
    call(gateway, guest, "documents_moveFile", path="sales/new.txt", Destination="/sales/b.txt")
    assert "/sales/b.txt" in call(gateway, guest, "documents_listFolder", path="sales")
    calendar = call(gateway, guest, "calendar_readCalendar", owner="teams", calendar="finance")
    assert "Weekly of finance" in calendar


def test_vs_code_is_on_the_desktop_too(guest: Guest) -> None:
    """Its native modules fit this release: a window opens and answers."""
    folder = f"{guest.home}/notes"
    assert guest.run(["mkdir", "-p", folder]).returncode == 0
    launched = ToolCall("code-1", "code_launch_vscode", {"path": folder})
    assert not guest.call(launched).error
    listed = guest.call(ToolCall("code-2", "code_list_windows", {}))
    assert folder in listed.text, listed


def test_a_colleague_answers_the_same_each_time(gateway: Gateway, guest: Guest) -> None:
    answers = []
    for _ in range(2):
        invite = {"invite": [f"@{LEAD}:firm.test"], "is_direct": True}
        room = call(gateway, guest, "chat_createRoom", preset="trusted_private_chat", **invite)
        heard: list[str] = []
        for text in ("Which cost centre do I use?", "For operations, please."):
            said = {"roomId": room["room_id"], "body": text, "transaction": f"t{next(NUMBERS)}"}
            call(gateway, guest, "chat_sendMessage", **said)
            heard.append(wait_for_answer(gateway, guest, room["room_id"], len(heard)))
        answers.append(heard)
    cost_centre = dict(FIRM.facts)["cost_centre"]
    assert answers == [["Which team is it for?", f"Operations has {cost_centre}."]] * 2


CHAT = "http://localhost:8084/_matrix/client/v3"
ENCRYPTED = {"type": "m.room.encryption", "content": {"algorithm": "m.megolm.v1.aes-sha2"}}


def test_the_chat_makes_no_encrypted_room_its_page_could_not_read(guest: Guest) -> None:
    def ask(method: str, path: str, body: object) -> tuple[int, dict[str, Any]]:
        ask = f"""curl -s -w '\n%{{http_code}}' -X {method} {CHAT}{path} -d '{json.dumps(body)}' \
            -H "Authorization: Bearer $(cat ~/.config/chat/token)" """
        answer, status = guest.run(["sh", "-c", ask]).stdout.rsplit("\n", 1)
        return int(status), json.loads(answer)

    status, room = ask("POST", "/createRoom", {"initial_state": [ENCRYPTED], "is_direct": True})
    assert status == 200
    encryption = f"/rooms/{room['room_id']}/state/m.room.encryption"
    assert ask("GET", encryption, {})[0] == 404
    assert ask("PUT", encryption, ENCRYPTED["content"])[0] == 403
    assert ask("PUT", f"/rooms/{room['room_id']}/state/m.room.topic", {"topic": "tea"})[0] == 200


def wait_for_answer(gateway: Gateway, guest: Guest, room: str, earlier: int) -> str:
    """The colleague's next message in a room, in which so many are known."""
    for _ in range(120):
        page = call(gateway, guest, "chat_readMessages", roomId=room, dir="b", limit=50)
        said = [
            one["content"]["body"]
            for one in page["chunk"]
            if one["type"] == "m.room.message" and one["sender"].startswith(f"@{LEAD}:")
        ]
        if len(said) > earlier:
            return str(said[0])
        guest.run(["sleep", "0.5"])
    raise AssertionError("no answer after a minute")


def test_the_agent_reads_neither_what_colleagues_know_nor_the_chat_s_secrets(guest: Guest) -> None:
    for path in (
        "/var/lib/colleagues/people.json",
        "/var/lib/colleagues/tokens.json",
        "/usr/share/ambidex/colleagues/scripts/finance-lead.toml",
        "/var/lib/chat/secrets.yaml",
        "/var/lib/chat/chat.sqlite",
        "/var/lib/documents/share/sales/discounts.csv",
        "/var/lib/radicale/collections",
    ):
        assert guest.run(["ls", path]).returncode != 0, path
    assert guest.run(["ls", "/usr/share/ambidex/fill"]).returncode != 0
    event = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-X", "PUT", "-d", "{}"]
    forged = guest.run([*event, "http://127.0.0.1:8087/_matrix/app/v1/transactions/1"])
    assert forged.stdout == "403"
