"""A repository of a trial, made on a local server with GitHub's part of the interface."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.responses import JSONResponse

from ambidex.host.accounts.repository import Made, Place, repository
from ambidex.host.accounts.rest import github as github_api
from ambidex.host.errors import StageError
from tests.support.github import (
    ORGANIZATION,
    TOKEN,
    FakeGitHub,
    fake_github,
    files_of,
    mentions,
    write_archive,
)

NAME = f"{ORGANIZATION}/library"


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGitHub]:
    monkeypatch.setenv("AMBIDEX_CACHE", str(tmp_path / "cache"))
    with fake_github(tmp_path) as fake:
        yield fake


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_archive(tmp_path_factory.mktemp("archive") / "library.zip")


@contextmanager
def made(fake: FakeGitHub, archive: Path, *, public: bool = False) -> Iterator[Made]:
    place = Place(ORGANIZATION, f"file://{fake.folder}")
    waits: list[float] = []
    with (
        github_api(f"{fake.address}/api", TOKEN, waits.append) as github,
        repository(github, place, archive, public=public, token=TOKEN, wait=time.sleep) as found,
    ):
        yield found


def test_issues_and_pull_requests_get_the_numbers_of_their_order(
    fake: FakeGitHub, archive: Path
) -> None:
    with made(fake, archive) as found:
        assert found == Made(NAME, issues=3, pulls=1, skipped_pulls=1)
        there = fake.repositories[NAME]
        assert there.about["private"]
        assert there.about["default_branch"] == "trunk"
        assert not there.actions
        assert [(item["number"], item["title"], item["state"]) for item in there.items] == [
            (1, "Slow", "open"),
            (2, "Done", "closed"),
            (3, "Late", "open"),
            (4, "Fix", "open"),
        ]
        pull = there.items[3]
        assert (pull["head"], pull["base"]) == ("pr/7-bob-fix", "trunk")
        assert "originally from a fork: **bob/library** (branch: `fix`)" in pull["body"]
        pushed = fake.folder / f"{NAME}.git"
        assert files_of(pushed, "trunk") == ["README.md"]
        assert files_of(pushed, "v1") == [".github", "README.md"]
        assert "fix.txt" in files_of(pushed, "pr/7-bob-fix")
    assert fake.repositories == {}


def test_nobody_is_mentioned(fake: FakeGitHub, archive: Path) -> None:
    with made(fake, archive):
        slow, *_, fix = fake.repositories[NAME].items
        texts = [slow["body"], *slow["comments"], fix["body"], *fix["comments"]]
    names = [name for text in texts for name in mentions(text)]
    assert {name.rpartition("_")[0] for name in names} == {"bob", "carla", "ann-lee"}
    assert all("carla@example.org" in text for text in (*slow["comments"], *fix["comments"]))
    assert "* (review)" in fix["comments"][0]


def test_only_a_repository_that_ambidex_made_is_replaced(fake: FakeGitHub, archive: Path) -> None:
    fake.create({"name": "library", "description": "mine"})
    with (
        pytest.raises(StageError, match="library exists and was not made by Ambidex"),
        made(fake, archive),
    ):
        pass
    assert fake.repositories.pop(NAME).about["description"] == "mine"
    with made(fake, archive):
        left = fake.repositories[NAME]
    fake.repositories[NAME] = left
    with made(fake, archive) as found:
        assert found.issues == 3
        assert fake.repositories[NAME] is not left


def test_workflows_run_only_in_a_public_repository(fake: FakeGitHub, archive: Path) -> None:
    with made(fake, archive, public=True):
        there = fake.repositories[NAME]
        assert (there.about["private"], there.actions) == (False, True)
    first = next(request for request in fake.requests if request[1].endswith("/permissions"))
    assert first[2] == {"enabled": False}


def test_a_request_that_a_rate_limit_refuses_is_sent_again(fake: FakeGitHub) -> None:
    fake.create({"name": "library"})
    fake.refusals = [
        JSONResponse({"message": "You have exceeded a secondary rate limit"}, 403),
        JSONResponse({"message": "wait"}, 429, headers={"retry-after": "7"}),
    ]
    waits: list[float] = []
    with github_api(f"{fake.address}/api", TOKEN, waits.append) as github:
        assert github.ask("GET", f"/repos/{NAME}") == {"name": "library"}
        fake.refusals = [JSONResponse({"message": "Resource not accessible by token"}, 403)]
        with pytest.raises(StageError, match=r"403 .*not accessible by token"):
            github.ask("GET", f"/repos/{NAME}")
        with pytest.raises(StageError, match="refused GET /repos/x/y: 404"):
            github.ask("GET", "/repos/x/y")
    assert waits == [60.0, 7.0]


def test_one_trial_has_the_repository_at_a_time(fake: FakeGitHub, archive: Path) -> None:
    order: list[str] = []

    def later() -> None:
        with made(fake, archive):
            order.append("second")

    other = threading.Thread(target=later)
    with made(fake, archive):
        other.start()
        other.join(0.5)
        order.append("first")
    other.join(60)
    assert order == ["first", "second"]


def test_an_archive_of_another_form_is_named(fake: FakeGitHub, tmp_path: Path) -> None:
    (tmp_path / "no.zip").write_bytes(b"no archive")
    with (
        pytest.raises(StageError, match=r"no\.zip cannot be unpacked"),
        made(fake, tmp_path / "no.zip"),
    ):
        pass
    assert fake.requests == []
