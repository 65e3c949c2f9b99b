"""Attacks on the judge by code that runs in it: it can exhaust nothing and do nothing but judge."""

from __future__ import annotations

import importlib
import os
import pickle
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, UnidentifiedImageError

from ambidex.evaluators import Score
from ambidex.evaluators.registry import evaluators
from ambidex.host import Stop
from ambidex.host.box import Limits
from ambidex.host.box.client import Box, JudgeError
from ambidex.host.loop.judge import judge
from ambidex.tasks import Task, Verdict
from ambidex.tasks.spec import Facts
from tests.attack.judging import judged, verdict
from tests.support.tables import every_case


class TellsTwisted:
    """A task's check that scores 1 if its judge has not imported twisted."""

    check_count = 1

    def judge(self, evidence: Path) -> Verdict:
        return Verdict(Score(float("twisted" not in sys.modules), "twisted"))


def test_the_judge_imports_nothing_that_only_the_controller_uses(tmp_path: Path) -> None:
    importlib.import_module("twisted.persisted.styles")  # changes how bound methods are pickled
    facts = Facts(instruction="x", tool_beneficial=False, feasible=True)
    assert judge(Task("t", "", facts, TellsTwisted()), tmp_path, Stop.DONE).score.value == 1


def spends(evidence: Path) -> Score:
    while True:
        pass


def grows(evidence: Path) -> Score:
    return Score(0.0, str(len(bytearray(1 << 40))))


def nests(evidence: Path) -> Score:
    return nests(evidence)


def writes(evidence: Path) -> Score:
    with open(os.environ["TMPDIR"] + "/x", "wb") as file:
        for _ in range(100):
            file.write(bytes(1 << 20))
    return Score(1.0, "it was written")


def waits(evidence: Path) -> Score:
    time.sleep(3600)
    return Score(1.0, "it waited")


def crashes(evidence: Path) -> Score:
    import ctypes

    ctypes.string_at(0)
    return Score(1.0, "it did not crash")


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        (spends, "more than 1 s of processor time"),
        (grows, "more than 128 MiB of memory"),
        (nests, "it is nested too deep"),
        (writes, "a file of more than 1 MiB"),
        (crashes, "it crashed its reader"),
    ],
)
def test_reaching_a_limit_is_a_score_of_0_that_names_it(
    box: Box, tmp_path: Path, check: Callable[[Path], Score], reason: str
) -> None:
    score = judged(box, check, tmp_path)
    assert score.value == 0
    assert score.reason.startswith("too costly to judge")
    assert reason in score.reason


def test_a_judge_that_waits_for_ever_is_killed(box: Box, tmp_path: Path) -> None:
    limits = Limits(processor=5, wall=0.5)
    score = box.judge(partial(verdict, waits), tmp_path, limits=limits).score
    assert score == Score(0.0, "too costly to judge: more than 0.5 s")


def opens_a_socket(evidence: Path) -> Score:
    socket.socket()
    return Score(1.0, "it has a socket")


def starts_a_program(evidence: Path) -> Score:
    subprocess.run(["true"], check=True)
    return Score(1.0, "it has run")


def forks(evidence: Path) -> Score:
    os.fork()
    return Score(1.0, "there are two")


def kills(evidence: Path) -> Score:
    os.kill(os.getppid(), 0)
    return Score(1.0, "it can signal")


def reads_beyond(evidence: Path) -> Score:
    return Score(1.0, (evidence.parent / "secret").read_text())


def writes_beyond(evidence: Path) -> Score:
    (evidence / "forged").write_text("1")
    return Score(1.0, "it has written")


def draws_postscript(evidence: Path) -> Score:
    try:
        with Image.open(evidence / "e.eps") as picture:
            picture.load()
    except UnidentifiedImageError:
        return Score(0.0, "judging may not draw it")
    return Score(1.0, "Ghostscript has run")


@every_case(
    "check",
    [opens_a_socket, starts_a_program, forks, kills, reads_beyond, writes_beyond, draws_postscript],
)
def test_a_judge_can_do_nothing_but_judge(
    box: Box, tmp_path: Path, check: Callable[[Path], Score]
) -> None:
    (tmp_path / "secret").write_text("a key")
    evidence = tmp_path / "evidence"
    evidence.mkdir()
    Image.new("RGB", (4, 4)).save(evidence / "e.eps")
    score = judged(box, check, evidence)
    assert score.value == 0
    assert "judging may not" in score.reason
    assert not (evidence / "forged").exists()


def knows_its_environment(evidence: Path) -> Score:
    return Score(1.0, " ".join(sorted(os.environ)))


def test_a_judge_has_no_environment(
    box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    assert judged(box, knows_its_environment, tmp_path).reason == "HOME LANG TMPDIR"


def broken(evidence: Path) -> Score:
    raise KeyError("ours")


def test_an_exception_in_an_evaluator_is_a_judge_error(box: Box, tmp_path: Path) -> None:
    with pytest.raises(JudgeError, match="KeyError: 'ours'"):
        judged(box, broken, tmp_path)


def reads_a_picture(evidence: Path) -> Score:
    from ambidex.evaluators.ocr import text_in

    with Image.open(evidence / "e.png") as picture:
        return Score(1.0, text_in(picture))


def test_text_recognition_runs_in_a_box_of_its_own(box: Box, tmp_path: Path) -> None:
    picture = Image.new("L", (600, 120), 255)
    ImageDraw.Draw(picture).text((20, 20), "HELLO", fill=0, font_size=64)
    picture.save(tmp_path / "e.png")
    found = box.judge(partial(verdict, reads_a_picture), tmp_path).score
    assert "HELLO" in found.reason


def test_numbers_are_computed_in_the_box(box: Box, tmp_path: Path) -> None:
    score = judged(box, multiplies, tmp_path)
    assert score.value == 1


def multiplies(evidence: Path) -> Score:
    many = np.arange(250_000.0).reshape(500, 500)
    return Score(float((many @ np.eye(500) == many).all()), "multiplied")


def test_every_evaluator_can_be_sent_to_the_box() -> None:
    for name, found in evaluators().items():
        assert pickle.loads(pickle.dumps(found)) is found, name
