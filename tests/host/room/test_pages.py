"""The control room's pages in a real browser, on runs without a desktop."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from ambidex.host import Agent, Briefing, Decision, Observation, Stop, ToolCall
from ambidex.host.cli.export import export
from ambidex.host.records.trajectory import NAME
from ambidex.host.room.serve import opened
from ambidex.tasks import Suite, Task
from tests.support.browsing import visit
from tests.support.suites import config_of, run_in, suite

__all__ = ["suite"]

USED = 'a, button, input, select, textarea, img, [tabindex="0"]'
UNNAMED = f"""
[...document.querySelectorAll('{USED}')].filter((each) => {{
  const label = each.labels?.length ? each.labels[0].textContent : '';
  const name = each.getAttribute('aria-label') || label || each.textContent || each.title;
  return each.checkVisibility() && !name.trim() && !each.hasAttribute('alt');
}}).map((each) => each.outerHTML)
"""


class Clicks:
    """Clicks here and there, then is done."""

    def __init__(self, count: int = 3) -> None:
        self._left = count

    def step(self, observation: Observation) -> Decision:
        self._left -= 1
        if self._left < 0:
            return Decision("All is clicked.", stop=Stop.DONE)
        where = {"x": 5 + 9 * self._left, "y": 7}
        return Decision("on", (ToolCall(f"{id(self)}{self._left}", "computer_click", where),))


@pytest.fixture
def run(suite: Suite, tmp_path: Path) -> Path:
    folder = tmp_path / "runs" / "clicked"
    run_in(folder, suite, config_of(suite), make_agent=lambda name, task, briefing: Clicks())
    return folder


@pytest.fixture
def page(tab: Page, run: Path) -> Iterator[Page]:
    with opened([run.parent]) as address, visit(tab, address()) as page:
        yield page


def test_two_trials_side_by_side_are_replayed_in_step(page: Page) -> None:
    page.get_by_label("choose cell.1").check()
    button = page.get_by_role("button", name="Side by side")
    expect(button).to_be_disabled()
    page.get_by_label("choose impossible.1").check()
    button.click()
    expect(page.locator(".side")).to_have_count(2)
    expect(page.locator(".side .stage img")).to_have_count(2)
    # Keys move what has been read: both are.
    expect(page.locator(".side .step.current .at")).to_have_text(["1", "1"])
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    expect(page.locator(".side .step.current .at")).to_have_text(["3", "3"])
    assert page.evaluate(UNNAMED) == []


def test_a_trial_is_opened_and_played_by_keys_alone(page: Page) -> None:
    expect(page.get_by_role("link", name="cell")).to_be_visible()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "cell":
            break
    page.keyboard.press("Enter")
    expect(page.locator(".step")).to_have_count(4)
    page.keyboard.press("End")
    expect(page.get_by_text("after step 4 of 4")).to_be_visible()
    expect(page.locator(".step.current")).to_contain_text("ends: done")
    page.keyboard.press("Home")
    expect(page.locator(".marks circle")).to_have_count(2)
    changes = page.get_by_label("changes only")
    changes.check()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("after step 1 of 4")).to_be_visible()
    page.keyboard.press(" ")
    expect(changes).not_to_be_checked()


@pytest.mark.parametrize("path", ["#/", "#/trial/clicked/cell.1"])
def test_whatever_can_be_used_has_a_name(page: Page, path: str) -> None:
    page.evaluate(f"location.hash = '{path}'")
    expect(page.get_by_role("heading").first).to_be_visible()
    expect(page.locator(".line, .step").first).to_be_visible()
    assert page.evaluate(UNNAMED) == []


def test_an_exported_episode_plays_with_the_network_closed(
    browser: Browser, run: Path, tmp_path: Path
) -> None:
    trajectory = run / "cell.1" / NAME
    lines = trajectory.read_text().splitlines(keepends=True)
    messages = [{"by": "user", "text": "Which cell?"}]
    said = {"kind": "colleague", "login": "maria", "messages": messages, "answer": "B2 <b>now</b>"}
    at = next(at for at, line in enumerate(lines) if json.loads(line)["kind"] == "step")
    trajectory.write_text("".join([*lines[: at + 1], json.dumps(said) + "\n", *lines[at + 1 :]]))
    export(run / "cell.1", html=tmp_path / "episode.html")
    asked: list[str] = []
    wrong: list[str] = []
    with browser.new_context(offline=True) as context:
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url.partition(":")[0]))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto((tmp_path / "episode.html").as_uri())
        expect(page.get_by_role("heading", name="cell")).to_be_visible()
        expect(page.locator(".step")).to_have_count(5)
        expect(page.locator(".step.colleague")).to_have_text(
            "maria was asked: Which cell?maria answered: B2 <b>now</b>"
        )
        page.keyboard.press("ArrowRight")
        expect(page.get_by_text("after step 1 of 4")).to_be_visible()
        page.keyboard.press("ArrowRight")
        expect(page.get_by_text("answer of a colleague")).to_be_visible()
        page.keyboard.press("ArrowLeft")
        assert page.locator(".stage img").evaluate("image => image.naturalWidth") == 64
    assert wrong == []
    assert set(asked) <= {"file", "data"}


class Attempt:
    """Says which attempt it is, and then waits to be let on."""

    def __init__(self, number: int) -> None:
        self._name = f"attempt {number}"
        self._steps = 0
        self.at_work, self.go = threading.Event(), threading.Event()

    def step(self, observation: Observation) -> Decision:
        self._steps += 1
        if self._steps == 1:
            return Decision(self._name)
        self.at_work.set()
        assert self.go.wait(30)
        return Decision("on") if self._steps == 2 else Decision(stop=Stop.DONE)


def test_a_new_attempt_replaces_the_previous_one(tab: Page, suite: Suite, tmp_path: Path) -> None:
    attempts = [Attempt(1), Attempt(2)]
    left = iter(attempts)

    def made(name: str, task: Task, briefing: Briefing) -> Agent:
        return next(left) if task.name == "cell" else Clicks(0)

    run = tmp_path / "live"
    thread = threading.Thread(
        target=run_in, args=(run, suite, config_of(suite)), kwargs={"make_agent": made}
    )
    thread.start()
    try:
        assert attempts[0].at_work.wait(30)
        with opened([tmp_path]) as address, visit(tab, address()) as page:
            page.get_by_role("link", name="cell").click()
            expect(page.locator(".step").first).to_contain_text("attempt 1")
            page.get_by_role("button", name="End …").click()
            expect(page.get_by_role("dialog").get_by_role("button", name="End …")).to_be_disabled()
            page.get_by_role("radio", name="End as void").check()
            expect(page.get_by_role("dialog")).to_contain_text("This cannot be undone.")
            page.get_by_role("button", name="End as void").click()
            expect(page.get_by_role("dialog")).to_be_hidden()
            attempts[0].go.set()
            assert attempts[1].at_work.wait(30)
            expect(page.locator(".step").first).to_contain_text("attempt 2")
            expect(page.locator(".step").filter(has_text="attempt 1")).to_have_count(0)
    finally:
        for each in attempts:
            each.go.set()
        thread.join(60)
