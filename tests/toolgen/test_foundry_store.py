"""The foundry's files: whole or absent, and never lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from ambidex.host.errors import UsageError
from ambidex.toolgen import Candidate, Outcome, Spent, StageResult
from ambidex.toolgen.models.asking import spent_by
from ambidex.toolgen.store import Folder, digest, folders, now, open_candidate, start

CANDIDATE = Candidate(
    name="calc-one", app="calc", origin="wish", created=now(), model="o3", wish="Do one thing."
)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return start(tmp_path, CANDIDATE)


def result(stage: str, draft: int | None, outcome: Outcome, reason: str = "so") -> StageResult:
    return StageResult.model_validate(
        {
            "stage": stage,
            "draft": draft,
            "outcome": outcome,
            "reason": reason,
            "started": now(),
            "ended": now(),
        }
    )


def test_a_candidate_is_never_rewritten(folder: Folder) -> None:
    other = CANDIDATE.model_copy(update={"wish": "Something else."})
    with pytest.raises(UsageError, match="has a candidate 'calc-one' already"):
        start(folder.path.parent, other)
    assert folder.candidate() == CANDIDATE


def test_an_unknown_candidate_is_answered_with_those_there_are(folder: Folder) -> None:
    with pytest.raises(UsageError, match="no candidate 'calc-two'") as error:
        open_candidate(folder.path.parent, "calc-two")
    assert error.value.hint == "There are: calc-one."
    with pytest.raises(UsageError):
        open_candidate(folder.path, "../calc-one")


def test_a_draft_that_was_not_written_to_its_end_is_none(folder: Folder) -> None:
    draft = folder.add_draft("a", "b", "wrap", {"calls.json": [1]})
    assert (draft.n, draft.sha256, folder.beside(1, "calls.json")) == (1, digest("a", "b"), [1])
    torn = folder.path / "drafts" / "2"
    torn.mkdir()
    (torn / "tool.py").write_text("half")
    assert folder.latest() == draft
    again = folder.add_draft("c", "d", "gate")
    assert (again.n, folder.text(2)) == (2, ("c", "d"))


def test_the_same_draft_a_second_time_is_the_same_draft(folder: Folder) -> None:
    first = folder.add_draft("a", "b", "wrap")
    assert folder.add_draft("a", "b", "wrap") == first
    assert digest("ab", "") != digest("a", "b")


def test_what_a_stage_said_before_is_kept(folder: Folder) -> None:
    folder.keep(result("gate", 1, Outcome.FAILED, "first"))
    folder.keep(result("gate", 2, Outcome.PASSED, "second"))
    folder.keep(result("trial", 2, Outcome.PASSED, "third"))
    assert [each.reason for each in folder.results()] == ["second", "third"]
    assert [each.reason for each in folder.earlier()] == ["first"]
    folder.keep(result("trial", 2, Outcome.PASSED, "third"))
    assert [each.reason for each in folder.earlier()] == ["first"], "it said nothing new"
    folder.reopen("gate")
    assert folder.results() == []
    assert {each.reason for each in folder.earlier()} == {"first", "second", "third"}


def test_a_file_beside_that_was_never_renamed_is_passed_over(folder: Folder) -> None:
    (folder.path / "stages").mkdir()
    (folder.path / "stages" / ".4-gate.json.77").write_text("{half")
    assert (folder.results(), folders(folder.path.parent)) == ([], [folder])


def test_a_call_whose_answer_never_came_counts(folder: Folder) -> None:
    said = {"answer": {}, "usage": {"calls": 1, "input_tokens": 5, "dollars": 0.5}}
    folder.add_exchange({"answer": None, "usage": None})
    assert folder.add_exchange({**said, "answer": {"choices": []}}) == 2
    assert spent_by(folder) == Spent(calls=2, input_tokens=5, dollars=0.5)


def test_a_file_that_is_something_else_is_named(folder: Folder) -> None:
    folder.file.write_text('{"name": "calc-one", "more": 1}')
    with pytest.raises(UsageError, match=r"not a Candidate: .*candidate.json"):
        folder.candidate()
