"""Trials of a task whose state is a page on Notion, with a local server in its place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ambidex.host.records.rows import Row
from ambidex.tasks import Suite
from ambidex.tasks.load import load_suite
from ambidex.tasks.mcpmark.body import ProgramBody
from ambidex.tasks.spec import Oracle
from ambidex.tasks.survey import Selection
from tests.support.mcpmark import write
from tests.support.notion import KEY, SOURCE_KEY, FakeNotion, fake_notion
from tests.support.peer import CATALOGUE
from tests.support.suites import config_of, run_in

KEYS = ("SOURCE_NOTION_API_KEY", "EVAL_NOTION_API_KEY", "NOTION_MCP_URL", "NOTION_MCP_TOKEN")
VERIFIER = """
import json, os, sys, urllib.request
from tasks.utils.notion_utils import last_text

key, page = os.environ["EVAL_NOTION_API_KEY"], sys.argv[1]
address = f"{ADDRESS}/v1/blocks/{page}/children?start_cursor=8"
request = urllib.request.Request(address, headers={"Authorization": f"Bearer {key}"})
print("asked with", key)
sys.exit(last_text(json.load(urllib.request.urlopen(request))) != "thanks")
"""
UTILITIES = """
def last_text(part):
    return part["results"] and part["results"][-1]["paragraph"]["rich_text"][0]["plain_text"]
"""
FOUND = {"page": "results.0.id"}
ADDED = {"block_id": "$page", "content": "thanks"}
CALLS = [
    {"call": "notion_API-post-search", "with": {"query": "Roadmap"}, "keep": FOUND},
    {"call": "notion_API-patch-block-children", "with": ADDED},
]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeNotion]:
    monkeypatch.setenv("AMBIDEX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("AMBIDEX_ASSETS", str(tmp_path / "assets"))
    with fake_notion() as fake:
        given = (SOURCE_KEY, KEY, f"{fake.address}/mcp", "any")
        for name, value in zip(KEYS, given, strict=True):
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("NOTION_API_URL", fake.address)
        yield fake


@pytest.fixture
def suite(fake: FakeNotion, tmp_path: Path) -> Suite:
    folder = write(tmp_path / "checkout", "notion/easy/python_roadmap/thank")
    (folder / "verify.py").write_text(f"ADDRESS = {fake.address!r}\n{VERIFIER}")
    utilities = tmp_path / "checkout" / "tasks" / "utils" / "notion_utils.py"
    utilities.parent.mkdir()
    utilities.write_text(UTILITIES)
    loaded = load_suite(tmp_path / "checkout", CATALOGUE, selection=Selection(net=["web"]))
    (task,) = loaded.tasks
    oracle = Oracle.model_validate({"by": "tools", "calls": CALLS})
    spec = task.spec.model_copy(update={"oracle": [oracle]})
    return replace(loaded, tasks=(replace(task, spec=spec),))


def play(suite: Suite, folder: Path, *agents: str) -> list[Row]:
    config = config_of(suite, agents=agents, condition="tools", limits={"steps": 5})
    return run_in(folder, suite, config)


def test_a_trial_acts_on_its_own_page_and_is_judged_by_it(
    fake: FakeNotion, suite: Suite, tmp_path: Path
) -> None:
    rows = play(suite, tmp_path / "run", "oracle:tools", "says_done")
    assert [(row.agent, row.fate, row.score) for row in rows] == [
        ("oracle:tools", "scored", 1.0),
        ("says_done", "scored", 0.0),
    ]
    assert [call.app for row in rows for call in row.calls] == ["notion", "notion"]
    (hub,) = fake.access[KEY]
    assert fake.children[hub] == []
    trial = tmp_path / "run" / rows[0].folder
    record = json.loads((trial / "account.json").read_text())
    assert (record["title"], record["server"]) == ("Python Roadmap", "Notion API 2.5")
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
    assert b"asked with [notion_key]" in (trial / "evidence" / "verify.out").read_bytes()


def test_a_machine_without_a_library_of_the_verifier_makes_the_trial_void(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (task,) = suite.tasks
    body = task.body
    assert isinstance(body, ProgramBody)
    program = body.folder / body.program
    program.write_text(f"import notion_client_of_another_day\n{program.read_text()}")
    (row, *_) = play(suite, tmp_path / "run", "says_done")
    assert (row.fate, row.score) == ("void", None)
    assert row.failure is not None
    assert "has no notion_client_of_another_day for Python" in row.failure.message
