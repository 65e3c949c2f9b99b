"""The desk's transcript, verdict and labels, on a recorded trial of a model, in a real browser."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from ambidex.host.errors import UsageError
from ambidex.host.report.failure_sheet import COLUMNS
from ambidex.host.room.desk.labels import SHEET, Label, labels_of, set_label
from ambidex.host.room.desk.transcript import Transcript
from ambidex.host.room.desk.verdict import checks_of
from ambidex.host.room.serve import opened
from tests.support.browsing import NARROW, SCHEMES, WIDE, pictured, visit
from tests.support.travel import Toy, recorded, suite_in

MODEL = Toy(by_hand=frozenset({"B1"}), slips={"C1": "tools"})
DESK = "#/trial/one/row.1"


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trial of a model that sets a wrong value, and so is not solved."""
    place = tmp_path_factory.mktemp("desk")
    run = place / "runs" / "one"
    return run / recorded(run, suite_in(place / "demo"), MODEL).folder


@pytest.fixture(scope="module")
def address(trial: Path) -> Iterator[Callable[[], str]]:
    with opened([trial.parents[1]]) as address:
        yield address


@pytest.fixture
def page(tab: Page, address: Callable[[], str]) -> Iterator[Page]:
    with visit(tab, address()) as page:
        yield page


def at(page: Page, place: str = "") -> Page:
    page.evaluate(f"location.hash = '{DESK}{place}'")
    return page


def test_requests_are_rebuilt_as_they_were_sent(trial: Path) -> None:
    transcript = Transcript(trial)
    transcript.read()
    assert len(transcript.exchanges) == len(MODEL.asked) > 4
    for exchange, sent in zip(transcript.exchanges, MODEL.asked, strict=True):
        request = {
            key: [transcript.parts[at] for at in value]
            for key, value in exchange["request"].items()
        }
        assert [len(request[key]) for key in sent] == [len(value) for value in sent.values()]
        for message, original in zip(request["messages"], sent["messages"], strict=True):
            if "$image" not in str(message):
                assert message == original
    assert [exchange["usage"]["input_tokens"] for exchange in transcript.exchanges][:2] == [100] * 2
    pictures = [part for part in transcript.parts if "$image" in str(part)]
    assert len(pictures) >= len(transcript.images) > 0
    assert all(content.startswith(b"\x89PNG") for _, content in transcript.images.values())
    before = len(transcript.exchanges)
    transcript.read()
    assert len(transcript.exchanges) == before


def test_the_transcript_is_searched_and_shows_its_pictures(page: Page, trial: Path) -> None:
    at(page, "/transcript/2")
    second = page.locator(".exchange").nth(1)
    expect(second).to_have_attribute("open", "")
    expect(second.locator("summary").first).to_contain_text("100 tokens in · 10 out · $0.50")
    expect(second.locator("img.sent")).to_have_count(1)
    assert second.locator("img.sent").evaluate("image => image.decode().then(() => image.width)")
    page.get_by_label("Search the transcript").fill("fill the first row")
    expect(page.get_by_text("1 of 6 requests match")).to_be_visible()
    expect(page.locator("mark").first).to_have_text("Fill the first row")


def test_checks_say_what_they_expected_and_found(page: Page, trial: Path) -> None:
    told = checks_of(trial, "row")
    [check] = told["checks"]
    assert (check["use"], check["score"], told["note"]) == ("output.json_fields_equal", 0.0, "")
    at(page, "/verdict")
    line = page.locator("tbody tr").filter(has_text="output.json_fields_equal")
    expect(line).to_contain_text("fields")
    expect(line).to_contain_text(check["found"])
    evidence = page.get_by_role("link", name="cells.json")
    expect(evidence).to_be_visible()
    answer = page.request.get(page.url.partition("#")[0].rstrip("/") + _path(evidence))
    assert (answer.status, answer.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    away = page.request.get(page.url.partition("#")[0] + "evidence/one/row.1/..%2fscore.json")
    assert away.status == 404


def _path(link: object) -> str:
    href = link.get_attribute("href")  # type: ignore[attr-defined]
    return str(urlsplit(href).path)


def test_causes_that_are_ticked_are_kept_in_the_failure_sheet(page: Page, trial: Path) -> None:
    at(page, "/verdict")
    with page.expect_response("**/labels"):
        page.get_by_role("group", name="Reviewer 2").get_by_label("wrong arguments").check()
    sheet = trial.parent / SHEET
    page.reload()
    box = page.get_by_role("group", name="Reviewer 2").get_by_label("wrong arguments")
    expect(box).to_be_checked()
    with sheet.open(newline="") as file:
        reader = csv.DictReader(file)
        [record] = [*reader]
    assert tuple(reader.fieldnames or ()) == COLUMNS
    assert (record["reviewer 2: wrong arguments"], record["task"]) == ("yes", "row")
    off = Label(reviewer=2, cause="wrong arguments", on=False)
    set_label(trial.parent, ("row", "model", 1), off)
    assert labels_of(trial.parent, ("row", "model", 1)) == []
    with pytest.raises(UsageError, match="not a scored trial that failed"):
        set_label(trial.parent, ("row", "model", 7), off)


def test_a_link_to_a_step_opens_at_that_step(page: Page) -> None:
    at(page)
    expect(page.locator(".step.current .at")).to_have_text("1")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("c")
    expect(page.get_by_role("alert")).to_have_text("Copied a link to step 2.")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.endswith(f"{DESK}/step/2")
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator(".step.current .at")).to_have_text("2")


def test_tabs_are_chosen_by_keys(page: Page) -> None:
    at(page)
    expect(page.locator(".step").first).to_be_visible()
    page.keyboard.press("3")
    expect(page.get_by_role("tab", name="Verdict")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("heading", name="Evidence")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog").get_by_text("copy a link to this step")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_the_desk_is_pictured(tab: Page, address: Callable[[], str]) -> None:
    for scheme, size in itertools.product(SCHEMES, (WIDE, NARROW)):
        look = f"{scheme}-{size['width']}"
        with visit(tab, address(), size, scheme) as page:
            at(page, "/transcript/2")
            expect(page.locator(".exchange img.sent").first).to_be_visible()
            pictured(page, f"room-transcript-{look}")
            at(page, "/verdict")
            expect(page.locator("tbody tr").first).to_contain_text("output.")
            pictured(page, f"room-verdict-{look}")
