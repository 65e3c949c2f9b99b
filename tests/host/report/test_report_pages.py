"""The pages of a report and of a comparison in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from ambidex.host import Stop
from ambidex.host.report.findings import find
from ambidex.host.report.html_report import write_html
from ambidex.host.report.pair.flips import compare_runs
from ambidex.host.report.pair.page import write_comparison
from ambidex.host.report.report_lines import lines
from ambidex.tasks import Suite
from tests.desktop.pages import looks, pictured
from tests.host.conftest import suite
from tests.host.report.test_compare import played
from tests.support.browsing import NARROW, visit
from tests.support.played import row, run_of

__all__ = ["suite"]

TASKS = [
    ("calc-budget-formulas", "calc", True),
    ("calc-freeze-header", "calc", True),
    ("files-invoices", "os", False),
    ("music-to-cd", "os", False),
    ("vlc-repeat-track", "vlc", True),
    ("writer-invitation", "writer", True),
]
MODELS = [("openai/gpt-5", 0, "2026-03-02"), ("anthropic/claude-sonnet-4-5", 2, "2026-04-20")]


def reported(folder: Path) -> Path:
    """A page about two models on six tasks, three trials of each, some of them void."""
    runs = []
    for model, worse, day in MODELS:
        rows = []
        for trial in (1, 2, 3):
            for at, (task, domain, beneficial) in enumerate(TASKS):
                solved = (at * 7 + trial * 3 + worse) % 5 > worse
                void = worse and (at, trial) == (3, 2)
                rows.append(
                    row(
                        task,
                        beneficial=beneficial,
                        score=None if void else int(solved),
                        fate="void" if void else "scored",
                        tool=2 * beneficial,
                        gui=3,
                        steps=4 + at + trial,
                        trial=trial,
                        domain=domain,
                        stop=Stop.DONE if solved else Stop.STEP_LIMIT,
                        agent="model",
                        model=model,
                        useful_tools=["calc_save"] if beneficial else [],
                        offered=["calc_save", "calc_open"],
                        folder=f"{task}.{trial}",
                        started=f"{day}T10:00:00+00:00",
                        seconds={"model": 8.0 + at, "guest": 2.0, "settle": 1.5},
                        requests=5,
                        input_tokens=12000,
                        output_tokens=800,
                        cost=0.04,
                    )
                )
        runs.append(
            run_of(folder / day, rows, model={"name": model}, suite="tasks/demo", agents=["model"])
        )
    found = lines(runs)
    write_html(found, find(found), folder / "report.html")
    return folder / "report.html"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    return reported(tmp_path_factory.mktemp("reported")).as_uri()


def names(page: Page, table: int) -> list[str]:
    """The first cells of a table's groups."""
    rows = page.locator("table").nth(table).locator("tbody tr:first-child td:first-child")
    return [text for text in rows.all_inner_texts() if text]


def test_a_table_is_sorted_by_a_click_on_a_heading(tab: Page, report: str) -> None:
    with visit(tab, report) as page:
        accuracy = page.get_by_role("button", name="accuracy %").first
        hidden = "[...document.querySelectorAll('.wide')].map(e => e.scrollWidth - e.clientWidth)"
        assert page.evaluate(hidden)[0] == 0, "the first table fits"
        before = names(page, 0)
        accuracy.click()
        expect(page.locator("th[aria-sort=ascending]")).to_have_count(1)
        ascending = names(page, 0)
        accuracy.click()
        assert names(page, 0) == ascending[::-1]
        assert sorted(ascending) == sorted(before)
        page.get_by_role("button", name="line", exact=True).first.click()
        assert names(page, 0) == ["claude-sonnet-4-5", "gpt-5"]


def test_the_cards_have_intervals_and_a_lower_bound_and_the_contents_lead_on(
    tab: Page, report: str
) -> None:
    with visit(tab, report, NARROW) as page:
        cards = page.locator(".big li")
        expect(cards.nth(0)).to_contain_text("(bootstrap)")
        expect(cards.nth(0)).not_to_contain_text("at least")
        expect(cards.nth(1)).to_contain_text("1 without a score counted as failed")
        expect(page.locator("td.quote")).to_have_count(2)
        page.get_by_role("link", name="History of demo", exact=True).click()
        expect(page.get_by_role("heading", name="History of demo")).to_be_in_viewport()


def test_the_pages_are_pictured(
    browser: Browser, report: str, tmp_path: Path, suite: Suite
) -> None:
    a, b = played(tmp_path / "a", suite, 42), played(tmp_path / "b", suite, 41)
    write_comparison(compare_runs(a, b), tmp_path / "compare.html")
    for page, look in looks(browser):
        page.goto(report)
        pictured(page, f"report-{look}")
        page.goto((tmp_path / "compare.html").as_uri())
        page.locator(".flip").first.scroll_into_view_if_needed()
        pictured(page, f"compare-{look}")
