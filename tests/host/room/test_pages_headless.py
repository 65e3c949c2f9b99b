"""The control room's pages of trials without a screen, in a real browser."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from ambidex.host import Agent, Briefing, Decision, Observation, Stop, ToolCall
from ambidex.host.cli.export import export
from ambidex.host.errors import UsageError
from ambidex.host.report.findings import find
from ambidex.host.report.html_report import write_html
from ambidex.host.report.report_lines import lines
from ambidex.host.room.serve import opened
from ambidex.tasks import Suite, Task
from tests.support.peer import PeerMachine
from tests.support.suites import config_of, run_in

headless = partial(PeerMachine, screen=False)


class SetsOnce:
    """Sets a cell, waits to be let on, and is done."""

    def __init__(self) -> None:
        self._steps = 0
        self.at_work, self.go = threading.Event(), threading.Event()

    def step(self, observation: Observation) -> Decision:
        self._steps += 1
        if self._steps == 1:
            arguments = {"cell": "B2", "value": 42}
            return Decision("I set it.", (ToolCall("one", "calc_set_cell_value", arguments),))
        self.at_work.set()
        assert self.go.wait(30)
        return Decision(stop=Stop.DONE)


def play(run: Path, suite: Suite, agent: SetsOnce) -> None:
    def make_agent(name: str, task: Task, briefing: Briefing) -> Agent:
        return agent

    run_in(run, suite, config_of(suite), headless, make_agent)


@pytest.fixture
def run(screenless: Suite, tmp_path: Path) -> Path:
    """A finished run."""
    agent = SetsOnce()
    agent.go.set()
    play(tmp_path / "runs" / "one", screenless, agent)
    return tmp_path / "runs" / "one"


def expect_text_only(page: Page) -> None:
    transcript = page.locator(".stage .transcript")
    expect(transcript).to_contain_text("calc_set_cell_value(cell=B2, value=42)")
    expect(transcript).to_contain_text("B2 = 42")
    expect(page.locator(".desk img:visible")).to_have_count(0)
    expect(page.locator(".thumbnail")).to_have_count(0)
    expect(page.get_by_text("changes only")).to_be_hidden()


def test_a_replay_shows_calls_and_results_as_text(
    browser: Browser, run: Path, tmp_path: Path
) -> None:
    export(run / "files.1", html=tmp_path / "episode.html")
    with opened([run.parent]) as address, browser.new_context() as context:
        page = context.new_page()
        page.goto(address())
        page.get_by_role("link", name="files").click()
        expect_text_only(page)
        page.goto((tmp_path / "episode.html").as_uri())
        expect_text_only(page)


def test_a_running_trial_shows_its_latest_step_and_offers_no_mouse_and_keyboard(
    browser: Browser, screenless: Suite, tmp_path: Path
) -> None:
    agent = SetsOnce()
    thread = threading.Thread(target=play, args=(tmp_path / "live", screenless, agent))
    thread.start()
    try:
        assert agent.at_work.wait(30)
        with opened([tmp_path]) as address, browser.new_context() as context:
            page = context.new_page()
            page.goto(address())
            expect(page.locator(".card .told")).to_have_text("B2 = 42")
            page.get_by_role("link", name="files").click()
            expect_text_only(page)
            expect(page.get_by_role("button", name="Pause")).to_be_visible()
            expect(page.get_by_role("button", name="Take over")).to_be_hidden()
            agent.go.set()
            expect(page.locator(".step")).to_have_count(2)
            page.keyboard.press("End")
            expect(page.locator(".stage .transcript")).to_contain_text("ends: done")
    finally:
        agent.go.set()
        thread.join(60)


def test_a_report_names_no_screen_and_a_video_is_refused(run: Path, tmp_path: Path) -> None:
    found = lines([run])
    write_html(found, find(found), tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "<dt>screen</dt><dd>none</dd>" in page
    with pytest.raises(UsageError, match="no screenshots"):
        export(run / "files.1", mp4=tmp_path / "episode.mp4")
    assert not (tmp_path / "episode.mp4").exists()
