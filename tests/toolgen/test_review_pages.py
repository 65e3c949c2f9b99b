"""The review page in a real browser, without a desktop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Request, ViewportSize, expect

from ambidex.host.runs.machines import MachineOptions
from ambidex.toolgen import Verdict
from ambidex.toolgen.review.serve import review_app, serve_in_background
from ambidex.toolgen.store import Folder
from ambidex.toolgen.verdicts import decision_on, give_verdict
from tests.host.room.test_pages import UNNAMED
from tests.support.browsing import NARROW, WIDE, visit
from tests.support.served import CATALOGUE
from tests.toolgen.reviewed import ONE_CASE, full_candidate, new_candidate, redraft, submission

NO_MACHINES = MachineOptions(provider="none")
NAMES = ("ann", "ben", "cleo")
CROWDED = "document.documentElement.scrollWidth <= innerWidth + 1"


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    new_candidate(tmp_path, "another")
    return full_candidate(tmp_path)


@pytest.fixture
def addresses(folder: Folder) -> Iterator[dict[str, str]]:
    with serve_in_background(review_app(folder.path.parent, NAMES, NO_MACHINES)) as address:
        yield {name: address(name) for name in NAMES}


@contextmanager
def browsing(tab: Page, address: str, size: ViewportSize = WIDE) -> Iterator[Page]:
    """A reviewer's page. An error in it, or a request to another server, fails the test."""
    requested: list[str] = []

    def on_request(request: Request) -> None:
        requested.append(request.url)

    tab.on("request", on_request)
    try:
        with visit(tab, address, size) as page:
            expect(page.locator(".candidate").first).to_be_visible()
            yield page
    finally:
        tab.remove_listener("request", on_request)
    own = (f"{address.partition('/?')[0]}/", "data:", "blob:", "about:")
    assert [url for url in requested if not url.startswith(own)] == []


@pytest.fixture
def reviewer(browser: Browser, addresses: dict[str, str]) -> Iterator[Callable[[str], Page]]:
    """Opens the page of a reviewer in a browser whose clock can be moved."""
    with ExitStack() as stack:

        def opened(name: str) -> Page:
            context = stack.enter_context(browser.new_context())
            context.clock.install()
            return stack.enter_context(browsing(context.new_page(), addresses[name]))

        yield opened


def poll(*pages: Page) -> None:
    """Move the clocks of the pages past the time of their next request for news."""
    for page in pages:
        page.clock.fast_forward("01:00")


def open_card(page: Page, name: str = "text-size") -> Page:
    page.locator(f"a.candidate[href$='/{name}']").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("gnome_set_text_size")
    return page


def judge(page: Page, verdict: str, reason: str = "") -> None:
    page.get_by_label(verdict).check()
    if reason:
        page.get_by_label("General").fill(reason)
    page.get_by_role("button", name="Submit verdict").click()
    expect(page.get_by_role("heading", name="Verdicts")).to_be_visible()


def opinions(page: Page) -> Locator:
    return page.locator("article.opinion")


def test_two_reviewers_are_blind_to_each_other_and_a_third_decides(
    folder: Folder, reviewer: Callable[[str], Page]
) -> None:
    ann, ben, cleo = (reviewer(name) for name in NAMES)
    for page in (ann, ben, cleo):
        open_card(page)
        expect(page.get_by_role("heading", name="Your verdict")).to_be_visible()
    judge(ann, "Accept")
    expect(opinions(ann)).to_have_count(1)
    expect(ann.get_by_text("waiting for a second reviewer").first).to_be_visible()
    for page in (ben, cleo):
        page.reload()
        expect(page.get_by_role("heading", name="Your verdict")).to_be_visible()
        expect(opinions(page)).to_have_count(0)
        expect(page.locator("h1 + .chip")).to_have_text("waiting for you")
    judge(ben, "Reject", "It is a recording of one case.")
    expect(opinions(ben)).to_have_count(2)
    poll(ann, cleo)
    expect(opinions(ann)).to_have_count(2)
    expect(ann.get_by_text("It is a recording of one case.")).to_be_visible()
    expect(ann.get_by_text("two reviewers disagree; waiting for a third").first).to_be_visible()
    expect(opinions(cleo)).to_have_count(0)
    judge(cleo, "Accept")
    poll(ann, ben)
    for page in (ann, ben, cleo):
        expect(page.locator("h1 + .chip")).to_have_text("accepted")
        expect(opinions(page)).to_have_count(3)
    assert decision_on(folder).verdict is Verdict.ACCEPT
    assert decision_on(folder).reviewers == ("ann", "cleo")


