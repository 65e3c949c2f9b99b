"""A page of a trial, copied on a local server with Notion's part of the interface."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ambidex.host.accounts.page_content import content, difference
from ambidex.host.accounts.pages import Hubs, Page, page
from ambidex.host.accounts.rest import notion
from ambidex.host.errors import StageError
from tests.support.notion import HUB, KEY, SOURCE_HUB, SOURCE_KEY, TITLE, FakeNotion, fake_notion


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeNotion]:
    monkeypatch.setenv("AMBIDEX_CACHE", str(tmp_path / "cache"))
    with fake_notion() as fake:
        yield fake


@contextmanager
def made(fake: FakeNotion, title: str = TITLE) -> Iterator[tuple[Page, list[float]]]:
    """The page, and the seconds for which it was waited."""
    waits: list[float] = []
    with (
        notion(fake.address, SOURCE_KEY) as source,
        notion(fake.address, KEY) as trials,
        page(source, trials, Hubs(SOURCE_HUB, HUB), title, waits.append) as found,
    ):
        yield found, waits


def on_hub(fake: FakeNotion) -> list[str]:
    (hub,) = fake.access[KEY]
    return fake.children[hub]


def test_a_trial_begins_when_the_copy_has_the_content_of_the_template(fake: FakeNotion) -> None:
    fake.slow = 2
    with made(fake) as (found, waits):
        assert on_hub(fake) == [found.id]
        assert (found.title, found.blocks) == (TITLE, 8)
        assert waits == [5.0, 5.0]
        with notion(fake.address, SOURCE_KEY) as api:
            template = content(api, found.template)
            copy = content(api, found.id, template)
    assert template.blocks == copy.blocks
    heading, _, toggle, picture, chapters, view, steps, _ = copy.blocks
    assert heading["block"]["heading_1"]["rich_text"] == [{"type": "text", "plain_text": "Roadmap"}]
    link = toggle["children"][0]["block"]["paragraph"]["rich_text"][0]["href"]
    assert link == "https://www.notion.so/#0##1"
    assert picture["block"]["image"]["file"] == {"file": "snake.png"}
    rows = chapters["database"]["sources"][0]["rows"]
    assert [row["children"][0]["block"]["paragraph"]["rich_text"] for row in rows] == [
        [{"type": "text", "plain_text": f"About {name}"}]
        for name in ("Basics", "Functions", "Modules")
    ]
    assert "which the API does not show" in view["database"]
    first = steps["database"]["sources"][0]["rows"][0]
    assert first["properties"]["Chapter"]["relation"] == [{"id": "#8"}]
    assert on_hub(fake) == []


def test_a_copy_whose_rows_lead_to_the_template_is_refused(fake: FakeNotion) -> None:
    with made(fake) as (found, _), notion(fake.address, SOURCE_KEY) as api:
        template = content(api, found.template)
        rows = [row for source in fake.rows.values() for row in source]
        first, *_, last = [row for row in rows if "Chapter" in fake.items[row]["properties"]]
        for row in (first, last):  # of the template, and of the copy
            chapter = fake.items[first]["properties"]["Chapter"]
            fake.items[row]["properties"]["Chapter"] = chapter
        differs = difference(template.blocks, content(api, found.id, template).blocks)
    assert ".properties.Chapter.relation[1].id is " in differs


def test_a_copy_that_stays_different_is_refused(fake: FakeNotion) -> None:
    fake.forgetful = True
    with (
        pytest.raises(StageError, match="copy of 'Python Roadmap' differs from its template"),
        made(fake),
    ):
        pytest.fail("it differs")
    assert on_hub(fake) == []


def test_a_difference_names_its_place() -> None:
    wanted = [{"block": {"type": "paragraph", "text": ["a", "b"]}}]
    assert difference(wanted, wanted) == ""
    found = [{"block": {"type": "paragraph", "text": ["a", "c"]}}]
    assert difference(wanted, found) == '[1].block.text[2] is "c", not "b"'
    assert difference(wanted, []) == "the page has 0 parts, not 1"
    assert difference({"a": [1]}, {"a": []}) == "a has 0 parts, not 1"
    assert difference({"a": 1}, {"b": 1}) == ' is {"b": 1}, not {"a": 1}'


def test_only_what_a_trial_left_is_cleared_away(fake: FakeNotion, tmp_path: Path) -> None:
    (hub,) = fake.access[KEY]
    own = fake.add(hub, "child_page", title="Diary")
    with pytest.raises(StageError, match=f"has pages that Ambidex did not make: {own}"), made(fake):
        pytest.fail("it is not alone")
    assert on_hub(fake) == [own]
    (notes,) = (tmp_path / "cache" / "accounts").iterdir()
    notes.write_text("in use\n")  # as after a trial that was killed
    with made(fake) as (found, _):
        assert on_hub(fake) == [found.id]
        fake.add(hub, "child_page", title="A page of the agent's")
    assert (on_hub(fake), notes.read_text()) == ([], "")


def test_what_is_not_connected_is_named(fake: FakeNotion) -> None:
    with (
        pytest.raises(StageError, match="shows no template 'Online Resume'"),
        made(fake, "Online Resume"),
    ):
        pytest.fail("there is none")
    source, hub = fake.access[SOURCE_KEY]
    fake.access[KEY] = [source, hub]
    with pytest.raises(StageError, match="can read the template 'Python Roadmap'"), made(fake):
        pytest.fail("an agent could change it")
    fake.access[KEY] = []
    with pytest.raises(StageError, match="Notion shows no page 'MCPMark Eval Hub'"), made(fake):
        pytest.fail("there is no hub")
