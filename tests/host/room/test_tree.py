"""The tree of episodes in a real browser, and forks started from a page, without a desktop."""

from __future__ import annotations

import itertools
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from ambidex.host.room.forking import RECORD, ForkRequest, Record
from ambidex.host.room.serve import opened
from ambidex.tasks import Suite
from tests.host.room.family import family, live_branch
from tests.host.room.test_pages import UNNAMED
from tests.support.browsing import NARROW, SCHEMES, WIDE, pictured, visit
from tests.support.travel import Toy, forked, suite_in

WAYS = ".tree .lane .way"
STARTS = "all => all.map((each) => each.getAttribute('d').match(/^M[0-9. ]+/)[0])"
COVERED = """(all) => {
  const start = (each) => each.getAttribute("d").match(/^M[0-9. ]+/)[0];
  const way = (each) => Array.from({ length: 50 }, (_, nth) => each.getPointAtLength(34 + 4 * nth));
  const covers = (each, other) => other !== each && start(other) === start(each)
    && way(each).some((point) => other.isPointInStroke(point));
  return all.map((each) => all.filter((other) => covers(each, other)).length);
}"""
"""For each lane, how many of the lanes that leave next to it overlap it after the branch point."""


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return suite_in(tmp_path_factory.mktemp("suite") / "demo")


