"""Score passports: what they state, and that every change to what they are about is found."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ambidex.host.agents import agent_maker
from ambidex.host.cli.trust import passport as passport_command
from ambidex.host.passport import NAME, canonical, signing
from ambidex.host.passport.signing import NAMESPACE, signature_of
from ambidex.host.passport.verifying import read_passport
from ambidex.host.records.config import adopt, locked
from ambidex.host.report.text_report import as_json, lines
from ambidex.host.runs.prove import agents_of, jobs
from ambidex.host.runs.runner import run_jobs
from ambidex.tasks.load import load_suite
from tests.support.commands import ambidex
from tests.support.peer import CATALOGUE, PeerMachine
from tests.support.suites import CELL, IMPOSSIBLE, config_of, run_in, write_suite
from tests.support.suites import suite as suite
from tests.support.tables import every_case


@pytest.fixture(autouse=True)
def _peer_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passport_command, "read_catalogue", lambda: CATALOGUE)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a suite, a run of it (`run`), a run of null agents (`null`), a proof (`proof`),
    and a key."""
    home = tmp_path_factory.mktemp("passport")
    suite = load_suite(write_suite(home / "suite", cell=CELL, impossible=IMPOSSIBLE), CATALOGUE)
    run_in(home / "run", suite, config_of(suite, agents=("oracle",), runs=2))
    nulls = ("says_done", "says_infeasible")
    run_in(home / "null", suite, config_of(suite, agents=nulls))
    names = tuple({name for task in suite.tasks for name in agents_of(task)})
    config = config_of(suite, agents=names)
    with locked(home / "proof"):
        adopt(home / "proof", config)
        make = agent_maker(config, lambda _: pytest.fail("no model here"))
        run_jobs(jobs(suite), config, suite, home / "proof", PeerMachine, make)
    new_key(home / "key")
    return home


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    """A copy of the runs, to be tampered with."""
    for name in ("run", "null", "proof"):
        shutil.copytree(made / name, tmp_path / name)
    return tmp_path


def new_key(path: Path) -> None:
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "someone", "-f", str(path)]
    subprocess.run(command, check=True)


def write(home: Path, *more: object) -> Path:
    """A passport of the run with all that it can state."""
    given = ("--null", home / "null", "--proof", home / "proof")
    assert ambidex("passport", home / "run", *given, *more) == 0
    return home / "run" / NAME


