"""LiveMCPBench on the command line: what its tasks need, and a run with a jury."""

import json
from pathlib import Path

import pytest

from ambidex.host.cli import check, report
from ambidex.host.cli import run as run_command
from ambidex.host.records.rows import read_rows
from ambidex.host.runs import launch
from tests.support.commands import ambidex
from tests.support.jury import PROVED, Recorded
from tests.support.livemcpbench import TASKS, annotation, write_checkout
from tests.support.peer import CATALOGUE, TOKEN, peer


@pytest.fixture(autouse=True)
def _peer_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (check, report, run_command):
        monkeypatch.setattr(module, "read_catalogue", lambda: CATALOGUE)


def test_check_counts_what_can_run_and_says_why_the_rest_cannot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checkout = write_checkout(tmp_path)
    assert ambidex("check", checkout, "--verbose") == 0
    printed = capsys.readouterr().out
    assert "office.aaaaaaaa (offline): ready" in printed
    assert "1 left out: it needs the network (--net web)" in printed
    assert "4 tasks with 8 key points, 1 ready" in printed
    assert ambidex("check", checkout, "--json", "--category", "Travel") == 0
    [task] = json.loads(capsys.readouterr().out)["tasks"]
    assert (task["name"], task["tools"], task["ready"]) == ("travel.bbbbbbbb", ["fetch"], False)


def test_check_fails_for_a_task_without_key_points(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unclear = {**annotation("eeeeeeee", "1. fetch")["Annotator Metadata"], "Steps": "Do it well."}
    pointless = annotation("eeeeeeee", "1. fetch", **{"Annotator Metadata": unclear})
    assert ambidex("check", write_checkout(tmp_path, pointless, TASKS[0])) == 2
    assert "has no numbered key points" in capsys.readouterr().err


def test_a_run_is_judged_when_its_trials_are_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    checkout, judge = write_checkout(tmp_path / "checkout", TASKS[0]), Recorded("one", {"": PROVED})
    monkeypatch.setattr(launch, "LiteModel", lambda config, prices, stopped: judge)
    options = (
        "--agent",
        "says_done",
        "--condition",
        "tools",
        "--provider",
        "attached",
        "--settle",
        "0",
    )
    with peer() as (endpoint, _):
        monkeypatch.setenv("AMBIDEX_TEST_ENDPOINT", endpoint)
        monkeypatch.setenv("AMBIDEX_TEST_TOKEN", TOKEN)
        run = ("run", checkout, *options, "--out")
        assert ambidex(*run, tmp_path / "alone") == 3
        printed = capsys.readouterr()
        command = f"ambidex jury {tmp_path / 'alone'} --judges MODEL"
        assert command in printed.err.replace("\n", "")
        assert "warning: office.aaaaaaaa" in printed.err
        assert "not publishable" in printed.out
        words = (*run, tmp_path / "judged", "--jury.judges", "one", "--jury.each", "2")
        assert ambidex(*words) == 0
        assert ambidex(*words) == 0, "again: all is done, nobody is asked"
    assert [row.fate for row in read_rows(tmp_path / "judged")] == ["unjudged", "scored"]
    assert len(judge.requests) == 4, "two key points, two votes"
