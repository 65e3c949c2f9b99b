"""The time-travel commands, as far as they work without checkpoints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ambidex.host.cli import report, travel
from ambidex.host.cli import run as run_commands
from ambidex.host.cli.options import CheckpointOptions
from ambidex.host.errors import UsageError
from ambidex.host.records.config import CheckpointPolicy
from ambidex.host.records.rows import Row, read_rows
from ambidex.host.runs.experiment import cells, read_experiment
from ambidex.host.runs.lanes import OpenLanes, on_this_computer
from ambidex.host.runs.launch import RunRequest, all_done, check
from ambidex.host.runs.machines import MachineOptions
from ambidex.host.travel import counterfactual
from tests.support import served
from tests.support.commands import ambidex
from tests.support.peer import CATALOGUE
from tests.support.suites import config_of, run_in
from tests.support.travel import Toy, on_peers, recorded, suite_in


@pytest.fixture(autouse=True)
def _peer_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (report, travel):
        monkeypatch.setattr(module, "read_catalogue", lambda: CATALOGUE)
    monkeypatch.setattr(run_commands, "read_catalogue", lambda: served.CATALOGUE)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--provider", "sandbox", "--checkpoint", "every"],
            "have no checkpoints",
        ),
        (["--checkpoint", "often"], "invalid value for --checkpoint: 'often'"),
        (["--checkpoint", "0"], "invalid value for --checkpoint: '0'"),
        (["--checkpoint", "2", "--checkpoint-budget", "0"], "would keep no checkpoint"),
    ],
)
def test_checkpoints_that_cannot_be_made_are_refused_before_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    out = tmp_path / "run"
    assert ambidex("run", "tasks/demo", "--agent", "says_done", "--out", out, *words) == 2
    assert said in capsys.readouterr().err
    assert not (out / "run.json").exists()


def test_checkpoint_options_become_part_of_the_configuration() -> None:
    assert CheckpointOptions().keep() is None
    assert CheckpointOptions("every").keep() == CheckpointPolicy(every=1)
    assert CheckpointOptions("5", 3, 1.5).keep() == CheckpointPolicy(every=5, last=3, budget=1.5)


def test_an_experiment_saves_checkpoints_too(tmp_path: Path) -> None:
    suite_in(tmp_path / "suite")
    file = tmp_path / "e.toml"
    file.write_text(
        'suite = "suite"\nkeep = { every = 2 }\n[[agents]]\nlabel="a"\nagent="says_done"\n'
    )
    [first, *_] = cells(read_experiment(file), tmp_path, CATALOGUE, forks=True)
    assert first.request.keep == CheckpointPolicy(every=2)
    with pytest.raises(UsageError, match="have no checkpoints"):
        check(first.request, MachineOptions(provider="sandbox"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["fork", "RUN", "row", "3", "--provider", "sandbox"], "have no checkpoints"),
        (["fork", "RUN", "row", "9"], "no checkpoint before step 9"),
        (["fork", "RUN", "row", "3", "--trial", "2"], "has no trial 2 of row"),
        (["fork", "RUN", "rows", "3"], "has no trial 1 of rows"),
        (["pivot", "RUN", "row", "--provider", "sandbox"], "have no checkpoints"),
        (["desktop-diff", "RUN", "row", "1", "2", "--provider", "sandbox"], "have no checkpoints"),
        (["desktop-diff", "RUN", "row", "1", "9"], "no checkpoint before step 9"),
        (["counterfactual", "RUN", "--decisions", "some"], "invalid value for --decisions: 'some'"),
        (["counterfactual", "RUN", "--at", "12"], "no matching decision"),
        (["counterfactual", "RUN", "--csv", "/none/x.csv"], "there is no directory /none"),
    ],
)
def test_an_invalid_time_travel_command_is_refused_before_any_machine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    run = tmp_path / "run"
    recorded(run, suite_in(tmp_path / "suite"), Toy())
    assert ambidex(*(run if word == "RUN" else word for word in words)) == 2
    assert said in capsys.readouterr().err


def test_a_trial_of_several_agents_is_named_by_its_directory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    suite = suite_in(tmp_path / "suite")
    run_in(run, suite, config_of(suite, keep=CheckpointPolicy(), agents=("says_done", "random")))
    assert ambidex("fork", run, "row", "1") == 2
    said = capsys.readouterr().err
    assert "has 2 trials 1 of row" in said
    assert "row.random.1, row.says_done.1" in said
    for verb, *steps in (("fork", "9"), ("desktop-diff", "1", "9")):
        assert ambidex(verb, run, "row.random.1", *steps) == 2
        assert "row.random.1 has no checkpoint before step 9" in capsys.readouterr().err


def test_a_fork_uses_the_agent_of_its_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    suite = suite_in(tmp_path / "suite")
    run_in(run, suite, config_of(suite, keep=CheckpointPolicy(), agents=("says_done", "random")))

    def launched(
        request: RunRequest, folder: Path, _: MachineOptions, *, open_lanes: OpenLanes
    ) -> list[Row]:
        assert open_lanes is on_this_computer
        return on_peers(Toy())(request, folder)

    monkeypatch.setattr(travel, "launch", launched)
    assert ambidex("fork", run, "row.random.1", "2", "--out", tmp_path / "fork") == 0
    [row] = read_rows(tmp_path / "fork")
    assert row.parent is not None
    assert (row.agent, row.parent.trial, row.fate) == ("random", "row.random.1", "scored")


def test_finished_branches_are_reported_again_without_a_machine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, agent = tmp_path / "run", Toy(by_hand=frozenset({"A1"}))
    recorded(run, suite_in(tmp_path / "suite"), agent)
    played: dict[Path, RunRequest] = {}

    def keeping(request: RunRequest, folder: Path) -> list[Row]:
        played[folder] = request
        return on_peers(agent)(request, folder)

    out, csv = tmp_path / "both", tmp_path / "decisions.csv"
    chosen = counterfactual.decisions(run)
    counterfactual.compare(run, chosen, 1, "once", CATALOGUE, out, keeping)
    assert all(all_done(request, folder) for folder, request in played.items())
    # No such provider could make a machine here: none is asked for one.
    words = ("counterfactual", run, "--out", out, "--csv", csv, "--uri", "none:///")
    assert ambidex(*words) == 0
    table = capsys.readouterr().out
    assert "oracle TIR" in table
    assert len(csv.read_text().splitlines()) == 7
    assert ',"row","true",1,"gui",' in csv.read_text()
    assert ambidex(*words, "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert [each["better"] for each in said["decisions"]][:2] == ["tools", "tools"]
    assert said["regret"][-1]["steps"]["value"] == 0.5
