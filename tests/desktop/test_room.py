"""The control room in a real browser, next to a real run on a sandbox desktop."""

from __future__ import annotations

import re
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Browser, Page, expect

from ambidex.host import Briefing, Decision, Limits, Observation, Stop, ToolCall
from ambidex.host.client.guest import Guest
from ambidex.host.records.announcement import NAME as MACHINE
from ambidex.host.records.announcement import ScreenAddress, running_trials
from ambidex.host.records.config import RunConfig, adopt, locked
from ambidex.host.records.rows import Row, read_rows
from ambidex.host.records.trajectory import NAME as TRAJECTORY
from ambidex.host.records.trajectory import read_trajectory
from ambidex.host.room.serve import opened
from ambidex.host.runs.machines import Source
from ambidex.host.runs.runner import plan, run_jobs
from ambidex.tasks import Task
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite
from ambidex.vm import Machine, MachineError
from tests.desktop.pages import looks, pictured, until, watched
from tests.support.viewer import viewer

WIDTHS = "[...document.querySelectorAll('.card img')].map((image) => image.naturalWidth)"
TASK = """
instruction = "{}"
tool_beneficial = false
feasible = false
setup = {}
[[oracle]]
by = "gui"
stop = "infeasible"
calls = [{{ call = "computer_key", with = {{ keys = ["escape"] }} }}]
"""
TASKS = {
    "menu": ("Open the menu Applications and close it again, until you are told to stop.", "[]"),
    "letter": (
        "Write the letter to the neighbours.",
        '[{ run = ["gedit", "--standalone", "~/letter.txt"], wait_window = "letter" }]',
    ),
    "sums": (
        "Add up the receipts of May.",
        '[{ run = ["soffice", "--calc", "--norestore"], wait_window = "Calc" }]',
    ),
}


@dataclass
class Player:
    """Opens and closes a menu, slowly, until it is told to stop."""

    stop: threading.Event = field(default_factory=threading.Event)
    seen: list[Observation] = field(default_factory=list)

    def step(self, observation: Observation) -> Decision:
        self.seen.append(observation)
        if self.stop.wait(0.7):
            return Decision("That is enough.", stop=Stop.DONE)
        number = len(self.seen)
        call = (
            ToolCall(f"{id(self)}-{number}", "computer_click", {"x": 75, "y": 12})
            if number % 2
            else ToolCall(f"{id(self)}-{number}", "computer_key", {"keys": ["escape"]})
        )
        return Decision(f"The menu is {'closed' if number % 2 else 'open'}.", (call,))


@dataclass
class Writer:
    """Clicks into its document and writes numbers, slowly, until it is told to stop."""

    stop: threading.Event
    count: int = 0

    def step(self, observation: Observation) -> Decision:
        self.count += 1
        if self.stop.wait(1.5):
            return Decision("Written.", stop=Stop.DONE)
        name = f"{id(self)}-{self.count}"
        if self.count == 1:
            return Decision("Here.", (ToolCall(name, "computer_click", {"x": 480, "y": 480}),))
        text = f"{self.count * 12}\t"
        return Decision("The next one.", (ToolCall(name, "computer_type", {"text": text}),))


@dataclass
class Show:
    """A run in progress, its control room, its agent, and the machines."""

    run: Path
    address: Callable[[], str]
    player: Player
    made: list[Machine]

    def lines(self, trial: str = "menu.1") -> list[dict[str, Any]]:
        there = (self.run / trial / TRAJECTORY).exists()
        return list(read_trajectory(self.run / trial)) if there else []

    def steps(self, trial: str = "menu.1") -> list[dict[str, Any]]:
        return [line for line in self.lines(trial) if line["kind"] == "step"]

    def running(self) -> int:
        """How many trials."""
        return len(dict(running_trials(self.run)))

    def pointer(self) -> Any:
        screen = ScreenAddress.model_validate_json((self.run / "menu.1" / MACHINE).read_bytes()).vnc
        [machine] = [each for each in self.made if _screen_of(each) == screen]
        with Guest(machine.endpoint, machine.token) as guest:
            return guest.call(ToolCall(uuid4().hex, "computer_cursor_position", {})).value


@pytest.fixture(scope="module")
def show(machines: Source, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Show]:
    folder = tmp_path_factory.mktemp("room")
    for name, fields in TASKS.items():
        (folder / "suite" / name).mkdir(parents=True)
        (folder / "suite" / name / "task.toml").write_text(TASK.format(*fields))
    suite = load_suite(folder / "suite", read_catalogue())
    run, player = folder / "runs" / "menus", Player()
    started: list[Machine] = []

    def make() -> Machine:
        started.append(machines.make())
        return started[-1]

    def agent(name: str, task: Task, briefing: Briefing) -> Player | Writer:
        return player if task.name == "menu" else Writer(player.stop)

    config = RunConfig(
        version="test",
        suite=str(suite.folder),
        tasks={task.name: task.hash for task in suite.tasks},
        agents=("player",),
        condition="gui",
        runs=1,
        limits=Limits(steps=400),
        settle=1.0,
        provider=machines.provider,
        image=machines.image,
    )

    def work() -> None:
        with locked(run):
            adopt(run, config)
            jobs = plan(("player",), 1, suite)
            run_jobs(jobs, config, suite, run, make, agent, machines=len(TASKS))

    thread = threading.Thread(target=work)
    thread.start()
    try:
        until(lambda: player.seen and len(dict(running_trials(run))) == len(TASKS), 120)
        with opened([folder / "runs"]) as address:
            yield Show(run, address, player, started)
    finally:
        player.stop.set()
        thread.join(60)
        assert not thread.is_alive()


