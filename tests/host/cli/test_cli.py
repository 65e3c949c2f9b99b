"""The command line, from outside: a process, its output, its exit code."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from ambidex.host.agents import agent_maker
from ambidex.host.cli import check, report
from ambidex.host.cli import run as run_commands
from ambidex.host.records.announcement import announced, running_trials
from ambidex.host.records.call_counts import CallCount
from ambidex.host.records.config import adopt, locked
from ambidex.host.records.rows import read_rows
from ambidex.host.runs.prove import agents_of, failed_calls, jobs, verdicts
from ambidex.host.runs.runner import run_jobs
from ambidex.tasks import Suite
from ambidex.tasks.load import load_suite
from tests.host.agents.test_model_agent import chat_server
from tests.support.commands import ambidex
from tests.support.peer import ALIAS, CATALOGUE, TOKEN, PeerMachine, peer
from tests.support.played import row, run_of
from tests.support.suites import CELL, config_of, run_in, write_suite


@pytest.fixture(autouse=True)
def _peer_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """The catalogue is the peer's: these tests have its tools and no others."""
    for module in (check, report, run_commands):
        monkeypatch.setattr(module, "read_catalogue", lambda: CATALOGUE)


def test_check_counts_tasks_and_lists_every_problem(
    suite: Suite, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ambidex("check", suite.folder) == 0
    assert "2 tasks and 5 tools are well-formed" in capsys.readouterr().out
    path = suite.folder / "cell" / "task.toml"
    path.write_text(path.read_text().replace("calc_save", "calc_sav"))
    assert ambidex("check", suite.folder) == 2
    output = capsys.readouterr()
    assert f"{path}: useful_tools[1]: no tool 'calc_sav'" in output.err
    assert ambidex("check", suite.folder, "--json") == 2
    assert len(json.loads(capsys.readouterr().out)["problems"]) == 2


def test_check_refuses_a_difficulty_that_the_oracles_contradict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_suite(tmp_path / "suite", cell=f'difficulty = "hard"{CELL}')
    assert ambidex("check", folder) == 2
    said = "task.toml: difficulty: is 'hard', but by the rule its oracles make it easy"
    assert said in capsys.readouterr().err
    write_suite(tmp_path / "right", cell=f'difficulty = "easy"{CELL}')
    assert ambidex("check", tmp_path / "right") == 0


def test_bad_data_is_one_sentence_and_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ambidex("run", tmp_path / "none") == 2
    output = capsys.readouterr().err
    assert "none: no such directory" in output
    assert "Traceback" not in output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--agent", "nobody"], "unknown agent: 'nobody'"),
        (["--agent", "json:nothing"], "cannot load agent 'json:nothing'"),
        (["--agent", "json:JSONDecoder"], "has no method step"),
        (["--agent", "model"], "the agent model needs a model"),
        (["--agent", "oracle", "--model", "toy"], "the agent oracle does not ask a model"),
        (["--base-url", "http://127.0.0.1:1"], "require --model"),
        (["--steps", "0"], "--steps"),
        (["--runs", "-1"], "--runs"),
        (["--machines", "0"], "--machines"),
        (["--time-limit", "-1"], "limit seconds"),
        (["--cost-limit", "nan"], "limit cost"),
        (["--settle", "-1"], "--settle"),
        (["--exposure", "retrieved", "--top", "0"], "--top"),
        (["--model", "toy", "--images", "0"], "--images"),
        (["--out", "/proc/none"], "cannot make the directory /proc/none"),
        (["--out", __file__], "File exists"),
        (["--stepz", "3"], "--stepz"),
        (["--agent", "near_miss"], "needs the number of a near miss"),
        (["--agent", "near_miss:2"], "no near miss 2 for cell, impossible"),
        (["--agent", "oracle:gui"], "no oracle by gui for cell"),
        (["--provider", "none", "--agent", "says_done"], "unknown provider: 'none'"),
        (["--image", "debian-13"], "there is no image 'debian-13'"),
        (["--tasks", "x"], "no task 'x'"),
    ],
)
def test_a_wrong_request_is_refused_before_any_machine(
    suite: Suite, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    out = () if "--out" in words else ("--out", tmp_path / "run")
    assert ambidex("run", suite.folder, *out, *words) == 2
    output = capsys.readouterr().err
    assert said in output
    assert "Traceback" not in output


def test_what_is_in_use_is_exit_3_and_an_impossible_port_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert ambidex("watch", tmp_path, "--port", taken.getsockname()[1]) == 3
    assert "cannot listen" in capsys.readouterr().err
    assert ambidex("watch", tmp_path, "--port", 80000) == 2
    assert "80000" in capsys.readouterr().err


def test_a_model_that_refuses_is_reported_before_any_machine(
    suite: Suite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("run", suite.folder, "--out", tmp_path / "run", "--model", "toy", "--base-url")
    with chat_server(401) as (address, requests):
        assert ambidex(*words, address, "--provider", "attached") == 3
    output = capsys.readouterr().err
    assert "toy did not answer: HTTP 401: busy" in output
    assert "Check the API key. Fix it and give the same command." in output
    assert len(requests) == 1
    assert not (tmp_path / "run" / "results.jsonl").exists()
    with chat_server({"role": "assistant", "content": "OK"}) as (address, requests):
        assert ambidex(*words, address, "--provider", "attached") == 2
    output = capsys.readouterr().err
    assert "toy answers" in output
    assert "AMBIDEX_TEST_ENDPOINT" in output, "then the machine is opened, and there is none"
    assert [request["messages"][0]["role"] for request in requests] == ["user"]


def test_a_run_of_another_provider_image_or_condition_is_not_resumed(
    suite: Suite,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def opened(*_: object) -> None:
        raise AssertionError("machines were opened")

    monkeypatch.setattr("ambidex.host.runs.lanes.open_machines", opened)
    words = ("run", suite.folder, "--agent", "says_done", "--out", tmp_path)
    made = config_of(suite, provider="libvirt", image="debian-12:1234")
    (tmp_path / "run.json").write_text(made.model_dump_json())
    for other, said in [
        (
            ("--provider", "sandbox", "--image", "ubuntu-24.04"),
            "provider was 'libvirt', is 'sandbox'",
        ),
        (("--image", "debian-13-services"), "image was 'debian-12:1234', is 'debian-13-services'"),
        (("--provider", "attached", "--condition", "gui"), "condition was 'hybrid', is 'gui'"),
    ]:
        assert ambidex(*words, *other) == 2
        assert said in capsys.readouterr().err


def test_a_run_that_does_not_exist_is_named_by_every_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in ("replay", "report", "score", "jury", "vnc"):
        assert ambidex(command, tmp_path / "none") == 2
        output = capsys.readouterr().err
        assert "not a run directory" in output
        assert str(tmp_path / "none") in output
    assert ambidex("toolgen", "run", "--foundry", tmp_path) == 2
    assert "there are no candidates" in capsys.readouterr().err
    assert ambidex("--version") == 0
    assert capsys.readouterr().out.strip() == version("ambidex")


def test_tools_are_listed_with_source_and_arguments(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert ambidex("tools", "--json") == 0
    listed = {tool["name"]: tool for tool in json.loads(capsys.readouterr().out)}
    told = listed["calc_set_cell_value"]
    assert told["aliases"] == [ALIAS]
    assert (told["app"], told["source"], told["mounted"]) == ("calc", "ours", "")
    assert listed["calc_get_cell_value"]["reads_only"]
    assert ambidex("tools") == 0
    printed = capsys.readouterr().out
    assert "\ncalc\n" in printed
    assert "  calc_set_cell_value (ours)\n    calc_set_cell_value.\n    cell, value\n" in printed
    assert "calc_get_cell_value (ours, read-only)" in printed


def test_run_report_score_and_replay_on_a_running_guest(
    suite: Suite,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "run"
    attached = ("--provider", "attached", "--settle", "0")
    with peer() as (endpoint, _):
        monkeypatch.setenv("AMBIDEX_TEST_ENDPOINT", endpoint)
        monkeypatch.setenv("AMBIDEX_TEST_TOKEN", TOKEN)
        words = ("run", suite.folder, "--tasks", "cell", "--out", out, *attached)
        assert ambidex(*words) == 0
        assert ambidex(*words) == 0, "again: all is done, nothing is run"
        assert len(read_rows(out)) == 1
        assert "directory" in json.loads((out / "command.json").read_text())
        assert ambidex(*words, "--condition", "gui") == 2
        capsys.readouterr()
        again = ambidex("replay", out / "cell.1", "--out", tmp_path / "again", *attached)
        assert again == 0
        assert "cell: scored 1.0" in capsys.readouterr().out

    assert ambidex("report", out, "--json") == 0
    (line,) = json.loads(capsys.readouterr().out)
    assert [(group["name"], group["n"], group["tir"]) for group in line["groups"]] == [
        ("tool-beneficial", 1, 1.0),
        ("other", 0, None),
        ("all", 1, 1.0),
    ]
    assert ambidex("report", out) == 0
    assert "Accuracy, TIR and ACS" in capsys.readouterr().out

    assert ambidex("score", out) == 0
    (out / "cell.1" / "evidence" / "cells.json").unlink()
    assert ambidex("score", out) == 1
    assert "cell oracle #1: 1 -> 0" in capsys.readouterr().out
    assert read_rows(out)[0].score == 1.0, "a row is never changed"
    ambidex("report", out, "--rescored", "--json")
    (line,) = json.loads(capsys.readouterr().out)
    assert line["groups"][0]["solved"] == 0


def test_a_suite_is_proved_by_oracles_nothing_and_near_misses(suite: Suite, tmp_path: Path) -> None:
    agents = [agents_of(task) for task in suite.tasks]
    assert agents == [["oracle:tools", "says_done", "near_miss:1"], ["oracle:gui", "says_done"]]
    config = config_of(suite, agents=tuple({name for names in agents for name in names}))
    with locked(tmp_path):
        adopt(tmp_path, config)
        make = agent_maker(config, lambda _: pytest.fail("no model here"))
        rows = run_jobs(jobs(suite), config, suite, tmp_path, PeerMachine, make)
    proofs = verdicts(suite, rows)
    assert [v.expected for v in proofs] == [1, 0, 0, 1, 0]
    assert [v.differs for v in proofs] == ["", "", "set but not saved", "", ""]
    assert all(v.holds for v in proofs), proofs


def test_each_oracle_is_proved_by_itself(tmp_path: Path) -> None:
    unsaved = CELL.partition("[[oracle]]")[2].partition('    { call = "calc_save" },\n')[0]
    variant = f'\n[[oracle]]\nvariant = "not saved"{unsaved}]\n'
    suite = load_suite(write_suite(tmp_path / "suite", cell=CELL + variant), CATALOGUE)
    assert agents_of(suite.tasks[0])[:2] == ["oracle:tools", "oracle:tools:2"]
    rows = run_in(tmp_path / "run", suite, config_of(suite, agents=("oracle:tools:2",)))
    claim = verdicts(suite, rows)[1]
    assert (claim.differs, claim.expected, claim.holds) == ("not saved", 1, False)


def test_a_proof_does_not_hold_where_an_oracle_s_call_failed(suite: Suite, tmp_path: Path) -> None:
    rows = run_in(tmp_path, suite, config_of(suite))
    cell = next(row for row in rows if row.task == "cell")
    solved = cell.model_copy(update={"agent": "oracle:tools", "score": 1.0})
    assert verdicts(suite, [solved])[0].holds
    failed = CallCount(tool="calc_save", app="calc", calls=2, errors=1)
    verdict = verdicts(suite, [solved.model_copy(update={"calls": (failed,)})])[0]
    assert not verdict.holds
    assert "failed calls: calc_save" in verdict.failure_message


def test_the_message_of_a_failed_call_is_printed(tmp_path: Path) -> None:
    wrong = CELL.replace('cell = "B2", value = 42 } },\n', 'cell = "ZZ99", value = 42 } },\n')
    suite = load_suite(write_suite(tmp_path / "suite", cell=wrong), CATALOGUE)
    rows = run_in(tmp_path / "run", suite, config_of(suite, agents=("oracle:tools",)))
    assert list(failed_calls(verdicts(suite, rows), tmp_path / "run")) == [
        "cell #1 oracle:tools: calc_set_cell_value failed: there is no such cell"
    ]


def test_a_running_trial_says_where_its_screen_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cell.1").mkdir()
    with announced(tmp_path / "cell.1", ("127.0.0.1:1", "")):
        assert ambidex("vnc", tmp_path) == 0
        assert "cell.1: VNC at 127.0.0.1:1" in capsys.readouterr().out
        assert (tmp_path / "cell.1" / "machine.json").stat().st_mode & 0o077 == 0
    assert ambidex("vnc", tmp_path) == 3
    assert "no trial is running" in capsys.readouterr().err
    assert ambidex("vnc", tmp_path / "none") == 2
    assert "not a run directory" in capsys.readouterr().err


def test_a_trial_whose_runner_was_killed_does_not_run(tmp_path: Path, suite: Suite) -> None:
    (tmp_path / "cell.1").mkdir()
    left = tmp_path / "cell.1" / "machine.json"
    with announced(tmp_path / "cell.1", ("127.0.0.1:1", "")):
        text = left.read_text()
        assert [name for name, _ in running_trials(tmp_path)] == ["cell.1"]
    left.write_text(text)  # nobody holds its lock
    assert [*running_trials(tmp_path)] == []
    run_in(tmp_path, suite, config_of(suite))
    assert not [*tmp_path.rglob("machine.json")], "a run removes the passwords of earlier runners"


def test_a_report_writes_the_files_it_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one", "two"):
        run_of(tmp_path / "exp" / name, [row("a", beneficial=True, score=0.1, tool=1)])
    files = {
        "--html": "report.html",
        "--csv": "rows.csv",
        "--parquet": "rows.parquet",
        "--rows": "rows.json",
        "--failures": "sheet.csv",
    }
    words = [word for flag, name in files.items() for word in (flag, tmp_path / name)]
    assert ambidex("report", tmp_path / "exp", "--released", "--paper", "o3", *words) == 0
    output = capsys.readouterr().out
    assert "As the released script computes them" in output
    assert "Comparison with the paper" in output
    assert all((tmp_path / name).stat().st_size for name in files.values())
    assert len(json.loads((tmp_path / "rows.json").read_text())) == 2
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("ticked")
    assert ambidex("report", tmp_path / "exp", "--failures", sheet) == 2
    assert "would be lost" in capsys.readouterr().err
    assert sheet.read_text() == "ticked"


def test_a_report_that_cannot_be_written_is_refused_before_anything_is_computed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of(tmp_path / "r", [row("a", beneficial=True, score=1)])
    assert ambidex("report", run, "--html", tmp_path / "none" / "report.html") == 2
    output = capsys.readouterr()
    assert "there is no directory" in output.err
    assert output.out == ""
    assert ambidex("report", run, "--paper", "nobody") == 2
    assert "Claude-4-Sonnet" in capsys.readouterr().err


HEAVY = {"matplotlib", "pyarrow", "scipy", "fastmcp", "twisted", "litellm"}


PARTS = ", ".join(f"ambidex.host.cli.{name}" for name in ("run", "report", "compare", "runs"))
IMPORTS = (
    # What says the first thing on a terminal loads none of the commands.
    ("ambidex.host.cli.main", {*HEAVY, "openpyxl", "ambidex.host.runs.launch"}),
    (PARTS, {*HEAVY, "docx"}),
    ("ambidex.toolgen.cli", HEAVY),
)
"""In this order, what must not be loaded yet after an import."""


def test_a_command_imports_no_heavy_module_that_only_others_need() -> None:
    code = "import sys"
    for modules, heavy in IMPORTS:
        code += f"\nimport {modules}\nprint(sorted({heavy} & {{*sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[]"] * len(IMPORTS)


def test_on_a_terminal_the_first_line_comes_before_the_tasks_are_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ambidex("run", tmp_path / "none") == 2
    assert "reading the tasks" not in capsys.readouterr().err, "in a pipe"
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert ambidex("run", tmp_path / "none") == 2
    first, second, *_ = capsys.readouterr().err.splitlines()
    assert first == f"reading the tasks of {tmp_path / 'none'}"
    assert "no such directory" in second
