"""The pipeline without a machine: a wish is taken as far as the gate, interrupted and resumed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ambidex.host.cli import main
from ambidex.host.runs.providers.attached import ENDPOINT
from ambidex.toolgen import cli, foundry
from ambidex.toolgen.stages import propose as propose_stage
from ambidex.toolgen.store import Folder, open_candidate
from examples.foundry.stand_in import answer
from tests.support.served import CATALOGUE
from tests.support.serving import serve

ROOT = Path(__file__).parents[2]
NOWHERE = {**os.environ, ENDPOINT: "http://127.0.0.1:9"}
"""With an endpoint that does not answer: a stage that needs no machine must not touch one."""
NAME = "calc-write-one"


class Slow:
    """The stand-in for a model, with answers that can be delayed."""

    def __init__(self) -> None:
        self.asked = threading.Semaphore(0)
        self.go_on = threading.Event()
        self.go_on.set()

    async def answer(self, request: Request) -> Response:
        self.asked.release()
        while not self.go_on.is_set() and not await request.is_disconnected():
            await asyncio.sleep(0.02)  # poll; the loop ends when the client disconnects
        return await answer(request)


@pytest.fixture
def model() -> Iterator[tuple[Slow, str]]:
    slow = Slow()
    app = Starlette(routes=[Route("/v1/chat/completions", slow.answer, methods=["POST"])])
    with serve(app, lifespan="off") as address:
        yield slow, f"{address}/v1"


def arguments(foundry: Path, *words: str) -> list[str]:
    return ["toolgen", *words, "--foundry", str(foundry)]


class Output(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


Toolgen = Callable[..., Output]


@pytest.fixture
def toolgen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Toolgen:
    """Runs a command of `ambidex toolgen` in this process, on the foundry `tmp_path`."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv(ENDPOINT, NOWHERE[ENDPOINT])
    for module in (cli, foundry, propose_stage):
        monkeypatch.setattr(module, "read_catalogue", lambda: CATALOGUE)

    def run(*words: str) -> Output:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main.main(arguments(tmp_path, *words))
        code = ended.value.code
        assert isinstance(code, int)
        return Output(code, *capsys.readouterr())

    return run


def propose(toolgen: Toolgen, foundry: Path) -> Folder:
    wish = "Put a number, a text or a formula into one cell of a spreadsheet."
    copycat = ("--name", NAME, "--model", "openai/copycat")
    done = toolgen("propose", "calc", "--wish", wish, *copycat)
    assert done.returncode == 0, done.stderr
    return open_candidate(foundry, NAME)


def test_a_killed_pipeline_resumes_and_asks_for_nothing_twice(
    tmp_path: Path, model: tuple[Slow, str], toolgen: Toolgen
) -> None:
    slow, address = model
    folder = propose(toolgen, tmp_path)
    slow.go_on.clear()
    run = arguments(tmp_path, "run", "--base-url", address, "--provider", "attached")
    argv = [sys.executable, "-m", "ambidex.host.cli.main", *run]
    running = subprocess.Popen(argv, env=NOWHERE, cwd=ROOT, stdout=subprocess.PIPE)
    assert slow.asked.acquire(timeout=120)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    assert [result.stage for result in folder.results()] == ["propose", "filter"]
    assert [exchange["answer"] for exchange in folder.exchanges()] == [None]
    slow.go_on.set()
    done = toolgen("resume")
    assert done.returncode == 1, done.stderr
    last = folder.results()[-1]
    assert (last.stage, last.outcome) == ("gate", "failed")
    assert "calc_write_one duplicates calc_set_cell_value" in last.reason
    # One was lost with the process, one made the draft, one insisted on it.
    exchanges = folder.exchanges()
    assert [bool(exchange["answer"]) for exchange in exchanges] == [False, True, True]
    assert {len(exchange["prompts"]) for exchange in exchanges} == {64}
    before = sorted(path.name for path in folder.path.rglob("*"))
    again = toolgen("resume")
    assert (again.returncode, sorted(path.name for path in folder.path.rglob("*"))) == (1, before)
    shown = toolgen("show", NAME).stdout
    assert "! duplicate: calc_write_one duplicates calc_set_cell_value" in shown
    report = json.loads(toolgen("report", "--json").stdout)
    parts = {part["stage"]: part for part in report["parts"]}
    assert (parts["gate"]["reached"], parts["gate"]["outcomes"]) == (1, {"failed": 1})
    assert parts["trial"]["reached"] == 0
    assert report["spent"]["calls"] == 3
    assert report["spent"]["dollars"] is None, "the price of a stand-in is unknown"


def test_at_a_limit_the_candidate_waits_and_the_reason_names_the_limit(
    tmp_path: Path, model: tuple[Slow, str], toolgen: Toolgen
) -> None:
    folder = propose(toolgen, tmp_path)
    run = ("run", "--base-url", model[1], "--provider", "attached")
    done = toolgen(*run, "--calls", "1")
    last = folder.result("wrap")
    assert last is not None
    assert (done.returncode, last.outcome) == (0, "waiting")
    assert last.reason == "limit reached: this candidate has made 1 of 1 model calls"
    toolgen(*run, "--calls", "5", "--total-calls", "1")
    last = folder.result("wrap")
    assert last is not None
    assert last.reason == "limit reached: this foundry has made 1 of 1 model calls"
    toolgen(*run, "--calls", "5", "--dollars", "3")
    last = folder.result("wrap")
    assert last is not None
    assert "the price of openai/copycat is unknown" in last.reason
    assert len(folder.exchanges()) == 1
    assert toolgen(*run).returncode == 1
    assert folder.results()[-1].outcome == "failed"


def test_an_impossible_proposal_is_refused_before_anything_is_stored(
    tmp_path: Path, toolgen: Toolgen
) -> None:
    done = toolgen("propose", "calcc", "--wish", "Anything.")
    assert (done.returncode, "no app 'calcc'" in done.stderr) == (2, True)
    done = toolgen("propose", "calc")
    assert (done.returncode, "needs a task or a wish" in done.stderr) == (2, True)
    done = toolgen("propose", "vlc", "--task", "tasks/demo/music-to-cd")
    assert (done.returncode, "task is infeasible" in done.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []
    done = toolgen("resume")
    assert (done.returncode, "no run to resume" in done.stderr) == (2, True)
