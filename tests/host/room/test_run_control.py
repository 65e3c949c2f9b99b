"""Runs that are started, stopped and resumed from the control room, without a machine."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import ValidationError

from ambidex.host.cli.main import app
from ambidex.host.errors import BusyError, UsageError
from ambidex.host.records.command import keep_command
from ambidex.host.records.config import locked
from ambidex.host.room.runs.control import RunControl, StartRequest
from ambidex.host.room.runs.processes import stop_runner
from ambidex.host.room.serve import opened
from ambidex.host.runs.inventory import runner_of
from bench.wall import invented_runs

RUNNER = (
    sys.executable,
    "-c",
    """
import sys, time
from pathlib import Path
from ambidex.host.records.config import locked
out = Path(next(word.partition("=")[2] for word in sys.argv if word.startswith("--out=")))
try:
    with locked(out):
        print("ready", *sys.argv[1:], flush=True)
        time.sleep(60)
except KeyboardInterrupt:
    sys.exit(130)
""",
)
"""A runner that locks its run and does nothing until it is interrupted."""


def until(holds: Any) -> Any:
    end = time.monotonic() + 30
    while not (result := holds()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return result


@pytest.fixture
def run(tmp_path: Path) -> Path:
    invented_runs(tmp_path / "runs", 1, 2)
    [folder] = (tmp_path / "runs").iterdir()
    return folder.rename(folder.with_name("one"))


@pytest.fixture
def ignored_interrupts() -> Iterator[None]:
    """As in a room that a script starts in the background."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


@contextmanager
def room(runs: Path) -> Iterator[httpx.Client]:
    with opened([runs], run=RUNNER) as address, httpx.Client(follow_redirects=True) as client:
        client.get(address())
        client.base_url = httpx.URL(address().partition("?")[0])
        yield client


@pytest.mark.usefixtures("ignored_interrupts")
def test_a_run_is_started_stopped_and_resumed_as_a_process_of_its_own(
    run: Path, tmp_path: Path
) -> None:
    with room(run.parent) as client:
        asked = {"suite": str(tmp_path), "model": "m", "runs": 2, "tasks": "cell"}
        answer = client.post("/api/runs", json=asked)
        assert answer.status_code == 202
        out = run.parent / answer.json()["run"]
        process = until(lambda: runner_of(out))
        assert client.post(f"/api/runs/{out.name}/stop").status_code == 409, "not a run yet"
        (out / "run.json").write_bytes((run / "run.json").read_bytes())
        assert client.post(f"/api/runs/{out.name}/stop").status_code == 202
        until(lambda: runner_of(out) is None)
        words = (out / "run.log").read_text().split()[1:]
        assert words[:2] == ["run", str(tmp_path)]
        assert {"--model=m", "--runs=2", "--tasks=cell", f"--out={out}"} < set(words)
        keep_command(out, f"ambidex run x --watch --out={out}")
        told = client.get(f"/api/runs/{out.name}/command").json()
        assert told["command"] == f"ambidex run x --out={out}"
        until(lambda: client.post(f"/api/runs/{out.name}/resume").status_code == 202)
        again = until(lambda: runner_of(out))
        assert again != process
        assert client.post(f"/api/runs/{out.name}/resume").status_code == 409, "it is running"
        stop_runner(out)
        until(lambda: runner_of(out) is None)


def test_the_words_of_a_request_are_those_of_the_command_line(tmp_path: Path) -> None:
    request = StartRequest(
        suite="tasks/demo", tasks="a b", model="openai/gpt-5", provider="sandbox", steps=30
    )
    _, bound, _ = app.parse_args([*request.words(tmp_path)], exit_on_error=False)
    given = bound.arguments
    assert (given["model"], given["tasks"], given["steps"]) == ("openai/gpt-5", ("a", "b"), 30)
    assert (given["out"], given["machines"].provider) == (tmp_path, "sandbox")


def test_code_of_ones_own_is_not_started_from_a_page() -> None:
    with pytest.raises(ValidationError, match="only built-in agents"):
        StartRequest(suite="x", agent="module:Class")
    with pytest.raises(ValidationError, match="extra"):
        StartRequest.model_validate({"suite": "x", "out": "/etc"})


def test_a_run_that_cannot_start_says_why(run: Path) -> None:
    control = RunControl((sys.executable, "-c", "import sys; sys.exit('ambidex: no machine')"))
    out = control.start(StartRequest(suite=str(run)), run.parent)
    assert until(lambda: [s for s in control.summaries() if s["state"] == "failed"]) == [
        {"run": out.name, "state": "failed", "why": "no machine"}
    ]
    with pytest.raises(UsageError, match="not a directory"):
        control.start(StartRequest(suite="nowhere"), run.parent)


@pytest.mark.parametrize("command", ["rm -rf x", "ambidex watch", ""])
def test_only_commands_that_run_trials_are_repeated(run: Path, command: str) -> None:
    (run / "command.json").write_text(json.dumps({"command": command, "directory": "/"}))
    with pytest.raises(UsageError, match="was not kept"):
        RunControl(("false",)).resume(run)


def test_a_process_that_does_not_hold_the_lock_is_not_stopped(run: Path) -> None:
    (run / "lock").write_text("1")
    assert runner_of(run) is None
    with pytest.raises(BusyError, match="not running"):
        stop_runner(run)
    with locked(run), pytest.raises(UsageError, match="process of this control room"):
        stop_runner(run)


def test_no_run_is_started_for_another_site_or_without_a_cookie(run: Path) -> None:
    with room(run.parent) as client:
        asked = {"suite": str(run)}
        away = {"origin": "http://elsewhere.example"}
        assert client.post("/api/runs", json=asked, headers=away).status_code == 421
        client.cookies.clear()
        for path in ("/api/runs", "/api/runs/one/stop", "/api/runs/one/resume"):
            assert client.post(path, json=asked).status_code == 401
    assert [path.name for path in run.parent.iterdir()] == ["one"]
