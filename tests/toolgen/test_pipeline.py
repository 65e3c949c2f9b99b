"""The pipeline without a machine: a wish goes as far as the gate, is killed on the way, and goes
on."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ambidex.host.runs.providers.attached import ENDPOINT
from ambidex.toolgen.store import Folder, open_candidate
from examples.foundry.stand_in import answer
from tests.host.peer import serve

ROOT = Path(__file__).parents[2]
NOWHERE = {**os.environ, ENDPOINT: "http://127.0.0.1:9"}
"""A guest that nobody may ask: where no stage needs a machine, none is touched."""
NAME = "calc-write-one"


class Slow:
    """The stand-in for a model, which can be held up."""

    def __init__(self) -> None:
        self.asked = threading.Semaphore(0)
        self.go_on = threading.Event()
        self.go_on.set()

    async def answer(self, request: Request) -> Response:
        self.asked.release()
        while not self.go_on.is_set() and not await request.is_disconnected():
            await asyncio.sleep(0.02)  # between looks; it ends with its client
        return await answer(request)


@pytest.fixture
def model() -> Iterator[tuple[Slow, str]]:
    slow = Slow()
    app = Starlette(routes=[Route("/v1/chat/completions", slow.answer, methods=["POST"])])
    with serve(app, lifespan="off") as address:
        yield slow, f"{address}/v1"


def words(foundry: Path, *more: str) -> list[str]:
    return [
        sys.executable,
        "-m",
        "ambidex.host.cli.main",
        "toolgen",
        *more,
        "--foundry",
        str(foundry),
    ]


def toolgen(foundry: Path, *more: str) -> subprocess.CompletedProcess[str]:
    argv = words(foundry, *more)
    return subprocess.run(argv, capture_output=True, text=True, env=NOWHERE, cwd=ROOT, check=False)


def proposed(foundry: Path) -> Folder:
    wish = "Put a number, a text or a formula into one cell of a spreadsheet."
    copycat = ("--name", NAME, "--model", "openai/copycat")
    done = toolgen(foundry, "propose", "calc", "--wish", wish, *copycat)
    assert done.returncode == 0, done.stderr
    return open_candidate(foundry, NAME)


def test_a_pipeline_that_was_killed_goes_on_and_asks_for_nothing_twice(
    tmp_path: Path, model: tuple[Slow, str]
) -> None:
    slow, address = model
    folder = proposed(tmp_path)
    slow.go_on.clear()
    argv = words(tmp_path, "run", "--base-url", address, "--provider", "attached")
    running = subprocess.Popen(argv, env=NOWHERE, cwd=ROOT, stdout=subprocess.PIPE)
    assert slow.asked.acquire(timeout=120)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    assert [result.stage for result in folder.results()] == ["propose", "filter"]
    assert [each["answer"] for each in folder.exchanges()] == [None]
    slow.go_on.set()
    done = toolgen(tmp_path, "resume")
    assert done.returncode == 1, done.stderr
    last = folder.results()[-1]
    assert (last.stage, last.outcome) == ("gate", "failed")
    assert "calc_set_cell_value again" in last.reason
    # One was lost with the process, one made the draft, one insisted on it.
    exchanges = folder.exchanges()
    assert [bool(each["answer"]) for each in exchanges] == [False, True, True]
    assert {len(each["prompts"]) for each in exchanges} == {64}
    before = sorted(path.name for path in folder.path.rglob("*"))
    again = toolgen(tmp_path, "resume")
    assert (again.returncode, sorted(path.name for path in folder.path.rglob("*"))) == (1, before)
    shown = toolgen(tmp_path, "show", NAME).stdout
    assert "! duplicate: calc_write_one is calc_set_cell_value again" in shown
    found = json.loads(toolgen(tmp_path, "report", "--json").stdout)
    parts = {part["stage"]: part for part in found["parts"]}
    assert (parts["gate"]["reached"], parts["gate"]["outcomes"]) == (1, {"failed": 1})
    assert parts["trial"]["reached"] == 0
    assert found["spent"]["calls"] == 3
    assert found["spent"]["dollars"] is None, "nobody knows what a stand-in costs"


def test_where_the_limit_of_calls_is_reached_it_waits_and_says_so(
    tmp_path: Path, model: tuple[Slow, str]
) -> None:
    folder = proposed(tmp_path)
    run = ("run", "--base-url", model[1], "--provider", "attached")
    done = toolgen(tmp_path, *run, "--calls", "1")
    last = folder.result("wrap")
    assert last is not None
    assert (done.returncode, last.outcome) == (0, "waiting")
    assert last.reason == "limit reached: this candidate has made 1 of 1 model calls"
    done = toolgen(tmp_path, *run, "--calls", "5", "--total-calls", "1")
    last = folder.result("wrap")
    assert last is not None
    assert last.reason == "limit reached: this foundry has made 1 of 1 model calls"
    done = toolgen(tmp_path, *run, "--calls", "5", "--dollars", "3")
    last = folder.result("wrap")
    assert last is not None
    assert "no price of openai/copycat is known" in last.reason
    assert len(folder.exchanges()) == 1
    assert toolgen(tmp_path, *run).returncode == 1
    assert folder.results()[-1].outcome == "failed"


def test_what_cannot_be_proposed_is_said_before_anything_is_kept(tmp_path: Path) -> None:
    done = toolgen(tmp_path, "propose", "calcc", "--wish", "Anything.")
    assert (done.returncode, "no app 'calcc'" in done.stderr) == (2, True)
    done = toolgen(tmp_path, "propose", "calc")
    assert (done.returncode, "from a task or from a wish" in done.stderr) == (2, True)
    done = toolgen(tmp_path, "propose", "vlc", "--task", "tasks/demo/music-to-cd")
    assert (done.returncode, "cannot be done" in done.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []
    done = toolgen(tmp_path, "resume")
    assert (done.returncode, "nothing was run" in done.stderr) == (2, True)
