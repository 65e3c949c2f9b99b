"""The routes of the control room, without a desktop: access, contents and who may act."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from ambidex.host import Decision, Observation, Stop
from ambidex.host.errors import UsageError
from ambidex.host.records.orders import Orders
from ambidex.host.records.trajectory import FRAMES
from ambidex.host.room.lease import ABSENT, Leases
from ambidex.host.room.live_trajectory import LiveTrajectory
from ambidex.host.room.serve import opened
from ambidex.host.room.wall import Wall, alarms
from ambidex.tasks import Suite
from tests.support.peer import PeerMachine
from tests.support.suites import config_of, run_in, suite
from tests.support.tables import every_case

__all__ = ["suite"]


class Waits:
    """An agent that stops when it is told to; `at_work` says when its first step has begun."""

    def __init__(self) -> None:
        self.at_work = threading.Event()
        self.go = threading.Event()

    def step(self, observation: Observation) -> Decision:
        self.at_work.set()
        assert self.go.wait(30)
        return Decision("enough", stop=Stop.DONE)


@pytest.fixture
def finished(suite: Suite, tmp_path: Path) -> Path:
    run = tmp_path / "runs" / "one"
    run_in(run, suite, config_of(suite))
    return run


@pytest.fixture
def address(finished: Path) -> Iterator[str]:
    with opened([finished.parent]) as address:
        yield address()


@pytest.fixture
def room(address: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=address.partition("?")[0], follow_redirects=True) as client:
        assert client.get("/", params={"code": address.partition("code=")[2]}).status_code == 200
        yield client


def first_event(room: httpx.Client, viewer: str = "") -> dict[str, list[dict[str, object]]]:
    with room.stream("GET", "/api/events", params={"viewer": viewer}) as answer:
        for line in answer.iter_lines():
            if line.startswith("data: "):
                found: dict[str, list[dict[str, object]]] = json.loads(line[6:])
                return found
    raise AssertionError("no event")


@pytest.mark.parametrize(
    "path", ["/", "/api/events", "/api/trials/one/cell.1", "/pages/main.js", "/frames/one/cell.1/0"]
)
def test_nobody_is_admitted_without_a_code(address: str, path: str) -> None:
    base = address.partition("/?")[0]
    assert httpx.get(base + path).status_code == 401
    assert httpx.get(base + path, params={"code": "guessed"}).status_code == 401
    assert httpx.get(base + path, cookies={"ambidex": "guessed"}).status_code == 401


def test_the_code_in_the_address_is_exchanged_for_a_cookie(address: str) -> None:
    answer = httpx.get(address)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_another_site_s_page_is_not_admitted(room: httpx.Client) -> None:
    asked = {"viewer": "x", "order": "pause"}
    path = "/api/trials/one/cell.1/orders"
    answer = room.post(path, json=asked, headers={"origin": "http://elsewhere.example"})
    assert answer.status_code == 421


def test_a_finished_run_is_listed_and_its_frames_are_served(
    room: httpx.Client, finished: Path
) -> None:
    said = first_event(room)
    (run,) = said["runs"]
    assert (run["run"], run["condition"], said["live"]) == ("one", "hybrid", [])
    told = room.get("/api/trials/one/cell.1").json()
    assert told["start"]["instruction"] == "Set B2 to 42 and save."
    (line,) = told["lines"]
    assert (told["state"], line["stop"], line["actor"]) == ("ended", "done", "agent")
    picture = room.get(f"/frames/one/cell.1/{line['before']}.png")
    assert picture.content[:4] == b"\x89PNG"
    assert "immutable" in picture.headers["cache-control"]
    small = room.get(f"/frames/one/cell.1/{line['before']}.png", params={"width": 240})
    assert small.headers["content-type"] == "image/webp"
    whole = room.get("/api/trials/one/cell.1/lines/0").json()
    assert whole["kind"] == "step"
    assert room.get("/api/trials/one/cell.1/lines/7").status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/api/trials/one/nothing.1",
        "/api/trials/two/cell.1",
        "/api/trials/one/..",
        "/api/trials/one/%2e%2e",
        "/frames/one/cell.1/..%2frun.json",
        "/frames/one/cell.1/trajectory.jsonl",
        "/frames/one/cell.1/" + "0" * 32 + ".png",
    ],
)
def test_only_trials_and_frames_are_served(room: httpx.Client, path: str) -> None:
    assert room.get(path).status_code in (404, 409)


def test_a_finished_trial_takes_no_orders(room: httpx.Client, finished: Path) -> None:
    asked = {"viewer": "x", "order": "pause"}
    answer = room.post("/api/trials/one/cell.1/orders", json=asked)
    assert (answer.status_code, "no longer running" in answer.text) == (409, True)
    assert not (finished / "cell.1" / "orders.jsonl").exists()


def test_a_running_trial_is_listed_paused_and_taken_over_by_one_at_a_time(
    suite: Suite, tmp_path: Path
) -> None:
    agent, run = Waits(), tmp_path / "live"
    thread = threading.Thread(
        target=run_in,
        args=(run, suite, config_of(suite)),
        kwargs={"make_agent": lambda *_: agent, "make_machine": PeerMachine},
    )
    thread.start()
    try:
        assert agent.at_work.wait(30)
        with opened([tmp_path]) as address, httpx.Client(follow_redirects=True) as client:
            client.get(address())
            client.base_url = httpx.URL(address().partition("?")[0])
            (live,) = first_event(client)["live"]
            assert (live["trial"], live["state"], live["step"]) == ("cell.1", "running", 0)

            def order(viewer: str, order: str, **more: str) -> httpx.Response:
                asked = {"viewer": viewer, "order": order, **more}
                return client.post("/api/trials/live/cell.1/orders", json=asked)

            assert order("a", "take").status_code == 202
            end = time.monotonic() + 10
            while (lease := first_event(client, "a")["live"][0]["lease"]) is None:
                assert time.monotonic() < end
            (others,) = first_event(client, "b")["live"]
            assert (lease, others["lease"]) == ("mine", "another's")
            assert order("b", "take").status_code == 409
            assert order("b", "give").status_code == 409
            assert order("b", "dance").status_code == 400
            assert order("b", "act").status_code == 409
            assert order("a", "do").status_code == 400
            with opened([tmp_path]) as other, httpx.Client(follow_redirects=True) as second:
                second.get(other())
                second.base_url = httpx.URL(other().partition("?")[0])
                asked = {"viewer": "c", "order": "take"}
                refused = second.post("/api/trials/live/cell.1/orders", json=asked)
                assert (refused.status_code, "another control room" in refused.text) == (409, True)
            assert order("a", "give").status_code == 202
            assert order("b", "hint", text="go on").status_code == 202
            given = Orders(run / "cell.1").new()
            assert [each.order for each in given] == ["take", "give", "hint"]
            taken, given_back, told = (each.by for each in given)
            assert taken == given_back != told
            assert "a" not in (taken, told), "a viewer's name is its key to the lease"
    finally:
        agent.go.set()
        thread.join(60)


def test_the_lease_of_a_closed_page_can_be_taken_after_a_while(tmp_path: Path) -> None:
    now = [0.0]
    leases = Leases(clock=lambda: now[0])
    leases.take(tmp_path, "a")
    leases.disconnected(tmp_path, "a")
    with pytest.raises(UsageError):
        leases.take(tmp_path, "b")
    now[0] += ABSENT
    leases.take(tmp_path, "b")
    assert leases.holder(tmp_path) == "b"
    leases.close()


def test_a_live_trajectory_reads_new_lines_and_notices_another_attempt(finished: Path) -> None:
    folder = finished / "cell.1"
    wall = Wall([finished])
    trajectory = wall.trajectory(folder)
    assert (trajectory.state, trajectory.taken, len(trajectory.steps)) == ("ended", 1, 1)
    assert not trajectory.read()
    folder.rename(finished / "cell.1.earlier-1")
    folder.mkdir()
    later = wall.trajectory(folder)
    assert (later is trajectory, later.steps) == (False, [])


def test_frames_are_stored_where_the_room_reads_them(finished: Path) -> None:
    trajectory = LiveTrajectory(finished / "cell.1")
    trajectory.read()
    assert (finished / "cell.1" / FRAMES / f"{trajectory.steps[0]['before']}.png").exists()


def step(**said: object) -> dict[str, object]:
    plain = {
        "actor": "agent",
        "before": "a",
        "after": "b",
        "calls": [],
        "results": [],
        "malformed": "",
    }
    return plain | said


@every_case(
    ("steps", "alarm"),
    [
        ([step(after="a")] * 4, "screen unchanged for 4 steps"),
        ([step(calls=[{"name": "x", "arguments": {}}])] * 3, "the same 3 times in a row"),
        ([step(results=[{"error": "no"}])] * 3, "3 errors in a row"),
        ([step()] * 16, "4 steps left"),
    ],
)
def test_alarms_are_raised(steps: list[dict[str, object]], alarm: str) -> None:
    assert alarms(steps, len(steps), 20) == [alarm]
    assert alarms([*steps[:1], step(), step()], 3, 20) == []


def test_a_run_that_cannot_be_read_is_named_and_the_others_are_shown(finished: Path) -> None:
    (finished.parent / "broken").mkdir()
    (finished.parent / "broken" / "run.json").write_text('{"version": "of the future"}')
    wall = Wall([finished.parent])
    assert wall.live() == []
    broken, whole = wall.summaries()
    assert "run.json" in broken.head["error"]
    assert len(whole.rows) == 2