@pytest.fixture
def page(browser: Browser, show: Show) -> Iterator[Page]:
    """A page with the overview."""
    with watched(browser, show.address()) as page:
        yield page


@pytest.fixture(scope="module")
def ended(browser: Browser, show: Show) -> Iterator[Page]:
    """The page on which a person ended the trial `sums`."""
    with watched(browser, show.address()) as page:
        at_desk(page, "sums")
        until(lambda: len(show.steps("sums.1")) > 3)
        page.get_by_role("button", name="End …").click()
        end(page, "End as infeasible")
        until(lambda: _rows(show))
        yield page


def at_desk(page: Page, task: str = "menu") -> Page:
    page.locator(f'a[href="#/trial/menus/{task}.1"]').first.click()
    expect(page.locator(".live canvas")).to_be_visible(timeout=60_000)
    return page


def end(page: Page, how: str) -> None:
    """Choose how a trial ends in the open dialog, and end it."""
    page.get_by_role("radio", name=how).check()
    page.get_by_role("button", name=how).click()


def picture(page: Page) -> str:
    """The picture on the live screen; empty while there is none."""
    return str(page.evaluate("document.querySelector('.live canvas')?.toDataURL() ?? ''"))


def test_the_overview_shows_a_trial_s_progress(page: Page, show: Show) -> None:
    expect(page.locator(".card")).to_have_count(show.running())
    card = (
        page.locator(".card")
        .filter(has_text="step")
        .filter(has=page.get_by_text("menu", exact=True))
    )
    expect(card.get_by_text("menu", exact=True)).to_be_visible()
    expect(card).to_contain_text(re.compile(r"step \d+ of 400"))
    expect(card).to_contain_text("computer_")
    expect(card.locator("img")).to_have_attribute("src", re.compile("/live/"), timeout=60_000)
    until(lambda: card.locator("img").evaluate("image => image.naturalWidth") == 480)
    first = card.locator("img").get_attribute("src")
    until(lambda: card.locator("img").get_attribute("src") != first)


def test_the_trial_page_shows_the_live_screen_and_new_steps(page: Page, show: Show) -> None:
    at_desk(page)
    first = picture(page)
    until(lambda: picture(page) != first)
    expect(page.locator(".instruction")).to_contain_text("Open the menu Applications")
    count = len(show.steps())
    expect(page.locator(".step").filter(has_text="The menu is").last).to_be_visible()
    until(lambda: len(show.steps()) > count + 1)
    expect(page.locator(".step .at").last).to_have_text(re.compile(r"\d+"))


def test_a_paused_agent_waits_and_an_order_of_one_step_runs_one(page: Page, show: Show) -> None:
    at_desk(page)
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("status").filter(has_text="paused")).to_be_visible(timeout=60_000)
    count = len(show.steps())
    time.sleep(3.0)
    assert len(show.steps()) == count
    page.get_by_role("button", name="One step").click()
    until(lambda: len(show.steps()) == count + 1)
    time.sleep(2.0)
    assert len(show.steps()) == count + 1
    page.get_by_role("button", name="Resume").click()
    until(lambda: len(show.steps()) > count + 2)


def test_input_without_the_lease_has_no_effect(page: Page, show: Show) -> None:
    at_desk(page)
    page.get_by_role("button", name="Pause").click()
    until(lambda: show.lines()[-1].get("order") == "pause")
    before = show.pointer()
    asked = "fetch('/api/trials/menus/menu.1/screen').then((answer) => answer.json())"
    cookies = {cookie["name"]: cookie["value"] for cookie in page.context.cookies()}
    password = page.evaluate(asked)["password"]
    address = show.address().partition("?")[0] + "vnc/menus/menu.1?viewer=a-stranger"
    with viewer(address, cookies, password) as (socket, _):
        for x in (300, 400, 500):
            socket.send(struct.pack("!BBHH", 5, 0, x, 600))
            socket.send(struct.pack("!BBHH", 5, 1, x, 600))
        socket.send(struct.pack("!BBxxI", 4, 1, 0xFF1B))
        time.sleep(1.0)
        assert show.pointer() == before
    page.get_by_role("button", name="Resume").click()
    until(lambda: show.lines()[-1]["kind"] == "step")


