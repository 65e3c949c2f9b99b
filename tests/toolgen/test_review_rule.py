"""Two people judge a draft independently; a third decides if they disagree."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.host.errors import UsageError
from ambidex.toolgen import Draft, Review, Verdict
from ambidex.toolgen.store import Folder
from ambidex.toolgen.verdicts import (
    counted_reviews,
    decide,
    decision_on,
    give_verdict,
    record_opinion,
    visible_reviews,
)
from tests.toolgen.reviewed import ONE_CASE, TEXT_SIZE, new_candidate, redraft, submission


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return new_candidate(tmp_path)


def latest(folder: Folder) -> Draft:
    draft = folder.latest()
    assert draft is not None
    return draft


def judge(folder: Folder, reviewer: str, verdict: str) -> Review:
    return give_verdict(folder, reviewer, submission(latest(folder), verdict))


@pytest.mark.parametrize(
    ("verdicts", "decision"),
    [
        ("", None),
        ("accept", None),
        ("accept accept", "accept"),
        ("reject reject", "reject"),
        ("revise revise", "revise"),
        ("accept reject", None),
        ("revise reject", None),
        ("accept reject accept", "accept"),
        ("reject accept accept", "accept"),
        ("accept reject reject", "reject"),
        ("accept revise reject", "reject"),
        ("accept reject revise", "revise"),
        ("revise reject accept", "revise"),
    ],
)
def test_two_people_decide_or_a_third_if_they_disagree(
    folder: Folder, verdicts: str, decision: str | None
) -> None:
    for name, verdict in zip("abc", verdicts.split(), strict=False):
        judge(folder, name, verdict)
    decided = decision_on(folder)
    assert decided.verdict == decision
    assert decided.accepted == (decision == "accept")
    if decided.accepted:
        assert len(set(decided.reviewers)) == 2


def test_one_person_cannot_decide_by_voting_again(folder: Folder) -> None:
    judge(folder, "ann", "accept")
    for name in ("ann", "Ann", "ANN"):
        with pytest.raises(UsageError, match="already"):
            judge(folder, name, "accept")
    assert decision_on(folder).verdict is None


def test_a_decided_draft_takes_no_more_verdicts(folder: Folder) -> None:
    judge(folder, "a", "accept")
    judge(folder, "b", "accept")
    with pytest.raises(UsageError, match="already decided"):
        judge(folder, "c", "reject")
    assert decision_on(folder).reviewers == ("a", "b")


def test_a_new_draft_makes_earlier_verdicts_void_but_keeps_them(folder: Folder) -> None:
    judge(folder, "a", "accept")
    judge(folder, "b", "accept")
    before = latest(folder)
    redraft(folder, ONE_CASE)
    assert decision_on(folder).verdict is None
    assert [review.draft for review in folder.reviews()] == [1, 1]
    assert decide(folder.reviews(), before).accepted


def test_returning_to_an_earlier_text_makes_a_new_draft(folder: Folder) -> None:
    judge(folder, "a", "accept")
    judge(folder, "b", "accept")
    redraft(folder, ONE_CASE)
    redraft(folder, TEXT_SIZE)
    assert decision_on(folder).verdict is None


def test_a_verdict_about_another_draft_is_refused(folder: Folder) -> None:
    old = latest(folder)
    redraft(folder, ONE_CASE)
    with pytest.raises(UsageError, match="another draft"):
        give_verdict(folder, "a", submission(old, "accept"))


def test_a_draft_whose_files_were_changed_has_no_decision(folder: Folder) -> None:
    judge(folder, "a", "accept")
    judge(folder, "b", "accept")
    (folder.path / "drafts" / "1" / "tool.py").write_text(ONE_CASE)
    with pytest.raises(UsageError, match="changed after it was made"):
        decision_on(folder)


def test_a_draft_is_not_reviewed_before_it_has_passed_gate_and_trial(folder: Folder) -> None:
    draft = folder.add_draft(ONE_CASE, "", "wrap")
    with pytest.raises(UsageError, match="not been through the stage 'gate'"):
        give_verdict(folder, "a", submission(draft, "reject"))


def test_reject_and_revise_need_a_reason(folder: Folder) -> None:
    for verdict in ("reject", "revise"):
        with pytest.raises(UsageError, match="needs a reason"):
            give_verdict(folder, "a", submission(latest(folder), verdict, general=""))


@pytest.mark.parametrize("name", ["", "../x", "a b", "model.gpt", "-a", "x" * 65])
def test_an_invalid_name_is_refused(folder: Folder, name: str) -> None:
    with pytest.raises(UsageError):
        judge(folder, name, "accept")
    assert folder.reviews() == []


def test_opinions_of_models_are_not_counted(folder: Folder) -> None:
    for model in ("one", "two", "three"):
        opinion = record_opinion(folder, model, submission(latest(folder), "accept"))
        assert (opinion.human, opinion.reviewer) == (False, f"model.{model}")
    assert decision_on(folder).verdict is None
    judge(folder, "a", "accept")
    assert decision_on(folder).verdict is None
    judge(folder, "one", "reject")
    assert decision_on(folder).verdict is None


NAMES = st.sampled_from(["ann", "Ann", "ben", "cleo", "dan", "model.x"])
MOVES = st.lists(
    st.one_of(
        st.tuples(NAMES, st.sampled_from([verdict.value for verdict in Verdict])),
        st.just(("", "draft")),
    ),
    max_size=14,
)


@given(moves=MOVES)
def test_the_rule_holds_for_any_order_of_verdicts_and_drafts(
    moves: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = new_candidate(tmp_path_factory.mktemp("foundry"))
    for number, (name, what) in enumerate(moves):
        if what == "draft":
            redraft(folder, f"{ONE_CASE}# {number}\n")
        elif name.startswith("model."):
            record_opinion(folder, name.removeprefix("model."), submission(latest(folder), what))
        else:
            before = visible_reviews(name, folder.reviews(), latest(folder))
            open_ = decision_on(folder).verdict is None
            counted = counted_reviews(folder.reviews(), latest(folder))
            judged = {review.reviewer.casefold() for review in counted}
            if open_ and name.casefold() not in judged:
                assert {review.reviewer.casefold() for review in before} <= {name.casefold()}
            try:
                judge(folder, name, what)
            except UsageError:
                assert not open_ or name.casefold() in judged
            else:
                assert visible_reviews(name, folder.reviews(), latest(folder)) == folder.reviews()
        draft, decision = latest(folder), decision_on(folder)
        people = counted_reviews(folder.reviews(), draft)
        assert len({review.reviewer.casefold() for review in people}) == len(people) <= 3
        accepting = {review.reviewer for review in people if review.verdict is Verdict.ACCEPT}
        if decision.accepted:
            assert set(decision.reviewers) <= accepting
            assert len(decision.reviewers) == 2
        if decision.verdict is None:
            assert len(people) < 2 or (
                len(people) == 2 and people[0].verdict is not people[1].verdict
            )
