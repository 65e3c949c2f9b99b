"""The wall in a real browser: search, filters, order, dialogs and notifications."""

from __future__ import annotations

import itertools
import json
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from ambidex.host import Decision, Observation, Stop, ToolCall
from ambidex.host.room.serve import opened
from ambidex.tasks.load import load_suite
from bench.wall import invented_runs
from tests.host.room.test_pages import UNNAMED
from tests.support.browsing import NARROW, SCHEMES, WIDE, pictured, visit
from tests.support.peer import CATALOGUE
from tests.support.suites import CELL, config_of, run_in, write_suite

NOTED = """
window.noted = [];
window.Notification = class { constructor(title, more) { window.noted.push([title, more.body]); } };
Notification.permission = "granted";
Notification.requestPermission = async () => "granted";
"""
"""Keeps what the page asks the browser to show."""
ALARMED = """
import('/pages/notices.js').then(({ Notices }) => {
  const notices = new Notices(document.createElement('div'));
  const trial = { run: 'r', trial: 't.1', task: 't', alarms: ['3 errors in a row'] };
  for (const live of [[], [trial], [trial]]) notices.update({ live });
  return window.noted;
})
"""
"""A trial gets an alarm while the page is open, and keeps it."""


class Repeats:
    """Makes the same call again and again, until it is let on."""

    def __init__(self) -> None:
        self.steps = 0
        self.at_work, self.go = threading.Event(), threading.Event()

    def step(self, observation: Observation) -> Decision:
        self.steps += 1
        if self.steps > 3:
            self.at_work.set()
            assert self.go.wait(120)
            return Decision(stop=Stop.DONE)
        call = ToolCall(f"{id(self)}{self.steps}", "computer_click", {"x": 1, "y": 1})
        return Decision("again", (call,))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wall") / "runs"
    invented_runs(folder, 3, 300)
    # All have solved the same tasks; one has failed another.
    results = max(folder.iterdir()) / "results.jsonl"
    *before, last = results.read_text().splitlines()
    row = json.loads(last) | {"score": 0.0, "reason": "not saved"}
    results.write_text("\n".join([*before, json.dumps(row), ""]))
    return folder


@pytest.fixture(scope="module")
def stuck(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repeats]:
    """A running trial that needs attention."""
    suite = load_suite(write_suite(tmp_path_factory.mktemp("s") / "cells", cell=CELL), CATALOGUE)
    agent = Repeats()
    thread = threading.Thread(
        target=run_in,
        args=(runs / "stuck", suite, config_of(suite)),
        kwargs={"make_agent": lambda *_: agent},
    )
    thread.start()
    try:
        assert agent.at_work.wait(30)
        yield agent
    finally:
        agent.go.set()
        thread.join(60)


@pytest.fixture(scope="module")
def address(runs: Path, stuck: Repeats) -> Iterator[Callable[[], str]]:
    with opened([runs], run=("sh", "-c", "echo 'ambidex: no machine'; exit 3")) as address:
        yield address


@pytest.fixture
def page(tab: Page, address: Callable[[], str]) -> Iterator[Page]:
    with visit(tab, address()) as page:
        expect(page.locator(".line").first).to_be_visible()
        yield page


def test_only_the_lines_in_sight_are_in_the_document(page: Page) -> None:
    assert page.locator(".line").count() < 100
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(page.get_by_role("link", name="task-00299")).to_be_visible()
    assert page.locator(".line").count() < 100
    assert page.evaluate(UNNAMED) == []


def test_a_run_is_compared_with_another(page: Page) -> None:
    group = page.get_by_label("run 20260101-090001-office-model-gui")
    group.get_by_role("button", name="Compare …").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("With").select_option("20260101-090003-office-model-hybrid")
    dialog.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("heading", name="Tasks that differ")).to_be_visible()
    page.locator("article a").first.click()
    expect(page).to_have_url(re.compile("#/trial/"))