def test_a_half_filled_form_survives_a_reload(
    tab: Page, folder: Folder, addresses: dict[str, str]
) -> None:
    with browsing(tab, addresses["ann"]) as page:
        open_card(page)
        page.get_by_label("Revise").check()
        page.get_by_label("Safe").fill("It overwrites without asking.")
        page.reload()
        expect(page.get_by_label("Revise")).to_be_checked()
        expect(page.get_by_label("Safe")).to_have_value("It overwrites without asking.")
        page.get_by_role("button", name="Submit verdict").click()
        expect(page.get_by_role("heading", name="Verdicts")).to_be_visible()
    (review,) = folder.reviews()
    assert review.reasons.safe == "It overwrites without asking."
    assert review.verdict is Verdict.REVISE


def test_an_incomplete_verdict_is_not_sent(
    tab: Page, folder: Folder, addresses: dict[str, str]
) -> None:
    with browsing(tab, addresses["ann"]) as page:
        open_card(page)
        submit = page.get_by_role("button", name="Submit verdict")
        submit.click()
        expect(page.get_by_text("Accept, revise or reject?")).to_be_visible()
        page.get_by_label("Reject").check()
        submit.click()
        expect(page.get_by_text("Give at least one reason to reject.")).to_be_visible()
        expect(page.get_by_label("Correct")).to_be_focused()
    assert folder.reviews() == []


def test_the_page_notices_a_new_draft_and_the_verdict_is_about_it(
    folder: Folder, reviewer: Callable[[str], Page]
) -> None:
    page = open_card(reviewer("ann"))
    expect(page.get_by_text("On draft 2.")).to_be_visible()
    redraft(folder, ONE_CASE + "# fixed\n")
    poll(page)
    expect(page.get_by_text("There is a new draft")).to_be_visible()
    expect(page.get_by_text("On draft 3.")).to_be_visible()
    judge(page, "Accept")
    assert [review.draft for review in folder.reviews()] == [3]


def test_changes_since_earlier_drafts_are_shown(
    tab: Page, folder: Folder, addresses: dict[str, str]
) -> None:
    with browsing(tab, addresses["ann"]) as page:
        open_card(page)
        code = page.get_by_role("region", name="Code of the tool")
        expect(code.locator(".nf")).to_have_text(["set_text_size"])
        page.get_by_role("button", name="Since draft 1 (wrap)").click()
        changed = page.get_by_role("region", name="Changes to the tool since draft 1")
        expect(changed.locator(".removed").filter(has_text="1.25)")).to_have_count(1)
        expect(changed.locator(".added").filter(has_text="relative: Annotated")).to_have_count(1)
        expect(page.get_by_text("No changes.")).to_be_visible()
        page.get_by_role("button", name="Tests").click()
        expect(page.get_by_role("region", name="Code of the tests")).to_be_visible()


def test_stage_results_are_shown(tab: Page, folder: Folder, addresses: dict[str, str]) -> None:
    with browsing(tab, addresses["ann"]) as page:
        open_card(page)
        for words in (
            "varied: other value",
            "setting /org/gnome/desktop/interface/text-scaling-factor: 1.0, now 1.25",
            "5 model calls, 31,739 tokens, $0.0898",
            "gnome_set_setting: 72% by its words, 0% by its behaviour",
        ):
            expect(page.get_by_text(words).first).to_be_visible()
        pictures = page.locator("figure img")
        expect(pictures).to_have_count(2)
        pictures.first.scroll_into_view_if_needed()
        expect(page.get_by_alt_text("Screen: trial before")).to_be_visible()
        page.wait_for_function(
            "[...document.querySelectorAll('figure img')].every((each) => each.naturalWidth === 64)"
        )


def test_a_verdict_can_be_given_with_the_keyboard_alone(
    tab: Page, folder: Folder, addresses: dict[str, str]
) -> None:
    with browsing(tab, addresses["ann"]) as page:
        until_focused(page, "a.candidate[href$='/text-size']")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Your verdict")).to_be_visible()
        until_focused(page, "[name=verdict]")
        page.keyboard.press("Space")
        page.keyboard.press("ArrowRight")
        expect(page.get_by_label("Revise")).to_be_checked()
        until_focused(page, "#field-useful")
        page.keyboard.type("No task has needed it.")
        until_focused(page, ".verdict button")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Verdicts")).to_be_focused()
    (review,) = folder.reviews()
    assert (review.verdict, review.reasons.useful) == (Verdict.REVISE, "No task has needed it.")


