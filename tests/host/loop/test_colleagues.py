"""A model answers as the colleagues in the chat, and the row says so."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest

from ambidex.host.cli import report
from ambidex.host.cli import run as run_command
from ambidex.host.client.guest import Guest
from ambidex.host.errors import ModelError
from ambidex.host.loop.colleagues import AskedColleagues, Conversation, Message
from ambidex.host.models.asking import TextModel
from ambidex.host.records.rows import Row, read_rows
from ambidex.host.records.trajectory import Trajectory, read_trajectory
from ambidex.host.runs import launch
from tests.support.commands import ambidex
from tests.support.guest_programs import program_of
from tests.support.jury import Recorded
from tests.support.peer import CATALOGUE, TOKEN, Desktop, peer
from tests.support.suites import CELL, write_suite

SCRIPT = {"rule": [{"words": ["budget|money"], "say": "It is {training} EUR."}]}
known = program_of("colleagues", "colleagues/script.py").known


def leave_question(folder: Path, id: str = "one") -> None:
    """As the service does."""
    question = {
        "login": "ada",
        "name": "Ada Keller",
        "facts": known(SCRIPT, {"training": 900}),
        "messages": [
            {"by": "user", "text": "Hello"},
            {"by": "colleague", "text": "Yes?"},
            {"by": "user", "text": "What is the budget?"},
        ],
        "room": "!room",
        "event": "$event",
    }
    folder.mkdir(exist_ok=True)
    (folder / "partial").write_text(json.dumps(question))
    (folder / "partial").rename(folder / f"{id}.json")


def wait_for(path: Path) -> str:
    end = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < end
        time.sleep(0.02)
    return path.read_text()


def test_a_question_of_a_service_is_answered_while_the_episode_runs(tmp_path: Path) -> None:
    questions, model = tmp_path / "questions", Recorded("one", {"budget": " 900 EUR. "})
    (tmp_path / "trial").mkdir()
    with (
        peer(Desktop(questions=questions)) as (endpoint, _),
        Trajectory(tmp_path / "trial") as trajectory,
        AskedColleagues(Guest(endpoint, TOKEN), TextModel(model, "messages"), trajectory) as asked,
    ):
        assert questions.is_dir(), "so the service knows that there is a model"
        leave_question(questions)
        assert wait_for(questions / "one.txt") == "900 EUR."
        leave_question(questions, "last")
    assert (questions / "last.txt").exists(), "what was asked before the end is answered"
    [first, _] = model.requests
    assert "About budget or money: It is 900 EUR." in first.body["system"]
    told = "Colleague: Hello\n\nAda Keller: Yes?\n\nColleague: What is the budget?"
    assert first.body["messages"] == [{"role": "user", "content": told}]
    assert asked.record is not None
    assert (asked.record.model, asked.record.answers, asked.record.cost) == ("one", 2, 1.0)
    lines = [line["answer"] for line in read_trajectory(tmp_path / "trial")]
    assert lines == ["900 EUR.", "900 EUR."]


def test_an_agent_that_writes_too_much_does_not_keep_its_colleagues_from_being_asked() -> None:
    messages = [Message(by="user", text=f"{number} " * 10_000) for number in range(100)]
    asked = Conversation(login="ada", name="Ada", facts=[], messages=messages)
    assert len(asked.text) < 150_000
    assert "99 99" in asked.text, "the last one"
    assert "10 10" not in asked.text


def test_a_guest_without_such_a_service_has_no_thread_and_no_record(tmp_path: Path) -> None:
    with peer() as (endpoint, _), Trajectory(tmp_path) as trajectory:
        model, before = TextModel(Recorded("one", {}), "chat"), threading.active_count()
        with AskedColleagues(Guest(endpoint, TOKEN), model, trajectory) as asked:
            assert threading.active_count() == before
    assert asked.record is None


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recorded:
    """The colleagues' model in a run by `played`."""
    for module in (report, run_command):
        monkeypatch.setattr(module, "read_catalogue", lambda: CATALOGUE)
    model = Recorded("one", {"budget": "900 EUR.", "": "I answer."})
    monkeypatch.setattr(launch, "LiteModel", lambda config, prices, stopped: model)
    monkeypatch.setattr(launch, "ask_models", lambda runs, say: None)
    return model


def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Row]:
    """The rows of a run in whose guest a question waits."""
    leave_question(tmp_path / "questions")
    suite = write_suite(tmp_path / "suite", cell=CELL)
    with peer(Desktop(questions=tmp_path / "questions")) as (endpoint, _):
        monkeypatch.setenv("AMBIDEX_TEST_ENDPOINT", endpoint)
        monkeypatch.setenv("AMBIDEX_TEST_TOKEN", TOKEN)
        words = ("--agent", "says_done", "--provider", "attached", "--settle", "0")
        ambidex("run", suite, *words, "--colleagues.model", "one", "--out", tmp_path / "run")
    return read_rows(tmp_path / "run")


def test_a_row_names_the_model_behind_the_colleagues(
    play: Recorded,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    [row] = played(tmp_path, monkeypatch)
    assert row.fate == "scored"
    assert row.colleagues is not None
    assert (row.colleagues.model, row.colleagues.answers) == ("one", 1)
    assert (row.requests, row.cost) == (0, 0.0), "it is not the agent's cost"
    printed = " ".join(capsys.readouterr().out.split())
    assert "one answered as the colleagues in the chat (answers: 1; cost: 0.50 USD, not" in printed


def test_a_trial_whose_colleagues_cannot_be_asked_is_void(
    play: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play.answers = {"": ModelError("no such key", fatal=True)}
    [row] = played(tmp_path, monkeypatch)
    assert (row.fate, row.ended_by, row.phase) == ("void", "model", "episode")
    assert row.failure is not None
    assert row.failure.message == "no such key"


def test_a_model_for_colleagues_that_an_image_does_not_have_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--agent", "oracle", "--image", "debian-12", "--provider", "sandbox")
    assert ambidex("run", "tasks/demo", *words, "--colleagues.model", "one") == 2
    assert "the image debian-12 has no colleagues" in capsys.readouterr().err
