"""The foundry's files are written atomically, and history is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from ambidex.host.errors import UsageError
from ambidex.toolgen import Candidate, ModelUsage, Outcome, StageResult
from ambidex.toolgen.models.asking import usage_of
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
    with pytest.raises(UsageError, match="already has a candidate 'calc-one'"):
        start(folder.path.parent, other)
    assert folder.candidate() == CANDIDATE


def test_the_error_for_an_unknown_candidate_lists_the_known_ones(folder: Folder) -> None:
    with pytest.raises(UsageError, match="no candidate 'calc-two'") as error:
        open_candidate(folder.path.parent, "calc-two")
    assert error.value.hint == "Candidates: calc-one."
    with pytest.raises(UsageError):
        open_candidate(folder.path, "../calc-one")


def test_an_incomplete_draft_is_ignored(folder: Folder) -> None:
    draft = folder.add_draft("a", "b", "wrap", {"calls.json": [1]})
    assert (draft.n, draft.sha256, folder.attachment(1, "calls.json")) == (1, digest("a", "b"), [1])
    incomplete = folder.path / "drafts" / "2"
    incomplete.mkdir()
    (incomplete / "tool.py").write_text("half")
    assert folder.latest() == draft
    second = folder.add_draft("c", "d", "gate")
    assert (second.n, folder.text(2)) == (2, ("c", "d"))


def test_adding_the_same_draft_twice_adds_it_once(folder: Folder) -> None:
    first = folder.add_draft("a", "b", "wrap")
    assert folder.add_draft("a", "b", "wrap") == first
    assert digest("ab", "") != digest("a", "b")


def test_superseded_results_are_archived(folder: Folder) -> None:
    folder.add_result(result("gate", 1, Outcome.FAILED, "first"))
    folder.add_result(result("gate", 2, Outcome.PASSED, "second"))
    folder.add_result(result("trial", 2, Outcome.PASSED, "third"))
    assert [kept.reason for kept in folder.results()] == ["second", "third"]
    assert [kept.reason for kept in folder.earlier()] == ["first"]
    folder.add_result(result("trial", 2, Outcome.PASSED, "third"))
    assert [kept.reason for kept in folder.earlier()] == ["first"], "the same result is no news"
    folder.reopen("gate")
    assert folder.results() == []
    assert {kept.reason for kept in folder.earlier()} == {"first", "second", "third"}


def test_a_temporary_file_that_was_never_renamed_is_ignored(folder: Folder) -> None:
    (folder.path / "stages").mkdir()
    (folder.path / "stages" / ".4-gate.json.77").write_text("{half")
    assert (folder.results(), folders(folder.path.parent)) == ([], [folder])


def test_a_call_without_an_answer_counts(folder: Folder) -> None:
    usage = {"calls": 1, "input_tokens": 5, "dollars": 0.5}
    folder.add_exchange({"answer": None, "usage": None})
    assert folder.add_exchange({"usage": usage, "answer": {"choices": []}}) == 2
    assert usage_of(folder) == ModelUsage(calls=2, input_tokens=5, dollars=0.5)


def test_the_error_for_a_malformed_file_names_it(folder: Folder) -> None:
    folder.file.write_text('{"name": "calc-one", "more": 1}')
    with pytest.raises(UsageError, match=r"not a Candidate: .*candidate.json"):
        folder.candidate()
