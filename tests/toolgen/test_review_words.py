"""Reviews on the command line, and opinions of models."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest

from ambidex.host.errors import ModelError
from ambidex.host.models.model import LiteModel
from ambidex.host.models.prices import read_prices
from ambidex.host.records.config import ModelConfig
from ambidex.toolgen import Reasons, Verdict, cli, foundry
from ambidex.toolgen.models.asking import CallLimits
from ambidex.toolgen.review.opinion import ask_opinion
from ambidex.toolgen.store import Folder
from ambidex.toolgen.verdicts import RUBRIC, decision_on, give_verdict
from tests.host.agents.test_model_agent import chat_server
from tests.support.commands import ambidex
from tests.support.served import CATALOGUE
from tests.toolgen.reviewed import full_candidate, submission

REASON = "a-word-that-only-ann-wrote"


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return full_candidate(tmp_path)


@pytest.fixture(autouse=True)
def _served_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """The catalogue as it is served, which each command would read in a process of its own."""
    for module in (cli, foundry):
        monkeypatch.setattr(module, "read_catalogue", lambda: CATALOGUE)


def verdict(folder: Folder, *words: object) -> int:
    return ambidex("toolgen", "verdict", "text-size", *words, "--foundry", folder.path.parent)


def test_a_verdict_is_given_on_the_command_line(
    folder: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("reject", "--reviewer", "ann", "--draft", 2, "--reasons.safe", REASON)
    assert verdict(folder, *arguments) == 0
    assert "ann says reject; waiting for a second reviewer" in capsys.readouterr().out
    (review,) = folder.reviews()
    assert (review.reviewer, review.verdict) == ("ann", Verdict.REJECT)
    assert review.reasons == Reasons(safe=REASON)


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("accept", "--reviewer", "ann"), "the draft that was reviewed is missing"),
        (("accept", "--reviewer", "ann", "--draft", "1"), "about another draft (1)"),
        (("accept", "--reviewer", "ann", "--draft", "7"), "has no draft 7"),
        (("reject", "--reviewer", "ann", "--draft", "2"), "reject needs a reason"),
        (("accept", "--reviewer", "model.o3", "--draft", "2"), "not a person's name"),
    ],
)
def test_a_wrong_command_is_refused_with_the_reason(
    folder: Folder, words: tuple[str, ...], what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verdict(folder, *words) == 2
    assert what in capsys.readouterr().err
    assert folder.reviews() == []


def test_without_a_verdict_the_command_shows_the_candidate_but_no_other_verdicts(
    folder: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    draft = folder.latest()
    assert draft is not None
    give_verdict(folder, "ann", submission(draft, "reject", safe=REASON))
    assert verdict(folder, "--reviewer", "ben") == 0
    shown = capsys.readouterr().out
    assert "waiting for your verdict" in shown
    assert "def set_text_size(" in shown
    assert "--reasons.not-a-duplicate" in shown
    assert REASON not in shown
    assert verdict(folder, "accept", "--reviewer", "ben", "--draft", 2) == 0
    assert "two reviewers disagree" in capsys.readouterr().out
    assert verdict(folder, "--reviewer", "ben") == 0
    assert f"ann, draft 2: reject safe: {REASON}" in capsys.readouterr().out


def test_the_page_is_served_until_interrupted(folder: Folder) -> None:
    words = ["toolgen", "review", str(folder.path.parent), "--port", "0"]
    names = ["--reviewer", "ann", "--reviewer", "ben"]
    ambidex = (sys.executable, "-m", "ambidex.host.cli.main")
    process = subprocess.Popen(
        # A shell starts background jobs with SIGINT ignored, and children inherit that.
        ["env", "--default-signal=INT", *ambidex, *words, *names],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr
    try:
        lines = [_line(process), _line(process)]
        assert [line.partition(" ")[0] for line in lines] == ["ann", "ben"]
        for line in lines:
            match = re.search(r"http://127\.0\.0\.1:\d+/\?code=\S+", line)
            assert match, line
            assert _status(match[0]) == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stderr
    # A timer instead of `select`, because the line may be buffered already.
    timeout = threading.Timer(60, process.kill)
    timeout.start()
    line = process.stderr.readline()
    timeout.cancel()
    assert line, "no output"
    return line


def _status(address: str) -> int:
    end = time.monotonic() + 30
    while True:
        try:
            return httpx.get(address, follow_redirects=True).status_code
        except httpx.ConnectError:
            assert time.monotonic() < end
            time.sleep(0.1)


def answer(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


OPINION = json.dumps({"verdict": "revise", "reasons": {"safe": "It asks nobody."}, "comment": ""})


def test_a_model_s_opinion_is_stored_and_not_counted(folder: Folder) -> None:
    with chat_server(answer(f"Here it is:\n```json\n{OPINION}\n```")) as (address, requests):
        model = LiteModel(ModelConfig(name="vendor/toy", base_url=address), read_prices())
        review = ask_opinion(folder, model, (), CallLimits())
    assert (review.reviewer, review.human) == ("model.vendor-toy", False)
    assert (review.verdict, review.reasons.safe) == (Verdict.REVISE, "It asks nobody.")
    assert decision_on(folder).verdict is None
    (exchange,) = folder.exchanges()
    assert exchange["stage"] == "review"
    messages = json.dumps(requests[0]["messages"])
    for words in ("def set_text_size(", "varied: other value", *RUBRIC):
        assert words in messages


def test_a_model_is_not_told_what_people_said(folder: Folder) -> None:
    draft = folder.latest()
    assert draft is not None
    give_verdict(folder, "ann", submission(draft, "reject", safe=REASON))
    with chat_server(answer(OPINION)) as (address, requests):
        model = LiteModel(ModelConfig(name="toy", base_url=address), read_prices())
        ask_opinion(folder, model, (), CallLimits())
    assert REASON not in json.dumps(requests)


def test_a_model_is_asked_again_after_a_malformed_opinion(folder: Folder) -> None:
    wrong = json.dumps({"verdict": "splendid"})
    with chat_server(answer(wrong), answer(OPINION)) as (address, requests):
        model = LiteModel(ModelConfig(name="toy", base_url=address), read_prices())
        assert ask_opinion(folder, model, (), CallLimits()).verdict is Verdict.REVISE
    assert "could not be parsed: verdict: must be" in json.dumps(requests[1]["messages"])


def test_answers_without_an_opinion_store_none(folder: Folder) -> None:
    with chat_server(answer("I like it."), answer("Really.")) as (address, _):
        model = LiteModel(ModelConfig(name="toy", base_url=address), read_prices())
        with pytest.raises(ModelError, match="could not be parsed as an opinion: no JSON"):
            ask_opinion(folder, model, (), CallLimits())
    assert folder.reviews() == []


def test_an_opinion_is_requested_on_the_command_line(
    folder: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    with chat_server(answer(OPINION)) as (address, _):
        words = ("--model", "toy", "--base-url", address, "--foundry", folder.path.parent)
        assert ambidex("toolgen", "opinion", "text-size", *words) == 0
    assert "text-size, draft 2: stored the opinion of toy" in capsys.readouterr().out
    assert [review.human for review in folder.reviews()] == [False]