def until_focused(page: Page, selector: str) -> None:
    for _ in range(60):
        if page.evaluate(f"document.activeElement.matches({selector!r})"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the Tab key does not reach {selector}")


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_every_control_has_a_name_and_nothing_overflows_the_page(
    tab: Page, folder: Folder, addresses: dict[str, str], size: ViewportSize
) -> None:
    draft = folder.latest()
    assert draft is not None
    with browsing(tab, addresses["ann"], size) as page:
        assert page.evaluate(UNNAMED) == []
        assert page.evaluate(CROWDED)
        open_card(page)
        assert page.evaluate(UNNAMED) == []
        assert page.evaluate(CROWDED)
        page.get_by_role("button", name="Since draft 1").click()
        give_verdict(folder, "ben", submission(draft, "reject"))
        judge(page, "Accept")
        expect(opinions(page)).to_have_count(2)
        assert page.evaluate(UNNAMED) == []
        assert page.evaluate(CROWDED)


def test_a_model_s_text_is_never_treated_as_markup(
    tab: Page, folder: Folder, addresses: dict[str, str]
) -> None:
    redraft(folder, ONE_CASE.replace("larger.", "larger. <img src=x onerror=alert(1)>"))
    with browsing(tab, addresses["ann"]) as page:
        open_card(page)
        expect(page.get_by_text("<img src=x onerror=alert(1)>").first).to_be_visible()
        assert page.locator("img[src=x]").count() == 0


@pytest.fixture(scope="module")
def form_page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A page for the tests of forms, which leave it unchanged."""
    folder = full_candidate(tmp_path_factory.mktemp("foundry"))
    with (
        serve_in_background(review_app(folder.path.parent, ["ann"], NO_MACHINES)) as address,
        browser.new_context() as context,
        browsing(context.new_page(), address("ann")) as page,
    ):
        yield page


FORM = """
async (tools) => {
  const { Fields } = await import("/review/fields.js");
  return tools.map((tool) => {
    let sent = null;
    const fields = new Fields(tool, (values) => { sent = values; });
    for (const [name, text] of Object.entries(tool.typed || {})) {
      const field = fields.root.querySelector(`#argument-${name}`);
      field.value = text;
    }
    document.body.append(fields.root);
    fields.root.requestSubmit();
    const unnamed = [...fields.root.elements].filter((field) => field.id && !field.labels.length);
    const result = [fields.fields.length, unnamed.length, sent, fields.problem.textContent];
    fields.root.remove();
    return result;
  });
}
"""


def test_every_tool_gets_a_form_from_its_schema(form_page: Page) -> None:
    tools = [{"name": tool.name, "parameters": tool.parameters} for tool in CATALOGUE.values()]
    results = form_page.evaluate(FORM, tools)
    for tool, (count, unnamed, sent, problem) in zip(tools, results, strict=True):
        arguments = tool["parameters"].get("properties", {})  # type: ignore[attr-defined]
        assert (count, unnamed, sent, problem) == (len(arguments), 0, {}, ""), tool["name"]


@pytest.mark.parametrize(
    ("kind", "typed", "sent"),
    [
        ({"type": "integer"}, "3", 3),
        ({"type": "number"}, "1.5", 1.5),
        ({"type": "string"}, "12", "12"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "null", "null"),
        ({"type": "boolean"}, "false", False),
        ({"enum": ["a", "b"], "type": "string"}, '"b"', "b"),
        ({"type": "array", "items": {"type": "integer"}}, "[1, 2]", [1, 2]),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "7", 7),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "seven", "seven"),
        ({}, '{"a": null}', {"a": None}),
        ({"$ref": "#/$defs/Size"}, "2", 2),
    ],
)
def test_typed_text_is_converted_to_the_schema_s_type(
    form_page: Page, kind: object, typed: str, sent: object
) -> None:
    tool = {
        "name": "x",
        "parameters": {"properties": {"it": kind}, "$defs": {"Size": {"type": "integer"}}},
        "typed": {"it": typed},
    }
    assert form_page.evaluate(FORM, [tool]) == [[1, 0, {"it": sent}, ""]]


def test_malformed_json_is_not_sent(form_page: Page) -> None:
    parameters = {"properties": {"it": {"type": "array"}}}
    tool = {"name": "x", "parameters": parameters, "typed": {"it": "[1,"}}
    assert form_page.evaluate(FORM, [tool]) == [[1, 0, None, "it is not JSON: [1,"]]


def test_a_verdict_from_another_reviewer_s_session_is_refused(
    tab: Page, folder: Folder, addresses: dict[str, str]
) -> None:
    with (
        browsing(tab, addresses["ann"]) as page,
        page.context.new_page() as second,
    ):
        open_card(page)
        second.goto(addresses["ben"])
        expect(second.get_by_text("You are ben")).to_be_visible()
        page.get_by_label("Accept").check()
        page.get_by_role("button", name="Submit verdict").click()
        expect(
            page.get_by_text("this page is ann's, but this browser is now ben's")
        ).to_be_visible()
    assert folder.reviews() == []