def test_trials_are_searched_filtered_and_sorted(page: Page) -> None:
    shown = page.get_by_role("status").filter(has_text="shown")
    page.get_by_label("Search trials").fill("task-0000 saved")
    expect(shown).to_contain_text("; 3 shown")
    page.get_by_label("All models").select_option("vendor/model-1")
    expect(shown).to_contain_text("; 1 shown")
    page.get_by_role("button", name="Clear filters").click()
    expect(shown).to_have_count(0)
    page.get_by_label("All outcomes").select_option("not solved")
    page.get_by_label("All conditions").select_option("tools")
    page.get_by_label("Sort by").select_option("Sort: attempts, most first")
    expect(shown).to_contain_text("; 100 shown")
    expect(page.locator(".group:visible .line").first).to_contain_text("2 attempts")
    assert "condition=tools" in page.url
    page.locator(".group:visible .line a").first.click()
    page.get_by_role("link", name="all trials").click()
    expect(shown).to_contain_text("; 100 shown")


def test_a_run_is_a_group_that_stays_closed(page: Page) -> None:
    group = page.get_by_label("run 20260101-090001-office-model-gui")
    summary = group.locator("summary")
    expect(summary).to_contain_text("66.7 % solved")
    expect(summary).to_contain_text("300 of 300 trials")
    summary.click()
    expect(group.locator(".line:visible")).to_have_count(0)
    page.reload()
    expect(summary).to_be_visible()
    expect(group.locator(".line:visible")).to_have_count(0)


def test_a_trial_that_needs_a_person_is_marked_and_notified(page: Page, stuck: Repeats) -> None:
    expect(page).to_have_title("(1) Ambidex")
    page.get_by_role("banner").get_by_role("link", name="1 needs attention").click()
    expect(page.locator(".card.wanting")).to_contain_text("the same 3 times in a row")
    expect(page.get_by_label("run stuck").locator("summary")).to_contain_text("running")
    page.evaluate(NOTED)
    page.get_by_role("button", name="Notify me").click()
    expect(page.get_by_role("button", name="Notifications on")).to_be_visible()
    assert page.evaluate(ALARMED) == [["t needs attention", "3 errors in a row\nr"]]
    page.evaluate("localStorage.clear()")


def test_wall_and_dialogs_are_pictured(tab: Page, address: Callable[[], str]) -> None:
    for scheme, size in itertools.product(SCHEMES, (WIDE, NARROW)):
        look = f"{scheme}-{size['width']}"
        with visit(tab, address(), size, scheme) as page:
            expect(page.locator(".card.wanting")).to_be_visible()
            pictured(page, f"room-runs-{look}")
            page.get_by_role("button", name="Start a run").click()
            pictured(page, f"room-start-{look}")
            page.keyboard.press("Escape")
            page.keyboard.press("?")
            pictured(page, f"room-keys-{look}")
            page.keyboard.press("Escape")
            page.evaluate("location.hash = '#/trial/stuck/cell.1'")
            page.get_by_role("button", name="End …").click()
            page.get_by_role("radio", name="End as void").check()
            pictured(page, f"room-end-{look}")
            page.keyboard.press("Escape")


def test_a_run_is_started_by_the_form_and_a_failure_is_shown(page: Page, runs: Path) -> None:
    page.keyboard.press("n")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Suite").fill(str(runs))
    dialog.get_by_label("Trials per task").fill("2")
    expect(dialog.locator(".command")).to_contain_text(f"ambidex run {runs}")
    expect(dialog.locator(".command")).to_contain_text("--runs 2")
    dialog.get_by_role("button", name="Start the run").click()
    expect(page.locator(".begun")).to_contain_text("no machine")


def test_stopping_a_run_names_its_consequence_first(page: Page) -> None:
    page.get_by_label("run stuck").get_by_role("button", name="Stop …").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Trials in progress are abandoned without a result")
    dialog.get_by_role("button", name="Stop the run").click()
    expect(dialog.get_by_role("alert")).to_contain_text("process of this control room")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
