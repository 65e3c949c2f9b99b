"""Mining: sequences that recorded runs repeat through the GUI become candidates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ambidex.host import Decision, ToolCall
from ambidex.host.errors import UsageError
from ambidex.host.records.rows import Rows
from ambidex.host.records.trajectory import Step, Trajectory
from ambidex.toolgen import Candidate
from ambidex.toolgen.candidates.mine import mine, wish_of
from ambidex.toolgen.stages.propose import Proposal, from_recordings
from tests.support.played import row


def key(*keys: str) -> tuple[str, dict[str, Any]]:
    return "computer_key", {"keys": list(keys)}


def typed(text: str) -> tuple[str, dict[str, Any]]:
    return "computer_type", {"text": text}


REPLACE = (key("ctrl", "h"), typed("old"), key("alt", "p"), typed("new"), key("alt", "l"))
SAVE = (key("ctrl", "s"), key("enter"))
TOOL: tuple[str, dict[str, Any]] = ("calc_save", {})
WAIT = ("computer_wait", {"seconds": 2})


def recorded(run: Path, trials: dict[str, tuple[Any, ...]], **more: Any) -> Path:
    """A run with these solved trials of one application."""
    run.mkdir()
    rows = Rows(run)
    for task, calls in trials.items():
        folder = run / f"{task}.1"
        folder.mkdir()
        with Trajectory(folder) as trajectory:
            trajectory.start(task=task)
            for number, (name, arguments) in enumerate(calls, 1):
                app = name.partition("_")[0]
                call = ToolCall(f"{task}-{number}", name, arguments)
                trajectory.step(Step(number, "0", Decision(calls=(call,)), [app]))
        fields: dict[str, Any] = {"score": 1.0, "domain": "calc"} | more
        rows.add(row(task, beneficial=True, folder=f"{task}.1", **fields))
    return run


def test_a_repeated_sequence_is_found_once_at_its_full_length(tmp_path: Path) -> None:
    other = (key("ctrl", "h"), typed("alt"), WAIT, key("alt", "p"), typed("neu"), key("alt", "l"))
    run = recorded(
        tmp_path / "run",
        {
            "a": (*REPLACE, *SAVE),
            "b": (key("home"), *other, TOOL, *SAVE),
            "c": (*REPLACE, key("f5")),
        },
    )
    (sequence,) = mine([run])
    assert (len(sequence.kinds), len(sequence.trials), sequence.saved) == (5, 3, 12)
    wish = wish_of(sequence)
    assert "in 5 steps, in 3 recorded trials" in wish
    assert "1. computer_key(keys=['ctrl', 'h'])\n" in wish
    assert "[differs: text was alt, old]" in wish


def test_a_sequence_in_too_few_trials_or_with_a_tool_call_in_it_is_not_found(
    tmp_path: Path,
) -> None:
    interrupted = (REPLACE[0], REPLACE[1], TOOL, *REPLACE[2:])
    run = recorded(tmp_path / "run", {"a": REPLACE, "b": interrupted, "c": REPLACE})
    assert [sequence.trials for sequence in mine([run], least=3)] == [
        tuple(str(run / f"{task}.1") for task in "abc")
    ]
    assert len(mine([run], least=3)[0].kinds) == 3, "the part after the tool call is in all trials"
    assert len(mine([run], least=2)[0].kinds) == 5


def test_failed_trials_are_not_mined(tmp_path: Path) -> None:
    run = recorded(tmp_path / "run", {"a": REPLACE, "b": REPLACE, "c": REPLACE}, score=0.0)
    with pytest.raises(UsageError, match="no solved trial"):
        mine([run])


def test_a_sequence_becomes_a_candidate_with_its_examples(tmp_path: Path) -> None:
    run = recorded(tmp_path / "run", {"a": REPLACE, "b": REPLACE, "c": REPLACE})
    proposal = Proposal("calc", None, "o3", tmp_path / "foundry")
    (folder,) = from_recordings(proposal, [run], 3)
    candidate: Candidate = folder.candidate()
    assert (candidate.name, candidate.origin) == ("calc-by-hand-1", "recording")
    assert len(candidate.examples) == 3
    assert candidate.examples[0][1] == "computer_type(text='old')"
    assert from_recordings(Proposal("vlc", None, "o3", tmp_path / "v"), [run], 3) == []
