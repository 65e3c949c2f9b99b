"""The review page in a real browser, without a desktop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from ambidex.host.runs.machines import MachineOptions
from ambidex.toolgen import Verdict
from ambidex.toolgen.review.serve import opened, reviewing
from ambidex.toolgen.store import Folder
from ambidex.toolgen.verdicts import decided, give
from tests.room.test_pages import UNNAMED
from tests.served import CATALOGUE
from tests.toolgen.reviewed import ONE_CASE, furnished, made, redraft, said

NO_MACHINES = MachineOptions(provider="none")
PATIENCE = 30_000
"""Milliseconds."""
CROWDED = "document.documentElement.scrollWidth <= innerWidth + 1"


@pytest.fixture(autouse=True)
def patience() -> Iterator[None]:
    """A busy host is slow, and that is no failure of a page."""
    expect.set_options(timeout=PATIENCE)
    yield
    expect.set_options(timeout=5_000)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made(tmp_path, "another")
    return furnished(tmp_path)


@pytest.fixture
def addresses(folder: Folder) -> Iterator[dict[str, str]]:
    names = ["ann", "ben", "cleo"]
    with opened(reviewing(folder.path.parent, names, NO_MACHINES)) as address:
        yield {name: address(name) for name in names}


@contextmanager
def browsing(browser: Browser, address: str, **how: int) -> Iterator[Page]:
    """A reviewer's page; an error in it or a request to elsewhere fails the test."""
    wrong: list[str] = []
    size = {"width": how.get("width", 1440), "height": 900}
    with browser.new_context(viewport=size) as context:  # type: ignore[arg-type]
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        base = address.partition("/?")[0]
        page.on("request", lambda asked: _elsewhere(asked.url, base, wrong))
        page.goto(address)
        expect(page.locator(".candidate").first).to_be_visible()
        yield page
    assert wrong == []


def _elsewhere(url: str, base: str, wrong: list[str]) -> None:
    if not url.startswith((f"{base}/", "data:", "blob:")):
        wrong.append(url)


def at_card(page: Page, name: str = "text-size") -> Page:
    page.locator(f"a.candidate[href$='/{name}']").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("gnome_set_text_size")
    return page


def judge(page: Page, verdict: str, reason: str = "") -> None:
    page.get_by_label(verdict).check()
    if reason:
        page.get_by_label("General").fill(reason)
    page.get_by_role("button", name="Give the verdict").click()
    expect(page.get_by_role("heading", name="What was said")).to_be_visible()


def opinions(page: Page) -> Locator:
    return page.locator("article.opinion")


def test_two_reviewers_are_blind_to_each_other_and_a_third_decides(
    browser: Browser, folder: Folder, addresses: dict[str, str]
) -> None:
    with (
        browsing(browser, addresses["ann"]) as ann,
        browsing(browser, addresses["ben"]) as ben,
        browsing(browser, addresses["cleo"]) as cleo,
    ):
        for each in (ann, ben, cleo):
            at_card(each)
            expect(each.get_by_role("heading", name="Your verdict")).to_be_visible()
        judge(ann, "Accept")
        expect(opinions(ann)).to_have_count(1)
        expect(ann.get_by_text("it waits for a second person").first).to_be_visible()
        for each in (ben, cleo):
            each.reload()
            expect(each.get_by_role("heading", name="Your verdict")).to_be_visible()
            expect(opinions(each)).to_have_count(0)
            expect(each.locator("h1 + .chip")).to_have_text("waits for you")
        judge(ben, "Reject", "It is a recording of one case.")
        expect(opinions(ben)).to_have_count(2)
        expect(opinions(ann)).to_have_count(2)
        expect(ann.get_by_text("It is a recording of one case.")).to_be_visible()
        expect(ann.get_by_text("two people disagree: it waits for a third").first).to_be_visible()
        expect(opinions(cleo)).to_have_count(0)
        judge(cleo, "Accept")
        for each in (ann, ben, cleo):
            expect(each.locator("h1 + .chip")).to_have_text("accepted")
            expect(opinions(each)).to_have_count(3)
    assert decided(folder).verdict is Verdict.ACCEPT
    assert decided(folder).reviewers == ("ann", "cleo")


