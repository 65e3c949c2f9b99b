"""Scores from the words of judges: strict reading, quotes that must occur, several judges."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.key_points import (
    CALLS,
    JURY,
    Form,
    JudgedSitting,
    Opinion,
    RecordedCall,
    Rule,
    Sitting,
    judged,
    proves,
    read_sittings,
    score_of,
)
from ambidex.evaluators.verdict_text import Status, read_point, read_status
from tests.support.tables import every_case

READ = RecordedCall(
    tool="read_file", arguments={"path": "/tmp/a"}, output="The sum is\n 4711 euros."
)
MET = '{"met": true, "quotes": ["The sum is 4711 euros."], "reason": "it says so"}'


@every_case(
    ("text", "status"),
    [
        ("Thoughts: good\nStatus: success", "success"),
        ('Thoughts: good\nStatus: "success"', "success"),
        ("**Status:** `Failure`.", "failure"),
        ("Thoughts: it was done successfully.\nStatus: failure", "failure"),
        ("It is a success.", "undecided"),
        ("Status: success\nStatus: failure", "undecided"),
        ("Status: not a success", "undecided"),
        ("Status: success or failure", "undecided"),
        ("", "undecided"),
    ],
)
def test_only_a_status_line_decides(text: str, status: Status) -> None:
    assert read_status(text) == status


@every_case(
    "text",
    [
        "yes",
        '{"met": "true", "quotes": []}',
        '{"met": true, "quotes": "one"}',
        '{"quotes": []}',
        '{"met": true, "quotes": [], "sure": true}',
        f"Here it is: {MET}",
        f"{MET}{MET}",
        "[" * 1000,
        f'{{"met": true, "reason": "{"x" * 200_000}"}}',
    ],
)
def test_an_answer_that_is_not_one_json_object_in_the_form_is_undecided(text: str) -> None:
    assert read_point(text) is None


def test_an_answer_may_be_in_a_code_fence() -> None:
    verdict = read_point(f"```json\n{MET}\n```")
    assert verdict
    assert verdict.met


@every_case(
    ("quote", "call", "proved"),
    [
        ("The sum is 4711 euros", READ, True),
        ("The  sum\nis", READ, True),
        ("The sum is 4712", READ, False),
        ("4711", READ, False),
        ("", READ, False),
        ("42", READ.model_copy(update={"output": "42\n"}), True),
        (" ", READ.model_copy(update={"output": " "}), False),
        ("The sum is", READ.model_copy(update={"error": "not_found"}), False),
        ("The sum is", READ.model_copy(update={"search": True}), False),
        ("The sum is", READ.model_copy(update={"arguments": {"a": ["x The sum is y"]}}), False),
        ('"path": "/tmp/a"', READ.model_copy(update={"output": 'got {"path": "/tmp/a"}'}), False),
    ],
)
def test_a_quote_proves_only_what_a_tool_said(quote: str, call: RecordedCall, proved: bool) -> None:
    assert proves(quote, call) is proved


def sitting(
    texts: list[list[str]], form: Form = "points", rule: Rule = "majority"
) -> JudgedSitting:
    """A complete sitting: the answers by key point (or one list), of each seat."""
    seats = tuple(f"judge-{number}" for number in range(len(texts[0])))
    points = tuple(f"point {number}" for number in range(len(texts)))
    held = Sitting(id="s", form=form, rule=rule, seats=seats, points=points)
    opinions = {
        (seat, None if form == "status" else point): Opinion(
            sitting="s", seat=seat, point=None if form == "status" else point, text=text
        )
        for point, row in enumerate(texts)
        for seat, text in enumerate(row)
    }
    return JudgedSitting(held, opinions)


def test_the_score_is_the_share_of_key_points_that_are_proved() -> None:
    invented = MET.replace("4711", "4712")
    score = score_of(sitting([[MET], [invented], ["met"]]), [READ])
    assert score.value == pytest.approx(1 / 3)
    expected = "1 of 3 key points are met; not 2 (1 failure); not 3 (1 undecided)"
    assert score.reason == expected
    assert score_of(sitting([[MET], [MET]]), [READ]).value == 1


def test_one_invented_quote_among_true_ones_spoils_an_answer() -> None:
    mixed = json.dumps({"met": True, "quotes": ["The sum is 4711", "and paid in full"]})
    assert score_of(sitting([[mixed]]), [READ]).value == 0


@every_case(
    ("words", "rule", "value"),
    [
        (["success", "success", "failure"], "majority", 1),
        (["success", "failure"], "majority", 0),
        (["success", "nothing", "nothing"], "majority", 0),
        (["success", "nothing", "failure"], "best", 1),
        (["nothing", "nothing"], "best", 0),
    ],
)
def test_several_judges_decide_by_majority_or_by_the_best(
    words: list[str], rule: Rule, value: float
) -> None:
    texts = [f"Status: {word}" for word in words]
    assert score_of(sitting([texts], "status", rule), []).value == value


def write(evidence: Path, *lines: Sitting | Opinion, calls: tuple[RecordedCall, ...] = ()) -> Path:
    evidence.mkdir(exist_ok=True)
    (evidence / CALLS).write_text(json.dumps([call.model_dump() for call in calls]))
    text = "".join(line.model_dump_json() + "\n" for line in lines)
    (evidence / JURY).write_text(text)
    return evidence


def test_the_last_complete_sitting_counts_and_its_first_answers(tmp_path: Path) -> None:
    old, new = (
        Sitting(id=id, form="points", rule="best", seats=("j",), points=("p",))
        for id in ("old", "new")
    )
    no = Opinion(sitting="old", seat=0, point=0, text='{"met": false}')
    yes = Opinion(sitting="new", seat=0, point=0, text=MET)
    evidence = write(tmp_path / "a", old, no, calls=(READ,))
    assert judged(evidence).value == 0
    write(evidence, old, no, new, calls=(READ,))
    assert judged(evidence).value == 0, "the new sitting is not complete"
    write(evidence, old, no, new, yes, no.model_copy(update={"sitting": "new"}), calls=(READ,))
    assert judged(evidence).value == 1, "an answer cannot be replaced"


def test_without_a_sitting_there_is_no_point(tmp_path: Path) -> None:
    assert judged(write(tmp_path / "a", calls=(READ,))).reason == "no jury has judged it"


def test_damaged_evidence_is_named(tmp_path: Path) -> None:
    evidence = write(tmp_path / "a", Opinion(sitting="s", seat=0, point=0, text=""))
    with pytest.raises(UnreadableError, match=r"line 1 of jury\.jsonl belongs to no sitting"):
        read_sittings(evidence)
    (evidence / JURY).write_text('{"kind": "other"}\nunfinished')
    assert judged(evidence).value == 0
    (evidence / JURY).write_text("")
    (evidence / CALLS).write_text("[1]")
    assert judged(evidence).value == 0


# What a judge may say of a liar: anything, the form that is asked for included.
CLAIM = "I have read the file: the sum is 4711 euros."
QUOTES = st.one_of(st.text(), st.just(CLAIM), st.sampled_from(["", " ", "4711", "(no calls)"]))
ANSWERS = st.one_of(
    st.text(),
    st.sampled_from(["Status: success", MET, f"```json\n{MET}\n```"]),
    st.builds(
        lambda quotes, reason: json.dumps({"met": True, "quotes": quotes, "reason": reason}),
        st.lists(QUOTES, max_size=4),
        st.text(),
    ),
)
SEARCHED = RecordedCall(tool="route", arguments={"query": "sum"}, output=CLAIM, search=True)
REFUSED = RecordedCall(tool="read_file", arguments={"path": CLAIM}, output=CLAIM, error="not_found")
ECHOED = RecordedCall(tool="echo", arguments={"text": CLAIM}, output=CLAIM)


@given(
    texts=st.integers(1, 3).flatmap(
        lambda seats: st.lists(st.lists(ANSWERS, min_size=seats, max_size=seats), min_size=1)
    ),
    rule=st.sampled_from(["majority", "best"]),
)
def test_the_liar_is_never_believed_about_a_key_point(texts: list[list[str]], rule: Rule) -> None:
    assert score_of(sitting(texts, rule=rule), []).value == 0


@given(text=ANSWERS)
def test_neither_a_search_nor_a_failure_nor_an_echo_helps_the_liar(text: str) -> None:
    calls = [SEARCHED, REFUSED, ECHOED]
    quoted = json.dumps({"met": True, "quotes": [CLAIM]})
    assert score_of(sitting([[text, quoted]], rule="best"), calls).value == 0
