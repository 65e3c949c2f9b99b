"""The jury: what judges are asked, what is stored of their answers, and the rows that follow."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ambidex.evaluators.key_points import JURY
from ambidex.host import Briefing, Decision, Form, Observation, Stop, ToolCall
from ambidex.host.cli import jury as jury_command
from ambidex.host.errors import ContextLimitError, ModelError, UsageError
from ambidex.host.jury.judging import judge_again, judge_run, to_finish
from ambidex.host.records.jury import Jury
from ambidex.host.records.rows import Row, finished, read_rows, unjudged
from ambidex.host.report.completeness import gaps
from ambidex.host.report.report_lines import lines
from ambidex.tasks import Suite, Task
from ambidex.tasks.load import load_suite
from tests.support.commands import ambidex
from tests.support.jury import PROVED, READ, Recorded, maker, played
from tests.support.livemcpbench import TASKS, write_checkout
from tests.support.peer import CATALOGUE, PeerMachine
from tests.support.suites import config_of, run_in
from tests.support.tables import every_case
from tests.support.vendors import check_request

KEY_POINTS = ("Read the numbers", "Write the sum")
ONE = Jury(judges=("one",))


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    return write_checkout(tmp_path / "livemcpbench", TASKS[0])


@pytest.fixture
def keyed(checkout: Path) -> Suite:
    """A suite of one task with two key points."""
    return load_suite(checkout, CATALOGUE)


def say_nothing(text: str) -> None:
    """Ignore it."""


def hold(run: Path, suite: Suite, jury: Jury, *judges: Recorded) -> Row:
    """The last row of the run after this jury judged it."""
    return judge_run(run, suite, jury, maker(*judges), say_nothing)[-1]


def answers_in(run: Path) -> list[dict[str, object]]:
    path = next(run.glob(f"*/evidence/{JURY}"))
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_each_key_point_is_asked_alone_and_the_answers_are_stored(
    tmp_path: Path, keyed: Suite
) -> None:
    run = tmp_path / "run"
    before = played(run, keyed)
    judge = Recorded("one", {KEY_POINTS[0]: PROVED, KEY_POINTS[1]: '{"met": false}'})
    row = hold(run, keyed, ONE, judge)
    assert (row.fate, row.score, row.success) == ("scored", 0.5, False)
    assert row.reason == "1 of 2 key points are met; not 2 (1 failure)"
    assert row.jury
    assert (row.jury.jury, row.jury.requests, row.jury.cost) == (ONE, 2, 1.0)
    assert len(row.jury.prompts) == len(row.jury.sitting) == 64
    assert read_rows(run) == [before, row], "rows are appended"
    changed = {name for name, value in row if value != dict(before)[name]}
    assert changed == {"fate", "score", "reason", "jury"}
    sitting, *answers = answers_in(run)
    assert sitting["points"] == list(KEY_POINTS)
    assert [(answer["point"], answer["text"]) for answer in answers] == [
        (0, PROVED),
        (1, '{"met": false}'),
    ]
    assert "choices" in json.dumps(answers[0]["answer"])
    assert READ["output"] in json.dumps(judge.requests[0].body)
    assert json.loads((run / row.folder / "score.json").read_text())["value"] == 0.5


def test_all_key_points_at_once_without_output_as_livemcpbench_asks(
    tmp_path: Path, keyed: Suite
) -> None:
    run = tmp_path / "run"
    search = {**READ, "tool": "route", "arguments": {"query": "files"}, "search": True}
    played(run, keyed, calls=(search, READ))
    judge = Recorded("one", {"": "Thoughts: done\nStatus: success"})
    row = hold(run, keyed, ONE.model_copy(update={"form": "status"}), judge)
    assert (row.score, row.reason) == (1.0, "1 success")
    (request,) = judge.requests
    asked = request.body["messages"][1]["content"]
    history = '1. {"server_name": "filesystem", "tool_name": "read_file", "params": {}}\n'
    description = "Server: filesystem\nTool: read_file\nDescription: To read_file."
    assert "Key Points:\n1. Read the numbers\n2. Write the sum\n" in asked
    assert f"Tool Call History:\n{history}\nTool Descriptions:\n{description}" in asked
    assert "Final Response:\nThe sum is 42.\n" in asked
    assert READ["output"] not in asked
    assert "files" not in asked.replace("filesystem", "")


def test_several_seats_vote_and_one_judge_may_have_more_than_one(
    tmp_path: Path, keyed: Suite
) -> None:
    run = tmp_path / "run"
    played(run, keyed)
    jury = Jury(judges=("yes", "no"), each=2, rule="best")
    yes, no = Recorded("yes", {"": PROVED}), Recorded("no", {"": '{"met": false}'})
    assert hold(run, keyed, jury, yes, no).score == 1.0
    assert [len(judge.requests) for judge in (yes, no)] == [4, 4]
    ((_, now),) = judge_again(
        run, keyed, jury.model_copy(update={"rule": "majority"}), maker(yes, no)
    )
    assert (now.score, now.reason[:41]) == (0.0, "0 of 2 key points are met; not 1 (2 succe")


def test_a_model_may_extract_the_key_points(tmp_path: Path, keyed: Suite) -> None:
    run = tmp_path / "run"
    played(run, keyed)
    found = "1. read the file\n2. sum up\n3. write"
    judge = Recorded("one", {"list its key points": found, "": PROVED})
    row = hold(run, keyed, ONE.model_copy(update={"key_points": "model"}), judge)
    assert row.score == 1.0
    sitting, *answers = answers_in(run)
    assert sitting["points"] == ["read the file", "sum up", "write"]
    assert sitting["extraction"] == found
    assert (len(answers), row.jury and row.jury.requests) == (3, 4)


@every_case(
    "calls",
    [
        (),
        ({**READ, "tool": "route", "search": True},),
        ({**READ, "error": "timeout"},),
        ({**READ, "arguments": {"text": READ["output"]}},),
    ],
)
def test_a_liar_is_not_believed_by_a_judge_that_always_says_yes(
    tmp_path: Path, keyed: Suite, calls: tuple[dict[str, object], ...]
) -> None:
    run = tmp_path / "run"
    played(run, keyed, calls=calls)
    jury = Jury(judges=("one",), each=3, rule="best")
    assert hold(run, keyed, jury, Recorded("one", {"": PROVED})).score == 0


@every_case("form", ["chat", "messages", "responses"])
def test_a_judge_is_asked_in_the_format_of_its_api(
    tmp_path: Path, keyed: Suite, form: Form
) -> None:
    run = tmp_path / "run"
    played(run, keyed)
    judge = Recorded("one", {"": PROVED})
    assert hold(run, keyed, ONE.model_copy(update={"api": form}), judge).score == 1.0
    for request in judge.requests:
        assert request.form == form
        check_request(form, request.body)


def test_an_unreadable_answer_and_a_case_that_is_too_long_are_undecided(
    tmp_path: Path, keyed: Suite
) -> None:
    run = tmp_path / "run"
    played(run, keyed)
    full = ContextLimitError("the context is full")
    judge = Recorded("one", {KEY_POINTS[0]: full, KEY_POINTS[1]: "Certainly!"})
    row = hold(run, keyed, ONE, judge)
    assert (row.score, row.reason.count("1 undecided")) == (0.0, 2)
    assert answers_in(run)[1]["flaw"] == "the context is full"


def test_calls_that_cannot_be_read_score_0_without_asking(tmp_path: Path, keyed: Suite) -> None:
    run = tmp_path / "run"
    row = played(run, keyed)
    (run / row.folder / "evidence" / "calls.json").write_text("[" * 1000)
    judge = Recorded("one", {"": PROVED})
    row = hold(run, keyed, ONE, judge)
    assert (row.fate, row.score, row.jury, judge.requests) == ("scored", 0.0, None, [])
    assert "calls.json cannot be read" in row.reason


def test_a_trial_that_a_judge_refuses_stays_unjudged(tmp_path: Path, keyed: Suite) -> None:
    run = tmp_path / "run"
    played(run, keyed)
    refusal = ModelError("no such model", refused=True)
    messages: list[str] = []
    judge = Recorded("one", {"": refusal})
    (row,) = judge_run(run, keyed, ONE, maker(judge), messages.append)
    assert row.fate == "unjudged"
    assert messages[0] == "office.aaaaaaaa #1: a judge refused it: no such model"


def test_an_interrupted_sitting_is_continued_without_asking_twice(
    tmp_path: Path, keyed: Suite
) -> None:
    run = tmp_path / "run"
    played(run, keyed)
    broken = Recorded("one", {KEY_POINTS[0]: PROVED, KEY_POINTS[1]: ModelError("no answer")})
    messages: list[str] = []
    rows = judge_run(run, keyed, ONE, maker(broken), messages.append)
    assert [row.fate for row in rows] == ["unjudged"]
    assert messages == [
        "the jury could not be asked: no answer",
        "1 of 1 trials are unjudged; to judge them:",
        f"  ambidex jury {run}",
    ]
    with next(run.glob(f"*/evidence/{JURY}")).open("a") as file:
        file.write('{"kind": "opin')  # the process was killed
    whole = Recorded("one", {"": PROVED})
    assert hold(run, keyed, ONE, whole).score == 1.0
    assert len(whole.requests) == 1


def test_judging_again_adds_a_sitting_and_leaves_the_results(tmp_path: Path, keyed: Suite) -> None:
    run = tmp_path / "run"
    played(run, keyed)
    first = hold(run, keyed, ONE, Recorded("one", {"": PROVED}))
    stored = answers_in(run)
    ((before, now),) = judge_again(run, keyed, ONE, maker(Recorded("one", {"": "no"})))
    assert (before, now.score) == (first, 0.0)
    assert answers_in(run)[:3] == stored
    assert len(answers_in(run)) == 6
    assert read_rows(run)[-1] == first
    assert json.loads((run / first.folder / "score.json").read_text())["value"] == 1.0


def test_a_task_that_changed_since_it_was_played_is_not_judged(
    tmp_path: Path, checkout: Path, keyed: Suite
) -> None:
    run = tmp_path / "run"
    played(run, keyed)
    (checkout / "annotated_data/txt/numbers.txt").write_text("1")
    with pytest.raises(UsageError, match="has changed since it was played"):
        hold(run, load_suite(checkout, CATALOGUE), ONE, Recorded("one", {"": PROVED}))


class Reader:
    """An agent that calls one tool and ends, or ends at once."""

    def __init__(self, stop: Stop, *calls: ToolCall) -> None:
        self._decisions = [Decision(calls=calls)] if calls else []
        self._decisions.append(Decision(stop=stop, answer="The sum is 42."))

    def step(self, observation: Observation) -> Decision:
        return self._decisions.pop(0)


def run_reader(folder: Path, suite: Suite, stop: Stop, *calls: ToolCall) -> list[Row]:
    def make(name: str, task: Task, briefing: Briefing) -> Reader:
        return Reader(stop, *calls)

    return run_in(folder, suite, config_of(suite), PeerMachine, make)


def test_a_played_trial_is_unjudged_and_is_not_played_again(tmp_path: Path, keyed: Suite) -> None:
    run = tmp_path / "run"
    call = ToolCall("c1", "calc_set_cell_value", {"cell": "A1", "value": 7})
    (row,) = run_reader(run, keyed, Stop.DONE, call)
    assert (row.fate, row.score, row.stop, row.tool_calls) == ("unjudged", None, Stop.DONE, 1)
    calls = json.loads((run / row.folder / "evidence" / "calls.json").read_text())
    assert [(one["tool"], one["arguments"]) for one in calls] == [(call.name, call.arguments)]
    assert calls[0]["output"]
    assert run_reader(run, keyed, Stop.DONE) == [row]
    assert hold(run, keyed, ONE, Recorded("one", {"": PROVED})).score == 0.0


def test_declaring_a_task_infeasible_needs_no_jury(tmp_path: Path, keyed: Suite) -> None:
    (row,) = run_reader(tmp_path / "run", keyed, Stop.INFEASIBLE)
    assert (row.fate, row.score) == ("scored", 0.0)


def test_an_unjudged_trial_is_shown_and_is_not_part_of_the_accuracy(
    tmp_path: Path, keyed: Suite
) -> None:
    run = tmp_path / "run"
    played(run, keyed)
    (line,) = lines([run])
    everything = line.summary.groups[-1]
    assert (line.summary.unjudged, everything.n, everything.accuracy) == (1, 0, None)
    assert "is not publishable: 1 trials were played and not judged" in line.warning
    (gap,) = gaps([run])
    assert gap.command == f"ambidex jury {run}"
    hold(run, keyed, ONE, Recorded("one", {"": PROVED}))
    (line,) = lines([run])
    assert (line.summary.unjudged, line.warning, line.gap) == (0, "", "")
    assert line.summary.groups[-1].accuracy == 1.0
    assert not list(gaps([run]))


def test_the_command_says_how_to_finish_and_finishes(
    tmp_path: Path,
    keyed: Suite,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = tmp_path / "run"
    played(run, keyed)
    monkeypatch.setattr(jury_command, "read_catalogue", lambda: CATALOGUE)
    monkeypatch.delenv("JURY_KEY", raising=False)
    assert ambidex("jury", run) == 3
    assert to_finish(run, Jury()) in capsys.readouterr().out
    assert ambidex("jury", run, "--judges", "one", "two", "--key", "JURY_KEY") == 3
    assert "JURY_KEY (the judges' API key) is not set" in capsys.readouterr().out
    judge = Recorded("one", {"": PROVED})
    monkeypatch.setattr(jury_command, "LiteModel", lambda config, prices: judge)
    assert ambidex("jury", run, "--judges", "one", "--each", "3") == 0
    assert finished(read_rows(run))
    assert not unjudged(read_rows(run))
    judge.answers = {"": '{"met": false}'}
    assert ambidex("jury", run, "--again", "--judges", "one") == 1
    assert "1 -> 0: 0 of 2 key points are met" in capsys.readouterr().out
    assert [line.summary.groups[-1].solved for line in lines([run], rescored=True)] == [0]