def test_a_passport_states_the_report_and_what_it_depends_on(
    made: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(home)
    passport, content = read_passport(file)
    assert canonical(passport) == content
    (line,) = passport.numbers
    report = json.loads(json.dumps(as_json(lines([home / "run"]))))[0]
    assert line == {**report, "run": "run"}, "the report's own numbers"
    assert str(home) not in content.decode(), "it does not depend on where the run is"
    assert passport.null
    assert passport.null.solved == {"says_done": 0, "says_infeasible": 1}
    assert passport.null.rightly_infeasible == ("impossible",)
    assert passport.proof
    assert passport.proof.counts == {"proved": 2}
    assert passport.tasks["cell"].claims == {
        "oracle:tools": 1.0,
        "says_done": 0.0,
        "near_miss:1": 0.0,
    }
    assert [(trial.task, trial.score) for trial in passport.trials].count(("cell", 1.0)) == 2
    assert all(trial.evidence for trial in passport.trials)
    page = file.with_suffix(".html").read_text(encoding="utf-8")
    assert "Score passport of run" in page
    assert "not signed" in capsys.readouterr().out
    write(home)
    assert file.read_bytes() == content, "the same run gives the same bytes"


def test_all_that_a_passport_states_is_recomputed(
    made: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(home, "--key", made / "key")
    signers = home / "signers"
    signers.write_text(f"me@example.org {(made / 'key.pub').read_text()}")
    capsys.readouterr()
    assert ambidex("passport", "verify", file, "--allowed-signers", signers) == 0
    said = capsys.readouterr().out
    assert "✓ signed by me@example.org with ED25519 SHA256:" in said
    assert "✓ 4 rows, their evidence and trajectories have the hashes" in said
    assert "✓ 4 trials, judged again from their evidence, have the same scores" in said
    assert "not checked" not in said
    assert ambidex("passport", "verify", file) == 0
    assert "whose key that is was not checked" in capsys.readouterr().out
    # Anybody can check the signature alone.
    command = ["ssh-keygen", "-Y", "check-novalidate", "-n", NAMESPACE]
    with file.open("rb") as signed:
        subprocess.run([*command, "-s", str(signature_of(file))], stdin=signed, check=True)


def test_what_is_not_here_is_named_and_not_called_right(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = tmp_path / "far" / "away" / NAME
    alone.parent.mkdir(parents=True)
    shutil.copy(write(home), alone)
    capsys.readouterr()
    assert ambidex("passport", "verify", alone) == 3
    assert "not checked: the run: its directory is not here" in capsys.readouterr().out
    shutil.move(home / "run", home / "renamed")
    shutil.move(home / "null", home / "other")
    assert ambidex("passport", "verify", alone, "--run", home / "renamed") == 3
    said = capsys.readouterr().out
    assert "not checked: the scores of null agents: name their run with --null" in said
    assert "✓ every number is the one that the rows give" in said
    found = ("--run", home / "renamed", "--null", home / "other", "--proof", home / "proof")
    assert ambidex("passport", "verify", alone, *found) == 0


def test_tasks_of_another_version_are_named_and_judge_nothing(
    made: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, suite = write(home), home / "suite"
    shutil.copytree(made / "suite", suite)
    path = suite / "cell" / "task.toml"
    path.write_text(path.read_text().replace("and save", "and save it"))
    capsys.readouterr()
    assert ambidex("passport", "verify", file, "--suite", suite) == 3
    said = capsys.readouterr().out
    assert "not checked: the proof: the tasks here are of another version: cell" in said
    assert "not checked: scores of cell: the tasks here are of another version" in said
    assert ambidex("passport", "verify", file, "--suite", home / "none") == 3
    assert "name them with --suite" in capsys.readouterr().out


def edit_row(run: Path, **changed: object) -> None:
    """Change fields of the run's first row."""
    path = run / "results.jsonl"
    first, *others = path.read_text(encoding="utf-8").splitlines()
    edited = json.dumps({**json.loads(first), **changed}, separators=(",", ":"))
    path.write_text("\n".join((edited, *others)) + "\n", encoding="utf-8")


def remove_row(home: Path) -> None:
    path = home / "run" / "results.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))


def remove_row_and_trial(home: Path) -> None:
    remove_row(home)
    shutil.rmtree(home / "run" / "impossible.2")


def edit_evidence(home: Path) -> None:
    (home / "run" / "cell.1" / "evidence" / "cells.json").write_text('{"A1": 1, "B2": 42 }')


def edit_trajectory(home: Path) -> None:
    path = home / "run" / "cell.1" / "trajectory.jsonl"
    path.write_text(path.read_text().replace("calc_save", "calc_sav3"))


def edit_number(home: Path) -> None:
    edit_passport(home, lambda stated: stated["numbers"][0]["groups"][2].update(accuracy=0.5))


def edit_count(home: Path) -> None:
    edit_passport(home, lambda stated: stated["numbers"][0].update(planned=3))


def edit_accelerator(home: Path) -> None:
    edit_passport(home, lambda stated: stated["machine"].update(accelerators=["kvm"]))


def edit_null_score(home: Path) -> None:
    edit_passport(home, lambda stated: stated["tasks"]["cell"]["null"].update(says_done=1.0))


def edit_proof(home: Path) -> None:
    edit_passport(home, lambda stated: stated["tasks"]["cell"].update(proof="failed"))


def edit_null_run(home: Path) -> None:
    edit_row(home / "null", reason="another")


def lay_out_anew(home: Path) -> None:
    path = home / "run" / NAME
    path.write_text(json.dumps(json.loads(path.read_text())))


def edit_passport(home: Path, edit: Callable[[dict[str, Any]], None]) -> None:
    path = home / "run" / NAME
    stated = json.loads(path.read_text(encoding="utf-8"))
    edit(stated)
    path.write_bytes(canonical(stated))


CELL_1 = "trial cell by oracle, trial 1, attempt 1"

TAMPERED: dict[str, tuple[Callable[[Path], None], str]] = {
    "an edited score": (
        lambda home: edit_row(home / "run", score=0.0),
        f"{CELL_1}: score: stated is 1.0, found is 0.0",
    ),
    "an edited reason": (
        lambda home: edit_row(home / "run", reason="well done"),
        f"{CELL_1}: hash of its line in results.jsonl",
    ),
    "a row of another run": (
        lambda home: edit_row(home / "run", agent="random"),
        "run: stated is a run with valid rows, found is",
    ),
    "a removed row": (
        remove_row,
        "trial impossible by oracle, trial 2, attempt 1: stated is a row, found is none",
    ),
    "a removed trial": (remove_row_and_trial, "found is none: it was removed"),
    "edited evidence": (edit_evidence, f"{CELL_1}: hash of its evidence"),
    "an edited trajectory": (edit_trajectory, f"{CELL_1}: hash of its trajectory"),
    "an edited number": (edit_number, "numbers[0].groups[2].accuracy: stated is 0.5, found is 1.0"),
    "an edited count": (edit_count, "numbers[0].planned: stated is 3, found is 4"),
    "an edited fact": (edit_accelerator, 'machine.accelerators[0]: stated is "kvm"'),
    "an edited score of a null agent": (edit_null_score, "tasks.cell.null.says_done: stated is 1"),
    "an edited proof": (edit_proof, 'tasks.cell.proof: stated is "failed", found is "proved"'),
    "another null run": (edit_null_run, "null.run.rows"),
    "another layout": (lay_out_anew, "passport.json: stated is in canonical form"),
}


@every_case("name", TAMPERED)
def test_what_was_tampered_with_is_named(
    name: str, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tamper, mismatch = TAMPERED[name]
    for folder in ("run", "null", "proof"):
        shutil.copytree(made / folder, tmp_path / folder)
    write(tmp_path)
    tamper(tmp_path)
    assert mismatch in first_mismatch(tmp_path / "run" / NAME, capsys)


def first_mismatch(file: Path, capsys: pytest.CaptureFixture[str], *more: object) -> str:
    """The mismatch that `verify` prints; there must be one."""
    capsys.readouterr()
    assert ambidex("passport", "verify", file, *more) == 1
    return capsys.readouterr().out.partition("✗ ")[2]


@every_case("changed", [{"score": 0.0}, {"steps": 2}, {"input_tokens": 7}])
def test_a_passport_made_of_edited_rows_is_refuted_by_what_the_trial_left(
    changed: dict[str, object], made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(made / "run", tmp_path / "run")
    edit_row(tmp_path / "run", **changed)
    assert ambidex("passport", tmp_path / "run") == 0
    found = first_mismatch(tmp_path / "run" / NAME, capsys)
    expected = {
        "score": "cell.1: score, judged again from its evidence: stated is 0.0, found is 1.0",
        "steps": "cell.1: steps: stated is 2 in its row, found is 3 in its trajectory",
        "input_tokens": "cell.1: input_tokens: stated is 7 in its row, found is 0",
    }
    assert expected[next(iter(changed))] in found


def test_a_signature_of_something_else_or_by_somebody_else_is_found(
    made: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(home, "--key", made / "key")
    signers, strangers = home / "signers", home / "strangers"
    signers.write_text(f"me@example.org {(made / 'key.pub').read_text()}")
    new_key(home / "other")
    strangers.write_text(f"you@example.org {(home / 'other.pub').read_text()}")
    assert "no key of an allowed signer" in first_mismatch(
        file, capsys, "--allowed-signers", strangers
    )
    signature = signature_of(file).read_bytes()
    edit_number(home)
    assert "the signature does not fit the passport" in first_mismatch(file, capsys)
    write(home)  # without a key: the signature of the earlier one is gone
    assert "the passport is not signed" in first_mismatch(
        file, capsys, "--allowed-signers", signers
    )
    signature_of(file).write_bytes(signature)
    assert ambidex("passport", "verify", file, "--allowed-signers", signers) == 0, "same bytes"


def test_without_ssh_keygen_or_a_key_nothing_is_signed(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ambidex("passport", home / "run", "--key", home / "none") == 2
    assert "no such key" in capsys.readouterr().err
    (home / "key").write_text("not a key")
    assert ambidex("passport", home / "run", "--key", home / "key") == 2
    assert "signing the passport failed" in capsys.readouterr().err
    monkeypatch.setattr(signing, "PROGRAM", "ssh-keygen-is-not-here")
    assert ambidex("passport", home / "run", "--key", home / "key") == 2
    assert "Install openssh-client" in capsys.readouterr().err