def test_what_was_written_is_there_after_a_reload_in_the_middle(
    browser: Browser, folder: Folder, addresses: dict[str, str]
) -> None:
    with browsing(browser, addresses["ann"]) as page:
        at_card(page)
        page.get_by_label("Revise").check()
        page.get_by_label("Safe").fill("It overwrites without asking.")
        page.reload()
        expect(page.get_by_label("Revise")).to_be_checked()
        expect(page.get_by_label("Safe")).to_have_value("It overwrites without asking.")
        page.get_by_role("button", name="Give the verdict").click()
        expect(page.get_by_role("heading", name="What was said")).to_be_visible()
    (review,) = folder.reviews()
    assert review.reasons.safe == "It overwrites without asking."
    assert review.verdict is Verdict.REVISE


def test_a_verdict_without_what_it_needs_is_not_sent(
    browser: Browser, folder: Folder, addresses: dict[str, str]
) -> None:
    with browsing(browser, addresses["ann"]) as page:
        at_card(page)
        give_it = page.get_by_role("button", name="Give the verdict")
        give_it.click()
        expect(page.get_by_text("Accept, revise or reject?")).to_be_visible()
        page.get_by_label("Reject").check()
        give_it.click()
        expect(page.get_by_text("To reject needs a reason.")).to_be_visible()
        expect(page.get_by_label("Correct")).to_be_focused()
    assert folder.reviews() == []


def test_a_draft_that_comes_meanwhile_is_noticed_and_the_old_one_not_judged(
    browser: Browser, folder: Folder, addresses: dict[str, str]
) -> None:
    with browsing(browser, addresses["ann"]) as page:
        at_card(page)
        expect(page.get_by_text("On draft 2.")).to_be_visible()
        redraft(folder, ONE_CASE + "# mended\n")
        expect(page.get_by_text("There is a new draft")).to_be_visible()
        expect(page.get_by_text("On draft 3.")).to_be_visible()
        judge(page, "Accept")
    assert [each.draft for each in folder.reviews()] == [3]


def test_what_changed_since_earlier_drafts_is_shown(
    browser: Browser, folder: Folder, addresses: dict[str, str]
) -> None:
    with browsing(browser, addresses["ann"]) as page:
        at_card(page)
        code = page.get_by_role("region", name="Code of the tool")
        expect(code.locator(".nf")).to_have_text(["set_text_size"])
        page.get_by_role("button", name="Since draft 1 (wrap)").click()
        changed = page.get_by_role("region", name="What changed in the tool since draft 1")
        expect(changed.locator(".removed").filter(has_text="1.25)")).to_have_count(1)
        expect(changed.locator(".added").filter(has_text="relative: Annotated")).to_have_count(1)
        expect(page.get_by_text("Nothing differs.")).to_be_visible()
        page.get_by_role("button", name="Tests").click()
        expect(page.get_by_role("region", name="Code of its tests")).to_be_visible()


def test_what_stages_found_is_shown(
    browser: Browser, folder: Folder, addresses: dict[str, str]
) -> None:
    with browsing(browser, addresses["ann"]) as page:
        at_card(page)
        for words in (
            "varied: other value",
            "setting /org/gnome/desktop/interface/text-scaling-factor: 1.0, now 1.25",
            "5 questions to models, 31,739 tokens, $0.0898",
            "gnome_set_setting: 72% by its words, 0% by what it does",
        ):
            expect(page.get_by_text(words).first).to_be_visible()
        pictures = page.locator("figure img")
        expect(pictures).to_have_count(2)
        pictures.first.scroll_into_view_if_needed()
        expect(page.get_by_alt_text("The screen: trial before")).to_be_visible()
        page.wait_for_function(
            "[...document.querySelectorAll('figure img')].every((each) => each.naturalWidth === 64)"
        )