@pytest.fixture(scope="module")
def first(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trial that all others went on from."""
    return family(tmp_path_factory.mktemp("tree") / "runs", suite)


@pytest.fixture
def address(first: Path) -> Iterator[Callable[[], str]]:
    with opened([first.parents[1]]) as address:
        yield address


@pytest.fixture
def page(tab: Page, address: Callable[[], str]) -> Iterator[Page]:
    with visit(tab, address()) as page:
        yield page


def at_tree(page: Page, name: str = "demo/row.1") -> Page:
    page.evaluate(f"location.hash = '#/tree/{name}'")
    expect(page.locator(".members li").first).to_be_visible()
    return page


def of_ways(page: Page, function: str) -> Any:
    """What the function says of all lanes at one moment: the tree may be drawn again at any."""
    return page.evaluate(f"({function})([...document.querySelectorAll('{WAYS}')])")


def words(page: Page) -> list[str]:
    """What the list says, score included."""
    return [" ".join(said.split()) for said in page.locator(".members .who").all_inner_texts()]


def test_each_branch_is_drawn_after_its_parent_later_branch_points_first(page: Page) -> None:
    at_tree(page)
    assert words(page) == [
        "toy, hybrid 0",
        "toy, hybrid 1",
        "other-toy, gui 1",
        "toy, hybrid 1",
        "other-toy, gui 1",
        "toy, hybrid 0",
    ]
    facts = page.locator(".members .quiet").all_inner_texts()
    assert facts[0] == "6 steps · demo / row.1"
    assert facts[1] == "from step 4 · gui forced once · 6 steps · by-hand / row.1"
    assert facts[2] == "from step 5 · 6 steps · other / row.1"
    assert facts[5] == "from step 2 · 6 steps · hint: Mind column C. · told / row.1"
    kinds = page.locator(".tree g.lane, .tree a.lane").evaluate_all(
        "all => all.map((each) => each.classList[1])"
    )
    assert kinds == ["poor", "good", "good", "good", "good", "poor"]
    marks = page.locator(".tree .lane").evaluate_all(
        "all => all.map((each) => each.querySelectorAll('.mark').length)"
    )
    assert marks == [6, 3, 2, 3, 4, 5], "a lane has the steps of its own"


def test_branches_of_one_branch_point_do_not_overlap(page: Page, first: Path, suite: Suite) -> None:
    run = first.parents[1] / "many"
    forked(run, suite, Toy(), first, 1, 4, runs=3)
    at_tree(page)
    expect(page.locator(WAYS)).to_have_count(12)
    for size in (WIDE, NARROW):
        page.set_viewport_size(size)
        assert of_ways(page, COVERED) == [0] * 12
    starts = of_ways(page, STARTS)
    # The first trial itself begins where its first step is gone on from.
    assert sorted(Counter(starts).values()) == [1, 1, 1, 4, 5], "all begin where they left"
    left = of_ways(page, "all => Math.min(...all.map((each) => each.getBBox().x))")
    assert left >= 2, "none is cut off"
    shutil.rmtree(run)


def test_a_branch_of_a_branch_leaves_the_lane_of_its_branch_point(
    address: Callable[[], str],
) -> None:
    with httpx.Client(follow_redirects=True) as client:
        client.get(address())
        base = address().partition("?")[0]
        told = client.get(f"{base}api/trees/other/row.1").json()["lanes"]
        assert client.get(f"{base}api/trees/other/row.9").status_code == 409
    on = {(lane["run"], lane["trial"]): lane["on"] for lane in told}
    assert on["demo", "row.1"] is None
    assert told[on["other", "row.1"]]["run"] == "by-hand"
    early = next(lane for lane in told if lane["run"] == "early")
    assert (early["parent"]["run"], told[early["on"]]["run"]) == ("by-hand", "demo")
    assert told[0]["did"] == ["tool", "gui", "gui", "tool", "tool", "none"]


def test_whatever_can_be_used_in_the_tree_has_a_name_and_is_reached_by_keys(page: Page) -> None:
    at_tree(page)
    assert page.evaluate(UNNAMED) == []
    names = page.locator(".members a").evaluate_all("all => all.map((each) => each.ariaLabel)")
    assert len({*names}) == 6
    assert "other-toy, gui, early / row.1" in names
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.ariaLabel") == "other-toy, gui, early / row.1":
            break
    expect(page.locator(".lane.pointed")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="row", exact=True)).to_be_visible()
    assert page.evaluate("location.hash") == "#/trial/early/row.1"


def test_a_lane_is_a_link_to_its_trial(page: Page) -> None:
    at_tree(page)
    page.locator(".tree .lane").nth(2).locator(".mark").first.click()
    expect(page.locator(".step").first).to_be_visible()
    assert page.evaluate("location.hash") == "#/trial/other/row.1"


@pytest.mark.parametrize(
    ("one", "other", "step"),
    [("demo / row.1", "other / row.1", 4), ("by-hand / row.1", "early / row.1", 3)],
)
def test_two_lanes_open_side_by_side_where_they_diverge(
    page: Page, one: str, other: str, step: int
) -> None:
    at_tree(page)
    for name in (one, other):
        page.get_by_label(f"choose {name} for side by side").check()
    page.get_by_role("button", name="Side by side").click()
    expect(page.locator(".side")).to_have_count(2)
    expect(page.locator(".side .step.current .at")).to_have_text([str(step)] * 2)
    expect(page.get_by_text(f"Identical up to step {step - 1};")).to_be_visible()
    page.keyboard.press("ArrowUp")
    expect(page.locator(".side .step.current .at")).to_have_text([str(step - 1)] * 2)


def test_desk_and_wall_link_to_the_tree_of_a_trial_with_branches(page: Page) -> None:
    expect(page.get_by_role("link", name="tree of")).to_have_count(6)
    page.get_by_label("run told").get_by_role("link", name="tree of row.1").click()
    expect(page.locator(".members li")).to_have_count(6)
    page.get_by_role("link", name="other-toy, gui, other / row.1").click()
    page.get_by_role("link", name="Tree of episodes").click()
    expect(page.locator(".members li")).to_have_count(6)
    page.evaluate("location.hash = '#/trial/alone/row.1'")
    expect(page.locator(".step").first).to_be_visible()
    expect(page.get_by_role("link", name="Tree of episodes")).to_be_hidden()


def test_a_parent_outside_of_the_room_has_a_lane_without_a_link(tab: Page, first: Path) -> None:
    with opened([first.parents[1] / "told"]) as address, visit(tab, address()) as page:
        at_tree(page, "told/row.1")
        assert words(page) == ["not shown in this room", "toy, hybrid 0"]
        expect(page.locator(".tree .lane.void .mark")).to_have_count(1)


def test_a_tree_grows_while_it_is_shown(page: Page, first: Path, suite: Suite) -> None:
    run = first.parents[1] / "grown"
    with live_branch(run, suite, first, 3) as model:
        expect(page.locator(".place").get_by_role("link", name="tree of row.1")).to_be_visible()
        at_tree(page)
        expect(page.locator(".tree .lane.busy")).to_have_count(1)
        expect(page.locator(".tree .lane.busy .mark")).to_have_count(1)
        page.get_by_role("link", name="grown / row.1").focus()
        model.go.set()
        expect(page.locator(".tree .lane.busy")).to_have_count(0)
        grown = page.locator(".members li").filter(has_text="grown / row.1")
        expect(grown.locator(".score")).to_have_text("1")
        expect(grown.locator("a")).to_be_focused()
    shutil.rmtree(run)


def test_a_step_with_a_checkpoint_is_forked_by_the_form(tab: Page, first: Path) -> None:
    runs = first.parents[1]
    with opened([runs], fork=("true",)) as address, visit(tab, address()) as page:
        page.evaluate("location.hash = '#/trial/demo/row.1'")
        expect(page.get_by_role("button", name="Fork before step")).to_have_count(6)
        page.get_by_role("button", name="Fork before step 4").click()
        assert page.evaluate(UNNAMED) == []
        expect(page.get_by_label("Model", exact=True)).to_have_attribute(
            "placeholder", "unchanged: toy"
        )
        expect(page.get_by_label("Duration")).to_be_hidden()
        page.get_by_label("Forced").select_option("mouse and keyboard")
        page.get_by_label("Duration").select_option("for the rest of the episode")
        page.get_by_label("Hint to the model").fill("Use the buttons.")
        page.get_by_label("Branches").fill("2")
        page.get_by_role("button", name="Fork", exact=True).click()
        begun = page.locator(".begun")
        expect(begun).to_contain_text("2 branches before step 4, in demo.from-4")
        expect(begun).to_contain_text("ended", timeout=60_000)
    record = Record.model_validate_json((runs / "demo.from-4" / RECORD).read_bytes())
    assert record.asked == ForkRequest(
        step=4, branches=2, hand="gui", lasting="rest", hint="Use the buttons."
    )
    shutil.rmtree(runs / "demo.from-4")


def test_a_refusal_is_shown_in_the_form_and_a_failure_on_the_page(tab: Page, first: Path) -> None:
    place = first.parents[1] / "by-hand" / "row.2" / "snapshots" / "6"
    failing = ("sh", "-c", "printf 'ambidex: no room on the disk\n  fix: make some\n'; false")
    with opened([first.parents[1]], fork=failing) as address, visit(tab, address()) as page:
        page.evaluate("location.hash = '#/trial/by-hand/row.2'")
        page.get_by_role("button", name="Fork before step 6").click()
        place.rename(place.with_name("away"))
        page.get_by_role("button", name="Fork", exact=True).click()
        said = page.get_by_role("alert").filter(has_text="has no checkpoint before step 6")
        expect(said).to_be_visible()
        page.get_by_role("button", name="Cancel").click()
        page.reload()
        expect(page.get_by_text("checkpoint deleted")).to_have_count(1)
        place.with_name("away").rename(place)
        page.reload()
        page.get_by_role("button", name="Fork before step 6").click()
        page.get_by_role("button", name="Fork", exact=True).click()
        begun = page.locator(".begun")
        expect(begun).to_contain_text("failed", timeout=60_000)
        expect(begun).to_contain_text("no room on the disk")
        expect(begun).to_contain_text("fix: make some")
    shutil.rmtree(first.parents[1] / "by-hand.from-6")


def test_the_tree_is_pictured(
    tab: Page, address: Callable[[], str], first: Path, suite: Suite
) -> None:
    with live_branch(first.parents[1] / "live", suite, first, 2):
        for scheme, size in itertools.product(SCHEMES, (WIDE, NARROW)):
            with visit(tab, address(), size, scheme) as page:
                at_tree(page)
                expect(page.locator(".tree .lane.busy")).to_have_count(1)
                pictured(page, f"room-tree-{scheme}-{size['width']}")
