"""MCPMark on the command line: what its tasks need, the files of their states, and a selection."""

import json
from pathlib import Path

import pytest

from ambidex.host.cli import assets, check, report
from ambidex.host.cli import run as run_command
from ambidex.tasks.assets import AssetStore
from tests.host.cli.test_osworld_cli import served
from tests.support.commands import ambidex
from tests.support.mcpmark import papers, write
from tests.support.peer import CATALOGUE


@pytest.fixture(autouse=True)
def _peer_tools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for module in (check, report, assets, run_command):
        monkeypatch.setattr(module, "read_catalogue", lambda: CATALOGUE)
    monkeypatch.setenv("AMBIDEX_ASSETS", str(tmp_path / "store"))
    monkeypatch.delenv("WA_REDDIT", raising=False)


def test_check_counts_what_can_run_and_says_why_the_rest_cannot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    papers(tmp_path)
    write(tmp_path, "playwright_webarena/easy/reddit/post", task_id="post_easy")
    assert ambidex("check", tmp_path) == 0
    printed = capsys.readouterr().out
    assert "1 left out: playwright_webarena: it needs the network (--net web), WA_REDDIT" in printed
    assert "playwright_webarena/easy: reddit/post has the id reddit/post_easy" in printed
    assert "2 of 2 tasks load, 0 can run now; the ids of 1 differ from their folders" in printed
    assert ambidex("check", tmp_path, "--json", "--service", "filesystem") == 0
    [task] = json.loads(capsys.readouterr().out)["tasks"]
    assert (task["id"], task["folder"], task["ready"]) == ("counting", "counting", False)
    (tmp_path / "tasks/filesystem/easy/papers/counting/verify.py").unlink()
    assert ambidex("check", tmp_path, "--verbose") == 2
    assert "the verifier is missing" in capsys.readouterr().err


def test_options_of_another_benchmark_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    papers(tmp_path / "mcpmark")
    assert ambidex("check", tmp_path / "mcpmark", "--annotations", tmp_path / "notes.toml") == 2
    assert "--annotations: not for MCPMark's tasks" in capsys.readouterr().err
    (tmp_path / "ours").mkdir()
    assert ambidex("run", tmp_path / "ours", "--task-suite", "easy") == 2
    assert "--task-suite: not for tasks with a task.toml" in capsys.readouterr().err


def test_the_file_of_a_state_is_imported_under_any_of_its_addresses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    papers(tmp_path / "checkout")
    write(tmp_path / "checkout", "postgres/easy/chinook/count")
    copy = tmp_path / "copy"
    place = "neondatabase-labs/postgres-sample-dbs/f6c2e24910e9a1eb9c11c69628544d4d60d42e47"
    for name in (f"{place}/chinook.sql", "mirror/filesystem/papers.zip"):
        (copy / name).parent.mkdir(parents=True)
        (copy / name).write_text(name)
    assert ambidex("assets", "import", copy, tmp_path / "checkout") == 0
    assert "2 of 2 missing assets imported, 0 still missing" in capsys.readouterr().out
    assert ambidex("check", tmp_path / "checkout") == 0
    assert "2 of 2 tasks load, 2 can run now" in capsys.readouterr().out


def test_the_files_of_the_selected_tasks_are_fetched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "papers.zip").write_text("zip")
    seen: list[str] = []
    with served(tmp_path / "site", seen) as site:
        state = {"stateType": "text", "stateUrl": f"{site}/papers.zip"}
        papers(tmp_path, meta_data=state)
        write(tmp_path, "postgres/easy/chinook/count")
        assert ambidex("assets", "fetch", tmp_path, "--service", "filesystem") == 0
        assert "1 fetched, 0 failed" in capsys.readouterr().out
        assert seen == ["/papers.zip"]
        assert AssetStore(tmp_path / "store").at(f"{site}/papers.zip") is not None
