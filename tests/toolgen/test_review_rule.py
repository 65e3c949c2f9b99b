"""Two people decide on a draft, independently, and a third where they disagree."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.host.errors import UsageError
from ambidex.toolgen import Draft, Review, Verdict
from ambidex.toolgen.store import Folder
from ambidex.toolgen.verdicts import counted, decide, decided, give, keep_opinion, shown_to
from tests.toolgen.reviewed import ONE_CASE, TEXT_SIZE, made, redraft, said


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return made(tmp_path)


def latest(folder: Folder) -> Draft:
    draft = folder.latest()
    assert draft is not None
    return draft


def judge(folder: Folder, reviewer: str, verdict: str) -> Review:
    return give(folder, reviewer, said(latest(folder), verdict))


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
def test_two_people_decide_and_a_third_where_they_disagree(
    folder: Folder, verdicts: str, decision: str | None
) -> None:
    for name, verdict in zip("abc", verdicts.split(), strict=False):
        judge(folder, name, verdict)
    found = decided(folder)
    assert found.verdict == decision
    assert found.accepted == (decision == "accept")
    if found.accepted:
        assert len(set(found.reviewers)) == 2


def test_one_person_decides_nothing_however_often_they_try(folder: Folder) -> None:
    judge(folder, "ann", "accept")
    for name in ("ann", "Ann", "ANN"):
        with pytest.raises(UsageError, match="already"):
            judge(folder, name, "accept")
    assert decided(folder).verdict is None


def test_what_is_decided_is_not_decided_again(folder: Folder) -> None:
    judge(folder, "a", "accept")
    judge(folder, "b", "accept")
    with pytest.raises(UsageError, match="decided already"):
        judge(folder, "c", "reject")
    assert decided(folder).reviewers == ("a", "b")


def test_a_new_draft_makes_the_verdicts_on_the_former_void_and_keeps_them(folder: Folder) -> None:
    judge(folder, "a", "accept")
    judge(folder, "b", "accept")
    before = latest(folder)
    redraft(folder, ONE_CASE)
    assert decided(folder).verdict is None
    assert [each.draft for each in folder.reviews()] == [1, 1]
    assert decide(folder.reviews(), before).accepted


def test_a_text_that_comes_back_is_another_draft(folder: Folder) -> None:
    judge(folder, "a", "accept")
    judge(folder, "b", "accept")
    redraft(folder, ONE_CASE)
    redraft(folder, TEXT_SIZE)
    assert decided(folder).verdict is None


def test_a_verdict_about_another_draft_is_refused(folder: Folder) -> None:
    old = latest(folder)
    redraft(folder, ONE_CASE)
    with pytest.raises(UsageError, match="another draft"):
        give(folder, "a", said(old, "accept"))


def test_a_draft_that_was_changed_in_its_place_is_not_decided(folder: Folder) -> None:
    judge(folder, "a", "accept")
    judge(folder, "b", "accept")
    (folder.path / "drafts" / "1" / "tool.py").write_text(ONE_CASE)
    with pytest.raises(UsageError, match="changed after it was made"):
        decided(folder)


def test_people_are_not_asked_before_gate_and_trial_are_passed(folder: Folder) -> None:
    draft = folder.add_draft(ONE_CASE, "", "wrap")
    with pytest.raises(UsageError, match="not been through the stage 'gate'"):
        give(folder, "a", said(draft, "reject"))


def test_no_needs_a_reason(folder: Folder) -> None:
    for verdict in ("reject", "revise"):
        with pytest.raises(UsageError, match="needs a reason"):
            give(folder, "a", said(latest(folder), verdict, general=""))


@pytest.mark.parametrize("name", ["", "../x", "a b", "model.gpt", "-a", "x" * 65])
def test_a_name_that_is_none_is_refused(folder: Folder, name: str) -> None:
    with pytest.raises(UsageError):
        judge(folder, name, "accept")
    assert folder.reviews() == []


def test_opinions_of_models_count_for_nothing(folder: Folder) -> None:
    for model in ("one", "two", "three"):
        opinion = keep_opinion(folder, model, said(latest(folder), "accept"))
        assert (opinion.human, opinion.reviewer) == (False, f"model.{model}")
    assert decided(folder).verdict is None
    judge(folder, "a", "accept")
    assert decided(folder).verdict is None
    judge(folder, "one", "reject")
    assert decided(folder).verdict is None


NAMES = st.sampled_from(["ann", "Ann", "ben", "cleo", "dan", "model.x"])
MOVES = st.lists(
    st.one_of(
        st.tuples(NAMES, st.sampled_from([each.value for each in Verdict])),
        st.just(("", "draft")),
    ),
    max_size=14,
)


@given(moves=MOVES)
def test_in_whatever_order_verdicts_and_drafts_come(
    moves: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = made(tmp_path_factory.mktemp("foundry"))
    for number, (name, what) in enumerate(moves):
        if what == "draft":
            redraft(folder, f"{ONE_CASE}# {number}\n")
        elif name.startswith("model."):
            keep_opinion(folder, name.removeprefix("model."), said(latest(folder), what))
        else:
            before = shown_to(name, folder.reviews(), latest(folder))
            open_ = decided(folder).verdict is None
            mine = {each.reviewer.casefold() for each in counted(folder.reviews(), latest(folder))}
            if open_ and name.casefold() not in mine:
                assert {each.reviewer.casefold() for each in before} <= {name.casefold()}
            try:
                judge(folder, name, what)
            except UsageError:
                assert not open_ or name.casefold() in mine
            else:
                assert shown_to(name, folder.reviews(), latest(folder)) == folder.reviews()
        draft, decision = latest(folder), decided(folder)
        people = counted(folder.reviews(), draft)
        assert len({each.reviewer.casefold() for each in people}) == len(people) <= 3
        accepting = {each.reviewer for each in people if each.verdict is Verdict.ACCEPT}
        if decision.accepted:
            assert set(decision.reviewers) <= accepting
            assert len(decision.reviewers) == 2
        if decision.verdict is None:
            assert len(people) < 2 or (
                len(people) == 2 and people[0].verdict is not people[1].verdict
            )
