"""Forks started from the control room: refusals, starts and their state."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import ValidationError

from ambidex.host.records.config import read_config
from ambidex.host.records.rows import read_rows
from ambidex.host.room.forking import FORK, OUTPUT, RECORD, ForkRequest, Forks, Record, forkable
from ambidex.host.room.serve import opened
from ambidex.tasks import Suite
from tests.host.room.test_room import first_event
from tests.support.travel import Toy, forked, recorded, suite_in

PEERS = (sys.executable, "-m", "tests.host.room.fork_on_peers", "fork")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return suite_in(tmp_path_factory.mktemp("suite") / "suite")


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory, suite: Suite) -> Path:
    """The trial of which each test has a copy."""
    run = tmp_path_factory.mktemp("recording") / "one"
    return run / recorded(run, suite, Toy(slips={"C1": "tools"})).folder


@pytest.fixture
def trial(tmp_path: Path, recording: Path) -> Path:
    run = tmp_path / "runs" / "one"
    shutil.copytree(recording.parent, run)
    return run / recording.name


@contextmanager
def room(*folders: Path, fork: Sequence[str] = PEERS) -> Iterator[httpx.Client]:
    # Certificates, which plain HTTP has no use for, take longer to load than most tests here.
    with (
        opened(folders, fork=fork) as address,
        httpx.Client(follow_redirects=True, timeout=60, verify=False) as client,
    ):
        client.get(address())
        client.base_url = httpx.URL(address().partition("?")[0])
        yield client


def asked_for(client: httpx.Client, trial: Path, **said: object) -> httpx.Response:
    return client.post(f"/api/trials/{trial.parent.name}/{trial.name}/forks", json=said)


def ended(client: httpx.Client, of: int = 1) -> dict[str, Any]:
    """What is told of the last of so many forks once it has ended."""
    with client.stream("GET", "/api/events") as answer:
        for line in answer.iter_lines():
            if line.startswith("data: "):
                told: dict[str, Any] = httpx.Response(200, text=line[6:]).json()
                if len(told["forks"]) == of and told["forks"][-1]["state"] != "running":
                    last: dict[str, Any] = told["forks"][-1]
                    return last
    raise AssertionError("no event")


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({}, "step: required, but missing"),
        ({"step": 0}, "step: must be at least 1, not 0"),
        ({"step": 3, "branches": 0}, "branches: must be at least 1"),
        ({"step": 3, "branches": 21}, "branches: must be at most 20, not 21"),
        ({"step": 3, "hand": "left"}, "hand"),
        ({"step": 3, "condition": "both"}, "condition"),
        ({"step": 3, "out": "/tmp/x"}, "out: unknown key"),
    ],
)
def test_an_invalid_form_is_refused_with_the_reason(
    trial: Path, said: dict[str, Any], why: str
) -> None:
    with room(trial.parents[1]) as client:
        answer = asked_for(client, trial, **said)
        assert (answer.status_code, why in answer.json()["error"]) == (400, True)
    assert [*trial.parents[1].iterdir()] == [trial.parent]


def test_a_step_without_a_checkpoint_is_refused_with_a_list_of_those_that_have_one(
    trial: Path,
) -> None:
    with room(trial.parents[1]) as client:
        answer = asked_for(client, trial, step=9)
        assert answer.status_code == 409
        assert "no checkpoint before step 9" in answer.json()["error"]
        assert "It has checkpoints before these steps: 1, 2, 3, 4, 5" in answer.json()["error"]
        assert asked_for(client, trial.parent / "no.1", step=1).status_code == 409
    assert [*trial.parents[1].iterdir()] == [trial.parent]


def test_a_fork_needs_access_and_cannot_come_from_another_site(trial: Path) -> None:
    path = "/api/trials/one/row.1/forks"
    with opened([trial.parents[1]], fork=PEERS) as address:
        base = address().partition("/?")[0]
        assert httpx.post(base + path, json={"step": 1}).status_code == 401
        with httpx.Client(base_url=base, follow_redirects=True) as client:
            client.get(address())
            elsewhere = {"origin": "http://elsewhere.example"}
            answer = client.post(path, json={"step": 1}, headers=elsewhere)
            assert answer.status_code == 421


def test_a_fork_is_a_run_beside_its_parent_that_the_wall_shows(trial: Path) -> None:
    how = {"hand": "gui", "lasting": "rest", "hint": "--now -n 9"}
    said = {"step": 3, "branches": 2, "condition": "hybrid", **how}
    with room(trial.parent) as client:  # of all runs only this one
        answer = asked_for(client, trial, **said)
        assert (answer.status_code, answer.json()) == (202, {"run": "one.from-3"})
        told = ended(client)
        assert (told["state"], told["why"]) == ("ended", "")
        assert (told["run"], told["trial"], told["step"]) == ("one", "row.1", 3)
        runs = {run["run"]: run for run in first_event(client)["runs"]}
        assert [row["score"] for row in runs["one.from-3"]["rows"].values()] == [1.0, 1.0]  # type: ignore
    out = trial.parent.with_name("one.from-3")
    assert {row.parent.step for row in read_rows(out) if row.parent} == {3}
    config = read_config(out)
    assert config.fork is not None
    assert {name: getattr(config.fork, name) for name in how} == how
    assert config.keep == read_config(trial.parent).keep, "its steps can be gone on from, too"
    assert "best of 2 from step 3" in (out / OUTPUT).read_text()


def test_a_second_fork_of_a_step_has_a_directory_of_its_own(trial: Path) -> None:
    with room(trial.parents[1], fork=("true",)) as client:
        names = [asked_for(client, trial, step=2).json()["run"] for _ in range(3)]
    assert names == ["one.from-2", "one.from-2-2", "one.from-2-3"]


def test_a_fork_that_fails_says_why_in_the_words_of_the_command_line(
    tmp_path: Path,
) -> None:
    run, suite = tmp_path / "runs" / "one", suite_in(tmp_path / "suite")
    trial = run / recorded(run, suite, Toy()).folder
    task = suite.folder / "row" / "task.toml"
    task.write_text(task.read_text().replace("Fill the first row.", "Fill a row."))
    with room(trial.parents[1], fork=FORK) as client:
        assert asked_for(client, trial, step=3).status_code == 202
        told = ended(client)
    assert told["state"] == "failed"
    assert told["why"].startswith("the task row has changed since row.1 was recorded")
    assert "Run it again" in told["why"]
    assert not (trial.parent.with_name("one.from-3") / "run.json").exists()


def test_a_fork_without_output_is_described_by_its_exit_code(trial: Path) -> None:
    with room(trial.parents[1], fork=("false",)) as client:
        asked_for(client, trial, step=3)
        assert ended(client)["why"] == "exit code 1 without output"


def test_a_restarted_room_knows_which_forks_failed_and_why(trial: Path) -> None:
    failing = (sys.executable, "-c", "import sys; sys.exit('ambidex: no room on the disk')")
    with room(trial.parents[1], fork=failing) as client:
        asked_for(client, trial, step=3, branches=2)
        before = ended(client)
    with room(trial.parents[1], fork=("true",)) as client:
        assert first_event(client)["forks"] == [before]
        asked_for(client, trial, step=4)
        assert ended(client, 2)["state"] == "ended"
    assert before["why"] == "no room on the disk"
    with room(trial.parents[1]) as client:
        assert first_event(client)["forks"] == [before], "what ended well is a run on the wall"
        shutil.rmtree(trial.parents[1] / before["out"])
    with room(trial.parents[1]) as client:
        assert first_event(client)["forks"] == []


def test_a_restarted_room_sees_the_end_of_a_running_fork(trial: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gate")
    waiting = (sys.executable, "-c", "import sys; open(sys.argv[1]).read()", str(tmp_path / "gate"))
    with room(trial.parents[1], fork=waiting) as client:
        asked_for(client, trial, step=3)
    with room(trial.parents[1]) as client:
        assert [each["state"] for each in first_event(client)["forks"]] == ["running"]
        (tmp_path / "gate").write_text("")
        with client.stream("GET", "/api/events") as answer:
            told = (json.loads(line[6:]) for line in answer.iter_lines() if line[:5] == "data:")
            assert next(each["forks"] for each in told if not _running(each)) == []
    out = trial.parent.with_name("one.from-3")
    assert json.loads((out / RECORD).read_text())["code"] == 0


def _running(told: dict[str, Any]) -> bool:
    return any(each["state"] == "running" for each in told["forks"])


@pytest.mark.parametrize(
    ("printed", "run", "told"),
    [
        ("ambidex: no room\n  fix: make some\n", True, ["no room\n  fix: make some"]),
        ("Killed", False, ["Killed"]),
        ("", False, ["ended without output"]),
        ("a table", True, []),
    ],
)
def test_a_fork_that_ended_without_a_room_failed_if_it_printed_an_error_or_left_no_run(
    trial: Path, printed: str, run: bool, told: list[str]
) -> None:
    out = trial.parent.with_name("one.from-2")
    out.mkdir()
    record = Record(
        run=str(trial.parent), trial="row.1", asked=ForkRequest(step=2), begun=datetime.now(UTC)
    )
    (out / RECORD).write_text(record.model_dump_json())
    (out / OUTPUT).write_text(printed)
    if run:
        shutil.copy(trial.parent / "run.json", out)
    assert [each["why"] for each in Forks().summaries({"one": trial.parent})] == told


def test_an_earlier_attempt_cannot_be_forked(trial: Path) -> None:
    earlier = trial.rename(trial.with_name("row.1.earlier-1"))
    subprocess.run(["cp", "-r", earlier, trial], check=True)
    with room(trial.parents[1]) as client:
        answer = asked_for(client, earlier, step=3)
        assert (answer.status_code, "row.1.earlier-1 is an earlier attempt" in answer.text) == (
            409,
            True,
        )


def test_a_branch_can_be_forked_at_steps_of_its_parent(trial: Path, suite: Suite) -> None:
    [found] = forked(trial.parents[1] / "two", suite, Toy(), trial, 3)
    branch = trial.parents[1] / "two" / found.folder
    assert forkable(branch) == [1, 2, 3]
    forks = Forks((sys.executable, "-c", "import sys; print(sys.argv[1:])"))
    out = forks.start(branch, ForkRequest(step=2, model=" m ", branches=4))
    end = time.monotonic() + 30
    while forks.summaries({"two": branch.parent})[0]["state"] == "running":
        assert time.monotonic() < end
        time.sleep(0.05)
    words = [str(branch.parent), "row.1", "2", "-n", "4", "--model=m", f"--out={out}"]
    assert (out / OUTPUT).read_text().strip() == str(words)


def test_a_trial_whose_parent_is_gone_is_still_shown(trial: Path, suite: Suite) -> None:
    [found] = forked(trial.parents[1] / "two", suite, Toy(), trial, 3)
    trial.rename(trial.with_name("elsewhere.1"))
    with room(trial.parents[1]) as client:
        told = client.get(f"/api/trials/two/{found.folder}").json()
    assert (told["kept"], len(told["lines"])) == ([], 5)


def test_a_hint_that_is_too_long_is_refused() -> None:
    with pytest.raises(ValidationError, match="at most 4000"):
        ForkRequest(step=1, hint="x" * 4001)