def test_a_person_takes_over_and_hands_back_and_the_model_learns_of_it(
    page: Page, browser: Browser, show: Show
) -> None:
    at_desk(page)
    page.get_by_role("button", name="Take over").click()
    expect(page.get_by_role("status").filter(has_text="you are in control")).to_be_visible(
        timeout=60_000
    )
    with browser.new_context() as another:
        second = at_desk(_opened(another.new_page(), show))
        expect(second.get_by_role("button", name="Take over")).to_be_disabled()
        expect(
            second.get_by_role("status").filter(has_text="a person is in control")
        ).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Hand back")).to_be_visible(timeout=60_000)
    screen = page.locator(".live canvas")
    expect(screen).to_be_visible(timeout=60_000)
    count = len(show.steps())
    until(lambda: _clicked(screen, show, count), 40)
    human = [step for step in show.steps() if step["actor"] == "human"]
    [call, *_] = human[0]["decision"]["calls"]
    assert call["name"] == "computer_click"
    assert abs(call["arguments"]["x"] - 960) < 8
    assert abs(call["arguments"]["y"] - 540) < 8
    assert human[0]["after"]
    page.keyboard.type("hi")
    until(lambda: show.steps()[-1]["decision"]["calls"][0]["arguments"].get("text") == "hi")
    page.get_by_role("button", name="Hand back").click()
    count = len(show.steps())
    until(lambda: len(show.steps()) > count)
    notes = [note for item in show.player.seen for note in item.notes]
    assert any("A person took over" in note and "computer_click" in note for note in notes)


def test_a_hint_reaches_the_model(page: Page, show: Show) -> None:
    at_desk(page)
    page.get_by_role("button", name="Send a hint").click()
    page.get_by_label("Hint to the model").fill("The menu is at the top.")
    page.get_by_role("button", name="Send", exact=True).click()
    until(lambda: any("at the top" in note for each in show.player.seen for note in each.notes))


def test_the_pages_are_pictured(browser: Browser, show: Show) -> None:
    for page, look in looks(browser):
        _opened(page, show)
        expect(page.locator(".card")).to_have_count(show.running())
        until(partial(page.evaluate, f"Math.min(...{WIDTHS}) > 0"))
        pictured(page, f"room-wall-{look}")
        at_desk(page)
        pictured(page, f"room-desk-{look}")


def test_a_page_continues_with_the_machine_of_the_next_attempt(page: Page, show: Show) -> None:
    at_desk(page, "letter")
    until(lambda: show.steps("letter.1"))
    before = dict(running_trials(show.run))["letter.1"]
    page.get_by_role("button", name="End …").click()
    end(page, "End as void")
    until(lambda: dict(running_trials(show.run)).get("letter.1", before) != before, 60)
    until(lambda: show.steps("letter.1"), 60)
    expect(page.locator(".live canvas")).to_be_visible(timeout=60_000)
    first = until(lambda: picture(page))
    until(lambda: picture(page) not in (first, ""), 60)
    expect(page.locator(".step .at").first).to_have_text("1")


def test_a_trial_that_a_person_ends_is_played_again_on_the_same_page(
    ended: Page, show: Show
) -> None:
    [row] = _rows(show)
    assert (row.stop, row.assisted, row.score) == ("infeasible", True, 1.0)
    expect(ended.locator(".stage img")).to_be_visible(timeout=60_000)
    expect(ended.locator(".controls[aria-label=Controls]")).to_be_hidden()
    ended.keyboard.press("Home")
    expect(ended.get_by_text("before step 1 of")).to_be_visible()
    ended.keyboard.press("ArrowRight")
    expect(ended.get_by_text("after step 1 of")).to_be_visible()
    ended.keyboard.press("ArrowRight")
    expect(ended.locator(".step.current .at")).to_have_text("2")
    ended.get_by_role("button", name="Play").click()
    expect(ended.get_by_text("step 3 of")).to_be_visible(timeout=60_000)
    ended.get_by_role("button", name="Stop").click()
    ended.locator("#path a").click()
    expect(ended.get_by_role("link", name="sums", exact=True)).to_be_visible()
    expect(ended.get_by_text("assisted", exact=True)).to_be_visible()


@pytest.mark.usefixtures("ended")
def test_a_finished_trial_is_pictured(browser: Browser, show: Show) -> None:
    for page, look in looks(browser):
        _opened(page, show)
        page.locator('a[href="#/trial/menus/sums.1"]').first.click()
        expect(page.locator(".stage img")).to_be_visible(timeout=60_000)
        page.keyboard.press("Home")
        expect(page.get_by_text("before step 1 of")).to_be_visible()
        page.locator(".stage img").evaluate("image => image.decode()")
        pictured(page, f"room-replay-{look}")


def _rows(show: Show) -> list[Row]:
    """Those of the trial that a person ends."""
    rows = read_rows(show.run) if (show.run / "results.jsonl").exists() else []
    return [row for row in rows if row.task == "sums"]


def _screen_of(machine: Machine) -> str:
    """Its address; empty for the machine of a trial that has ended."""
    try:
        return machine.vnc[0] if machine.vnc else ""
    except MachineError:
        return ""


def _opened(page: Page, show: Show) -> Page:
    page.goto(show.address())
    return page


def _clicked(screen: Any, show: Show, count: int) -> bool:
    # The page may still be told that it may act.
    box = screen.bounding_box()
    screen.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    time.sleep(1.5)
    return len(show.steps()) > count
