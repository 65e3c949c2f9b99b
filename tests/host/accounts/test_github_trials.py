"""Trials of a task whose state is a repository on GitHub, with a local server in its place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ambidex.host import ToolCall
from ambidex.host.accounts import remote_tools
from ambidex.host.accounts.remote_tools import RemoteTools
from ambidex.host.errors import ServiceError, UsageError
from ambidex.host.loop import program_steps
from ambidex.host.records.rows import Row
from ambidex.host.runs.task_checks import refuse_keys_elsewhere, refuse_unsuited_tasks
from ambidex.tasks import Suite
from ambidex.tasks.assets import default_store
from ambidex.tasks.load import load_suite
from ambidex.tasks.spec import Oracle
from ambidex.tasks.survey import Selection
from tests.support.github import (
    ORGANIZATION,
    OTHER_TOKEN,
    TOKEN,
    FakeGitHub,
    fake_github,
    write_archive,
)
from tests.support.mcpmark import write
from tests.support.peer import CATALOGUE
from tests.support.suites import config_of, run_in

URL = "https://storage.mcpmark.ai/github/openai-harmony.zip"
VERIFIER = """
import json, os, sys, urllib.request

token, organization = os.environ["MCP_GITHUB_TOKEN"], os.environ["GITHUB_EVAL_ORG"]
request = urllib.request.Request(
    f"{ADDRESS}/api/repos/{organization}/library/issues/1",
    headers={"Authorization": f"Bearer {token}"},
)
comments = json.load(urllib.request.urlopen(request))["comments"]
print("asked with", token)
sys.exit("thanks" not in comments)
"""
CALL: dict[str, Any] = {
    "call": "github_add_issue_comment",
    "with": {"owner": ORGANIZATION, "repo": "library", "issue_number": 1, "body": "thanks"},
}


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGitHub]:
    monkeypatch.setenv("AMBIDEX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("AMBIDEX_ASSETS", str(tmp_path / "assets"))
    with fake_github(tmp_path) as fake:
        monkeypatch.setenv("GITHUB_TOKENS", f"{OTHER_TOKEN}, {TOKEN}")
        monkeypatch.setenv("GITHUB_EVAL_ORG", ORGANIZATION)
        monkeypatch.setenv("GITHUB_API_URL", f"{fake.address}/api")
        monkeypatch.setenv("GITHUB_SERVER_URL", f"file://{fake.folder}")
        monkeypatch.setenv("GITHUB_MCP_URL", f"{fake.address}/mcp")
        yield fake


@pytest.fixture
def suite(fake: FakeGitHub, tmp_path: Path) -> Suite:
    state = {"stateType": "url", "stateUrl": "https://github.com/mcpmark-source/library"}
    folder = write(tmp_path / "checkout", "github/easy/harmony/thank", meta_data=state)
    (folder / "verify.py").write_text(f"ADDRESS = {fake.address!r}\n{VERIFIER}")
    default_store().keep(URL, write_archive(tmp_path / "library.zip"))
    loaded = load_suite(tmp_path / "checkout", CATALOGUE, selection=Selection(net=["web"]))
    (task,) = loaded.tasks
    oracle = Oracle.model_validate({"by": "tools", "calls": [CALL]})
    spec = task.spec.model_copy(update={"oracle": [oracle]})
    return replace(loaded, tasks=(replace(task, spec=spec),))


def play(suite: Suite, folder: Path, *agents: str) -> list[Row]:
    config = config_of(suite, agents=agents, runs=2, condition="tools", limits={"steps": 5})
    return run_in(folder, suite, config)


def test_a_trial_acts_on_its_own_repository_and_is_judged_by_it(
    fake: FakeGitHub, suite: Suite, tmp_path: Path
) -> None:
    (task,) = suite.tasks
    assert task.spec.network
    assert f"The repository is {ORGANIZATION}/library on GitHub." in task.spec.instruction
    rows = play(suite, tmp_path / "run", "oracle:tools", "says_done")
    rows.sort(key=lambda row: (row.agent, row.trial))
    assert [(row.agent, row.fate, row.score) for row in rows] == [
        ("oracle:tools", "scored", 1.0),
        ("oracle:tools", "scored", 1.0),
        ("says_done", "scored", 0.0),
        ("says_done", "scored", 0.0),
    ]
    assert [call.app for row in rows for call in row.calls] == ["github", "github"]
    assert rows[0].offered == ("github_add_issue_comment",)
    assert fake.repositories == {}
    assert fake.tokens == {TOKEN, OTHER_TOKEN}
    trial = tmp_path / "run" / rows[0].folder
    record = json.loads((trial / "account.json").read_text())
    assert record["name"] == f"{ORGANIZATION}/library"
    assert record["server"] == "github-mcp-server 1.2"
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert not [path for path in files if TOKEN.encode() in path.read_bytes()]
    assert b"asked with [github_token]" in (trial / "evidence" / "verify.out").read_bytes()


def test_a_refusal_of_github_makes_the_attempt_void(
    fake: FakeGitHub, suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKENS", "wrong")
    (row, *_) = play(suite, tmp_path / "run", "says_done")
    assert (row.fate, row.score) == ("void", None)
    assert row.failure is not None
    assert "GitHub refused GET /repos/trials/library: 401" in row.failure.message


def test_a_verifier_that_cannot_reach_github_gives_no_verdict(
    fake: FakeGitHub, suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_steps, "WORKS", "raise SystemExit('no route')")
    (row, *_) = play(suite, tmp_path / "run", "says_done")
    assert (row.fate, row.score) == ("void", None)
    assert row.failure is not None
    assert "the verifier cannot work: no route" in row.failure.message


def test_what_a_checkpoint_and_another_host_lack_is_refused(suite: Suite) -> None:
    with pytest.raises(UsageError, match="cannot be continued from a step"):
        refuse_unsuited_tasks(suite, several_verdicts=False, branches=True)
    with pytest.raises(UsageError, match="needs GITHUB_TOKENS and GITHUB_EVAL_ORG, which are not"):
        refuse_keys_elsewhere(suite)
    refuse_unsuited_tasks(suite, several_verdicts=True, branches=False)


def test_a_lost_connection_is_the_result_of_a_call_and_a_lost_server_the_end(
    fake: FakeGitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_tools, "BETWEEN", 0.0)
    call = ToolCall("1", "github_add_issue_comment", CALL["with"])
    with RemoteTools(f"{fake.address}/mcp", TOKEN, "github", 10.0) as tools:
        fake.drops = 1
        result, _ = tools.answer(call, lambda call: pytest.fail("not the guest's"))
        assert result.error == "no_answer"
        assert "was called, and no answer was received" in result.text
        result, _ = tools.answer(call, lambda call: pytest.fail("not the guest's"))
        assert result.error == "failed"  # an answer: there is no such repository
        fake.drops = 100
        with pytest.raises(ServiceError, match="cannot be reached"):
            tools.answer(call, lambda call: pytest.fail("not the guest's"))
    with pytest.raises(ServiceError, match="cannot be reached"):
        RemoteTools(f"{fake.address}/mcp", TOKEN, "github", 10.0)


def test_the_error_of_a_tool_is_its_result(fake: FakeGitHub) -> None:
    with RemoteTools(f"{fake.address}/mcp", TOKEN, "github", 10.0) as tools:
        call = ToolCall("1", "github_add_issue_comment", CALL["with"])
        result, executed = tools.answer(call, lambda call: pytest.fail("not the guest's"))
    assert (result.error, executed) == ("failed", None)
    assert "trials/library" in result.text
