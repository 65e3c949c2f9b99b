"""Mining: what recorded runs repeat by hand is offered, once, with its examples."""

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
from ambidex.toolgen.stages.propose import Asked, from_recordings
from tests.host.played import row


def key(*keys: str) -> tuple[str, dict[str, Any]]:
    return "computer_key", {"keys": list(keys)}


def typed(text: str) -> tuple[str, dict[str, Any]]:
    return "computer_type", {"text": text}


REPLACE = (key("ctrl", "h"), typed("old"), key("alt", "p"), typed("new"), key("alt", "l"))
SAVE = (key("ctrl", "s"), key("enter"))
TOOL = ("calc_save", {})
WAIT = ("computer_wait", {"seconds": 2})


def recorded(run: Path, trials: dict[str, tuple[Any, ...]], **more: Any) -> Path:
    """A run with these trials, solved, of one application."""
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
        said: dict[str, Any] = {"score": 1.0, "domain": "calc"} | more
        rows.add(row(task, beneficial=True, folder=f"{task}.1", **said))
    return run


def test_what_is_repeated_is_found_once_at_its_full_length(tmp_path: Path) -> None:
    other = (key("ctrl", "h"), typed("alt"), WAIT, key("alt", "p"), typed("neu"), key("alt", "l"))
    run = recorded(
        tmp_path / "run",
        {
            "a": (*REPLACE, *SAVE),
            "b": (key("home"), *other, TOOL, *SAVE),
            "c": (*REPLACE, key("f5")),
        },
    )
    (found,) = mine([run])
    assert (len(found.kinds), len(found.trials), found.saved) == (5, 3, 12)
    said = wish_of(found)
    assert "in 5 steps, in 3 recorded trials" in said
    assert "1. computer_key(keys=['ctrl', 'h'])\n" in said
    assert "[differs: text was alt, old]" in said


def test_what_fewer_trials_have_or_a_tool_call_parts_is_not_found(tmp_path: Path) -> None:
    parted = (REPLACE[0], REPLACE[1], TOOL, *REPLACE[2:])
    run = recorded(tmp_path / "run", {"a": REPLACE, "b": parted, "c": REPLACE})
    assert [each.trials for each in mine([run], least=3)] == [
        tuple(str(run / f"{task}.1") for task in "abc")
    ]
    assert len(mine([run], least=3)[0].kinds) == 3, "what follows the tool call, in all of them"
    assert len(mine([run], least=2)[0].kinds) == 5


def test_what_failed_teaches_nothing(tmp_path: Path) -> None:
    run = recorded(tmp_path / "run", {"a": REPLACE, "b": REPLACE, "c": REPLACE}, score=0.0)
    with pytest.raises(UsageError, match="no solved trial"):
        mine([run])


def test_a_sequence_becomes_a_candidate_with_its_examples(tmp_path: Path) -> None:
    run = recorded(tmp_path / "run", {"a": REPLACE, "b": REPLACE, "c": REPLACE})
    asked = Asked("calc", None, "o3", tmp_path / "foundry")
    (folder,) = from_recordings(asked, [run], 3)
    said: Candidate = folder.candidate()
    assert (said.name, said.origin, len(said.examples)) == ("calc-by-hand-1", "recording", 3)
    assert said.examples[0][1] == "computer_type(text='old')"
    assert from_recordings(Asked("vlc", None, "o3", tmp_path / "v"), [run], 3) == []
