"""The page of a counterfactual run agrees with the tables and links to every branch."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import ViewportSize

from ambidex.host.cli import travel
from ambidex.host.travel.counterfactual import compare, decisions, regrets
from ambidex.host.travel.regret import ComparedDecision, Outcome
from ambidex.host.travel.regret_page import write_regret
from tests.host.report.test_report import Page
from tests.support.browsing import visit
from tests.support.commands import ambidex
from tests.support.peer import CATALOGUE
from tests.support.travel import Toy, on_peers, recorded, suite_in


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An odd name, and beside it both hands at its decisions: in A1 and at B1, C1 and D1."""
    folder = tmp_path_factory.mktemp("regret")
    recorded(folder / "odd <b>", suite_in(folder / "suite"), toy())
    return folder / "odd <b>"


@pytest.fixture(scope="module")
def found(run: Path) -> list[ComparedDecision]:
    branches = Path(f"{run}.counterfactual")
    return compare(run, decisions(run), 2, "once", CATALOGUE, branches, on_peers(toy()))


@pytest.fixture(scope="module")
def page(run: Path, found: list[ComparedDecision]) -> Path:
    return written(run, found, "page.html")


def toy() -> Toy:
    return Toy(by_hand=frozenset({"A1"}), slips={"C1": "gui"})


def written(run: Path, found: list[ComparedDecision], name: str) -> Path:
    path = run.parent / name
    write_regret(run, Path(f"{run}.counterfactual"), found, regrets(found), path)
    return path


def said(page: Path) -> str:
    """The page's words; cells stand apart, as they are seen."""
    text = re.sub(r"<(td|th|dd|b|span)\b", r" <\1", page.read_text(encoding="utf-8"))
    return " ".join(Page(text).text.split())


def test_the_page_loads_nothing_and_is_well_formed_and_deterministic(
    run: Path, found: list[ComparedDecision], page: Path
) -> None:
    text = page.read_text(encoding="utf-8")
    parsed = Page(text)
    assert parsed.loads == []
    assert re.findall(r"https?://", text) == []
    assert len(parsed.ids) == len(set(parsed.ids)), "an id is there twice"
    assert "<b>:" not in text, "a run's name is text"
    assert written(run, found, "again.html").read_bytes() == page.read_bytes()


def test_the_page_shows_choices_outcomes_and_costs(page: Path) -> None:
    text = said(page)
    for expected in (
        # Both solve it, the tool in two steps less.
        "row.1 1 computer_click(x=0, y=47) gui 2 of 2 7.0",
        # By hand it slips at C1.
        "row.1 5 calc_set_cell_value(cell='C1', value=1) tools 0 of 2 7.0",
        "oracle TIR 50.0 % of 4 with a better modality",
        "under-use of tools % 50.0 – 4",
        # Two steps and one, over the five decisions at which both modalities solve the task.
        "steps lost 0.6 – 5",
        "At 2 of 4 decisions with a better modality, it was taken",
        "gui only: 12 of 12 planned branches were scored",
        "row.1 step 6; tools only, once",
    ):
        assert expected in text, expected


def test_every_trial_and_branch_links_to_its_directory_relative_to_the_page(page: Path) -> None:
    links = Page(page.read_text(encoding="utf-8")).trial_links
    assert len(links) == 6 + 2 * 12
    assert len(set(links)) == 1 + 2 * 12, "one recorded trial, and all branches"
    assert all((page.parent / unquote(link)).is_dir() for link in links)


def test_a_modality_without_a_scored_branch_is_a_dash(
    run: Path, found: list[ComparedDecision]
) -> None:
    unknown = [replace(each, tools=Outcome(0, 0.0, 0.0, 0.0, None)) for each in found]
    text = said(written(run, unknown, "unknown.html"))
    assert "2 of 2 7.0" in text
    assert "At no decision were branches of both modalities scored." in text
    assert "with a better modality, it was" not in text


def test_of_many_decisions_the_plot_shows_those_with_the_largest_loss(
    run: Path, found: list[ComparedDecision]
) -> None:
    # At step 1 two steps were lost, at step 3 nothing.
    dear, cheap = (next(each for each in found if each.step == step) for step in (1, 3))
    text = said(written(run, [*[cheap] * 45, dear], "many.html"))
    assert "The 40 of 46 decisions with the largest loss." in text
    assert "At 0 of 1 decisions with a better modality" in text


def test_the_command_writes_the_page_to_the_given_path(
    run: Path, found: list[ComparedDecision], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(travel, "read_catalogue", lambda: CATALOGUE)
    words = ("counterfactual", run, "-n", "2", "--uri", "none:///")
    assert ambidex(*words, "--html", tmp_path / "none" / "page.html") == 2
    assert ambidex(*words, "--html", tmp_path / "page.html") == 0
    assert "row.1 1 computer_click(x=0, y=47) gui 2 of 2 7.0" in said(tmp_path / "page.html")


@pytest.mark.parametrize("width", [390, 1200])
def test_only_tables_scroll_sideways(tab: Tab, page: Path, width: int) -> None:
    with visit(tab, page.as_uri(), ViewportSize(width=width, height=900)) as seen:
        assert seen.evaluate("document.documentElement.scrollWidth <= innerWidth")
        if width == 1200:
            whole = "all => all.every((each) => each.scrollWidth <= each.clientWidth)"
            assert seen.locator(".wide").evaluate_all(whole), "all columns are seen"