def test_a_verdict_is_given_by_keys_alone(
    browser: Browser, folder: Folder, addresses: dict[str, str]
) -> None:
    with browsing(browser, addresses["ann"]) as page:
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
        expect(page.get_by_role("heading", name="What was said")).to_be_focused()
    (review,) = folder.reviews()
    assert (review.verdict, review.reasons.useful) == (Verdict.REVISE, "No task has needed it.")


def until_focused(page: Page, selector: str) -> None:
    for _ in range(60):
        if page.evaluate(f"document.activeElement.matches({selector!r})"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no key leads to {selector}")


@pytest.mark.parametrize("width", [1440, 390])
def test_whatever_can_be_used_has_a_name_and_nothing_leaves_the_page(
    browser: Browser, folder: Folder, addresses: dict[str, str], width: int
) -> None:
    draft = folder.latest()
    assert draft is not None
    with browsing(browser, addresses["ann"], width=width) as page:
        assert page.evaluate(UNNAMED) == []
        assert page.evaluate(CROWDED)
        at_card(page)
        assert page.evaluate(UNNAMED) == []
        assert page.evaluate(CROWDED)
        page.get_by_role("button", name="Since draft 1").click()
        give(folder, "ben", said(draft, "reject"))
        judge(page, "Accept")
        expect(opinions(page)).to_have_count(2)
        assert page.evaluate(UNNAMED) == []
        assert page.evaluate(CROWDED)


def test_what_a_model_wrote_is_text_and_never_markup(
    browser: Browser, folder: Folder, addresses: dict[str, str]
) -> None:
    redraft(folder, ONE_CASE.replace("larger.", "larger. <img src=x onerror=alert(1)>"))
    with browsing(browser, addresses["ann"]) as page:
        at_card(page)
        expect(page.get_by_text("<img src=x onerror=alert(1)>").first).to_be_visible()
        assert page.locator("img[src=x]").count() == 0


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
    const unnamed = [...fields.root.elements].filter((each) => each.id && !each.labels.length);
    const said = [fields.fields.length, unnamed.length, sent, fields.problem.textContent];
    fields.root.remove();
    return said;
  });
}
"""


def test_every_tool_there_is_gets_a_form_of_its_schema(
    browser: Browser, addresses: dict[str, str]
) -> None:
    tools = [{"name": each.name, "parameters": each.parameters} for each in CATALOGUE.values()]
    with browsing(browser, addresses["ann"]) as page:
        found = page.evaluate(FORM, tools)
    for tool, (count, unnamed, sent, problem) in zip(tools, found, strict=True):
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
def test_what_is_typed_is_passed_on_as_what_the_schema_takes(
    browser: Browser, addresses: dict[str, str], kind: object, typed: str, sent: object
) -> None:
    tool = {
        "name": "x",
        "parameters": {"properties": {"it": kind}, "$defs": {"Size": {"type": "integer"}}},
        "typed": {"it": typed},
    }
    with browsing(browser, addresses["ann"]) as page:
        assert page.evaluate(FORM, [tool]) == [[1, 0, {"it": sent}, ""]]


def test_what_is_no_json_is_not_sent(browser: Browser, addresses: dict[str, str]) -> None:
    parameters = {"properties": {"it": {"type": "array"}}}
    tool = {"name": "x", "parameters": parameters, "typed": {"it": "[1,"}}
    with browsing(browser, addresses["ann"]) as page:
        assert page.evaluate(FORM, [tool]) == [[1, 0, None, "it is not JSON: [1,"]]


def test_a_page_of_somebody_else_in_the_same_browser_gives_no_verdict(
    browser: Browser, folder: Folder, addresses: dict[str, str]
) -> None:
    with browsing(browser, addresses["ann"]) as page:
        at_card(page)
        second = page.context.new_page()
        second.goto(addresses["ben"])
        expect(second.get_by_text("You are ben")).to_be_visible()
        page.get_by_label("Accept").check()
        page.get_by_role("button", name="Give the verdict").click()
        expect(page.get_by_text("this page is ann's, and this browser is ben's")).to_be_visible()
    assert folder.reviews() == []
