"""A verifier's exit status is the verdict, and its output the reason, whatever the bytes are."""

import json
from pathlib import Path

import pytest

from ambidex.evaluators import Score
from ambidex.host import Stop
from ambidex.host.loop.judge import judge
from ambidex.tasks import Task
from ambidex.tasks.load import load_suite
from ambidex.tasks.mcpmark.messages import conversation
from ambidex.tasks.survey import Selection
from tests.support.mcpmark import papers
from tests.support.peer import CATALOGUE
from tests.support.tables import every_case


def a_task(folder: Path) -> Task:
    papers(folder)
    [task] = load_suite(folder, CATALOGUE, selection=Selection(unready=True)).tasks
    return task


def score(folder: Path, outcome: object, output: bytes | None = b"") -> Score:
    evidence = folder / "evidence"
    evidence.mkdir()
    content = outcome if isinstance(outcome, bytes) else json.dumps(outcome).encode()
    (evidence / "verify.json").write_bytes(content)
    if output is not None:
        (evidence / "verify.out").write_bytes(output)
    return a_task(folder).body.judge(evidence).score


def ended(exit: int | None, *, timed_out: bool = False) -> dict[str, object]:
    return {"exit": exit, "timed_out": timed_out, "seconds": 1.5}


@every_case(
    ("outcome", "output", "value", "reason"),
    [
        (ended(0), b"all good", 1.0, "verify.py passed"),
        (ended(0), None, 1.0, "verify.py passed"),
        (ended(1), b"one\n\n two \nthree", 0.0, "exited with status 1: one / two / three"),
        (ended(-9), b"", 0.0, "exited with status -9: no output"),
        (ended(1), None, 0.0, "verify.out was not collected"),
        (ended(None), b"", 0.0, "ended without an exit status"),
        (ended(None, timed_out=True), b"at row 7", 0.0, "took longer than 300 s: at row 7"),
        (ended(0, timed_out=True), b"", 0.0, "took longer than 300 s"),
        (ended(1), b"\xff\x00\xfe", 0.0, "exited with status 1: "),
        (ended(1), b"x" * 100_000, 0.0, "…xxx"),
        (b"", b"", 0.0, "outcome is unknown: verify.json: not JSON"),
        (b"[" * 5000, b"", 0.0, "outcome is unknown: verify.json: JSON nested"),
        (b"\xff", b"", 0.0, "outcome is unknown: verify.json: not JSON"),
        (b" " * 100_000, b"", 0.0, "too large to judge"),
        ({"exit": True, "timed_out": False, "seconds": 1}, b"", 0.0, "exit"),
        ({"exit": "0", "timed_out": False, "seconds": 1}, b"", 0.0, "exit"),
        ({"exit": 0.0, "timed_out": False, "seconds": 1}, b"", 0.0, "exit"),
        ({"exit": 0}, b"", 0.0, "timed_out: required"),
        (b'{"exit": 0, "timed_out": false, "seconds": NaN}', b"", 0.0, "NaN"),
        (ended(0) | {"score": 1}, b"", 0.0, "score: unknown key"),
    ],
)
def test_only_status_0_within_the_limit_passes(
    tmp_path: Path, outcome: object, output: bytes | None, value: float, reason: str
) -> None:
    verdict = score(tmp_path, outcome, output)
    assert verdict.value == value
    assert reason in verdict.reason
    assert len(verdict.reason) < 700


def test_without_an_outcome_the_score_is_0(tmp_path: Path) -> None:
    (tmp_path / "evidence").mkdir()
    verdict = a_task(tmp_path).body.judge(tmp_path / "evidence")
    assert verdict.score.value == 0
    assert "verify.json was not collected" in verdict.score.reason


def test_a_link_in_the_evidence_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere.json").write_text(json.dumps(ended(0)))
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "verify.json").symlink_to(tmp_path / "elsewhere.json")
    verdict = a_task(tmp_path).body.judge(tmp_path / "evidence")
    assert verdict.score.value == 0
    assert "points outside" in verdict.score.reason


@pytest.mark.parametrize("exit", [0, 1])
def test_the_verdict_is_given_in_the_box(tmp_path: Path, exit: int) -> None:
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "verify.json").write_text(json.dumps(ended(exit)))
    verdict = judge(a_task(tmp_path), tmp_path / "evidence", Stop.DONE)
    assert verdict.score.value == 1 - exit


def test_the_last_reply_is_a_completed_message_with_its_text() -> None:
    messages = json.loads(conversation("Count.", ["I count.", "Grüße: 7"]))
    assert messages[0] == {"role": "user", "content": "Count."}
    last = messages[-1]
    assert (last["role"], last["type"], last["status"]) == ("assistant", "message", "completed")
    assert last["content"] == [{"type": "output_text", "text": "Grüße: 7"}]
