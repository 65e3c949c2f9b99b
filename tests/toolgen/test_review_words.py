"""Reviews on the command line, and what models think."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import httpx
import pytest

from ambidex.host.cli import main
from ambidex.host.errors import ModelError
from ambidex.host.models.model import LiteModel
from ambidex.host.models.prices import read_prices
from ambidex.host.records.config import ModelConfig
from ambidex.toolgen import Reasons, Verdict
from ambidex.toolgen.models.asking import Caps
from ambidex.toolgen.review.opinion import ask_opinion
from ambidex.toolgen.store import Folder
from ambidex.toolgen.verdicts import RUBRIC, decided, give
from tests.host.test_model_agent import chat_server
from tests.toolgen.reviewed import furnished, said

REASON = "a-word-that-only-ann-wrote"


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return furnished(tmp_path)


def ambidex(*words: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main.main([str(word) for word in words])
    code = ended.value.code
    assert isinstance(code, int)
    return code


def verdict(folder: Folder, *words: object) -> int:
    return ambidex("toolgen", "verdict", "text-size", *words, "--foundry", folder.path.parent)


def test_a_verdict_is_given_in_words(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    given = ("reject", "--reviewer", "ann", "--draft", 2, "--reasons.safe", REASON)
    assert verdict(folder, *given) == 0
    said = capsys.readouterr().out
    assert "ann says reject; it waits for a second person" in said
    (review,) = folder.reviews()
    assert (review.reviewer, review.verdict) == ("ann", Verdict.REJECT)
    assert review.reasons == Reasons(safe=REASON)


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("accept", "--reviewer", "ann"), "name the draft that was reviewed"),
        (("accept", "--reviewer", "ann", "--draft", "1"), "about another draft (1)"),
        (("accept", "--reviewer", "ann", "--draft", "7"), "has no draft 7"),
        (("reject", "--reviewer", "ann", "--draft", "2"), "reject needs a reason"),
        (("accept", "--reviewer", "model.o3", "--draft", "2"), "not a person's name"),
    ],
)
def test_words_that_do_not_do_are_refused_with_what_is_wrong(
    folder: Folder, words: tuple[str, ...], what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verdict(folder, *words) == 2
    assert what in capsys.readouterr().err
    assert folder.reviews() == []


def test_without_a_verdict_the_candidate_is_shown_and_nothing_that_others_said(
    folder: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    draft = folder.latest()
    assert draft is not None
    give(folder, "ann", said(draft, "reject", safe=REASON))
    assert verdict(folder, "--reviewer", "ben") == 0
    shown = capsys.readouterr().out
    assert "waits for your verdict" in shown
    assert "def set_text_size(" in shown
    assert "--reasons.not-a-duplicate" in shown
    assert REASON not in shown
    assert verdict(folder, "accept", "--reviewer", "ben", "--draft", 2) == 0
    assert "two people disagree" in capsys.readouterr().out
    assert verdict(folder, "--reviewer", "ben") == 0
    assert f"ann, draft 2: reject safe: {REASON}" in capsys.readouterr().out


def test_the_page_is_served_until_it_is_interrupted(folder: Folder) -> None:
    words = ["toolgen", "review", str(folder.path.parent), "--port", "0"]
    names = ["--reviewer", "ann", "--reviewer", "ben"]
    process = subprocess.Popen(
        [sys.executable, "-m", "ambidex.host.cli.main", *words, *names],
        stderr=subprocess.PIPE,
        text=True,
        # A shell starts what it puts into the background with SIGINT ignored, which is inherited.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stderr
    try:
        lines = [_line(process), _line(process)]
        assert [line.partition(" ")[0] for line in lines] == ["ann", "ben"]
        for line in lines:
            found = re.search(r"http://127\.0\.0\.1:\d+/\?code=\S+", line)
            assert found, line
            assert _answers(found[0]) == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stderr
    # Not `select`: what was read ahead with the line before is in no pipe any more.
    late = threading.Timer(60, process.kill)
    late.start()
    line = process.stderr.readline()
    late.cancel()
    assert line, "it says nothing"
    return line


def _answers(address: str) -> int:
    end = time.monotonic() + 30
    while True:
        try:
            return httpx.get(address, follow_redirects=True).status_code
        except httpx.ConnectError:
            assert time.monotonic() < end
            time.sleep(0.1)


def answer(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


THOUGHT = json.dumps({"verdict": "revise", "reasons": {"safe": "It asks nobody."}, "comment": ""})


def test_a_model_s_opinion_is_kept_shown_last_and_counts_for_nothing(folder: Folder) -> None:
    with chat_server(answer(f"Here it is:\n```json\n{THOUGHT}\n```")) as (address, asked):
        model = LiteModel(ModelConfig(name="vendor/toy", base_url=address), read_prices())
        review = ask_opinion(folder, model, (), Caps())
    assert (review.reviewer, review.human) == ("model.vendor-toy", False)
    assert (review.verdict, review.reasons.safe) == (Verdict.REVISE, "It asks nobody.")
    assert decided(folder).verdict is None
    (exchange,) = folder.exchanges()
    assert exchange["stage"] == "review"
    told = json.dumps(asked[0]["messages"])
    for words in ("def set_text_size(", "varied: other value", *RUBRIC):
        assert words in told


def test_a_model_is_told_nothing_that_people_said(folder: Folder) -> None:
    draft = folder.latest()
    assert draft is not None
    give(folder, "ann", said(draft, "reject", safe=REASON))
    with chat_server(answer(THOUGHT)) as (address, asked):
        model = LiteModel(ModelConfig(name="toy", base_url=address), read_prices())
        ask_opinion(folder, model, (), Caps())
    assert REASON not in json.dumps(asked)


def test_an_answer_that_is_no_opinion_is_asked_for_once_more(folder: Folder) -> None:
    wrong = json.dumps({"verdict": "splendid"})
    with chat_server(answer(wrong), answer(THOUGHT)) as (address, asked):
        model = LiteModel(ModelConfig(name="toy", base_url=address), read_prices())
        assert ask_opinion(folder, model, (), Caps()).verdict is Verdict.REVISE
    assert "could not be read: verdict: Input should be" in json.dumps(asked[1]["messages"])


def test_a_model_that_gives_no_opinion_leaves_none(folder: Folder) -> None:
    with chat_server(answer("I like it."), answer("Really.")) as (address, _):
        model = LiteModel(ModelConfig(name="toy", base_url=address), read_prices())
        with pytest.raises(ModelError, match="could not be read as an opinion: it has no JSON"):
            ask_opinion(folder, model, (), Caps())
    assert folder.reviews() == []


def test_an_opinion_is_asked_for_in_words(
    folder: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    with chat_server(answer(THOUGHT)) as (address, _):
        words = ("--model", "toy", "--base-url", address, "--foundry", folder.path.parent)
        assert ambidex("toolgen", "opinion", "text-size", *words) == 0
    assert "text-size, draft 2: an opinion of toy is kept" in capsys.readouterr().out
    assert [each.human for each in folder.reviews()] == [False]
