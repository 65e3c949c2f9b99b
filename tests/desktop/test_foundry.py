"""The whole pipeline from a task or a wish to an admitted tool, with a stand-in model: drafts run
in real desktops, good ones reach people, and each bad one is stopped at its stage."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ambidex.host.client.guest import Guest
from ambidex.host.models.exposure import offer_of
from ambidex.host.models.model import LiteModel
from ambidex.host.models.prices import read_prices
from ambidex.host.records.config import Exposure, ModelConfig
from ambidex.host.runs.machines import MachineOptions, Source, open_machines
from ambidex.host.runs.providers.attached import ENDPOINT, TOKEN
from ambidex.tasks.load import load_suite
from ambidex.toolgen import Outcome, StageResult
from ambidex.toolgen.guests import DraftMachine
from ambidex.toolgen.models.asking import CallLimits
from ambidex.toolgen.pipeline import Foundry
from ambidex.toolgen.report import funnel
from ambidex.toolgen.stages.admit import admit
from ambidex.toolgen.stages.measurement import MeasureOptions
from ambidex.toolgen.stages.propose import Proposal
from ambidex.toolgen.store import Folder
from ambidex.toolgen.verdicts import give_verdict
from examples.foundry.stand_in import app
from tests.support.served import CATALOGUE
from tests.support.serving import serve
from tests.toolgen.drafts import CANDIDATES, ROOT, TASKS
from tests.toolgen.reviewed import submission

WISHES = {
    "calc-write-cell": "Put a number, a text or a formula into one cell of a spreadsheet.",
    "gnome-count-pictures": "Count the pictures in a folder, to choose a background.",
}
GOOD = ("calc-reverse-rows", "gnome-set-night-light")
"""Of the good ones, those with the most to show: a repair on the way, and an effect to measure."""
MODELS = {
    "calc-flip-list": "hasty",
    "writer-remove-lines": "idle",
    "calc-write-cell": "copycat",
    "gnome-count-pictures": "sly",
}
"""Those that make bad tools; `careful` makes the good ones."""
STOPPED = {
    "calc-flip-list": ("trial", {"varied: other sheet", "varied: other place"}),
    "writer-remove-lines": ("trial", {"task"}),
    "calc-write-cell": ("gate", {"duplicate"}),
    "gnome-count-pictures": ("trial", {"token"}),
}
"""The stage that is meant for each, and what it says."""


@pytest.fixture(scope="module")
def work(machines: Source, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Foundry]:
    prices = read_prices()
    with serve(app(), lifespan="off") as address, DraftMachine(machines) as machine:

        def model(name: str) -> LiteModel:
            return LiteModel(ModelConfig(name=name, base_url=f"{address}/v1", retries=0), prices)

        yield Foundry(ROOT, CATALOGUE, model, machine, CallLimits())


@pytest.fixture(scope="module")
def foundry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("foundry")


def made(work: Foundry, foundry: Path, name: str) -> tuple[Folder, StageResult]:
    """A candidate after all automatic stages."""
    folder = Folder(foundry / name)
    if not folder.file.exists():
        app_name, task = CANDIDATES[name]
        proposal = Proposal(app_name, task, f"openai/{MODELS.get(name, 'careful')}", foundry)
        folder = proposal.add(name=name, wish=WISHES.get(name, ""))
    return folder, work.run(folder)


@pytest.mark.parametrize("name", GOOD)
def test_a_good_tool_reaches_review(work: Foundry, foundry: Path, name: str) -> None:
    folder, last = made(work, foundry, name)
    answer = [f"{finding.rule}: {finding.text}" for finding in last.findings]
    assert (last.stage, last.outcome) == ("review", Outcome.WAITING), (last.reason, answer)
    trial = folder.result("trial")
    assert trial is not None
    rules = {finding.rule: finding.text for finding in trial.findings}
    assert rules["by hand"] == "same result"
    solved = [
        rule for rule, text in rules.items() if rule.startswith("varied") and text == "solved"
    ]
    assert solved
    pictures = [path for path in trial.evidence if path.endswith(".png")]
    assert len(pictures) == 3
    assert all(
        (folder.path / path).stat().st_size > 1000 for path in trial.evidence if path in pictures
    )


@pytest.mark.parametrize("name", STOPPED)
def test_each_bad_tool_is_stopped_at_the_stage_meant_for_it(
    work: Foundry, foundry: Path, name: str
) -> None:
    folder, last = made(work, foundry, name)
    refused = {finding.rule for finding in last.findings if finding.refused}
    assert (last.stage, last.outcome, refused) == (STOPPED[name][0], "failed", STOPPED[name][1])
    assert folder.result("review") is None


def test_wrong_code_was_repaired_on_the_way(work: Foundry, foundry: Path) -> None:
    folder, _ = made(work, foundry, "calc-reverse-rows")
    turns = json.loads((folder.path / "evidence/propose/turns.json").read_text())
    assert ["AttributeError" in turn["said"] for turn in turns] == [True, False]
    condensed = folder.result("filter")
    assert condensed is not None
    assert [finding.rule for finding in condensed.findings] == ["does the task"], "it was not saved"
    assert [draft.origin for draft in folder.drafts()] == ["wrap", "gate"]
    assert [item.stage for item in folder.earlier()] == ["wrap", "gate"]


def test_the_same_agent_takes_fewer_steps_with_the_tool(work: Foundry, foundry: Path) -> None:
    folder, _ = made(work, foundry, "gnome-set-night-light")
    options = MachineOptions(provider="sandbox")
    measured = MeasureOptions(str(TASKS), "examples.foundry.agent:OneCall", "", 1, 15, "", options)
    folder.reopen("measure")
    Foundry(ROOT, CATALOGUE, work.model, work.machine, CallLimits(), measured).run(folder)
    result = folder.result("measure")
    assert result is not None
    texts = [finding.text for finding in result.findings]
    assert texts[0].startswith("success 100% -> 100%"), texts
    assert texts[1].startswith("steps 7.0 -> 2.0"), texts
    assert "the suite's only task with the app is the one the tool was made from" in texts


def test_a_tool_accepted_by_two_people_is_served_listed_and_passes_its_tests(
    work: Foundry, foundry: Path, tmp_path: Path
) -> None:
    tree = tmp_path / "tree"
    skip = shutil.ignore_patterns("__pycache__", ".git", ".venv", ".mypy_cache", "runs", "foundry")
    for part in ("mcp_tools", "guest", "host", "tasks", "evaluators", "vm", "toolgen", "tests"):
        shutil.copytree(ROOT / part, tree / part, ignore=skip)
    shutil.copy(ROOT / "pyproject.toml", tree)
    tools = []
    for name in GOOD:
        folder, _ = made(work, foundry, name)
        draft = folder.latest()
        assert draft is not None
        give_verdict(folder, "ann", submission(draft, "accept"))
        assert work.run(folder).outcome is Outcome.WAITING, "one person is not enough"
        give_verdict(folder, "bob", submission(draft, "accept"))
        assert work.run(folder).outcome is Outcome.PASSED
        tools.append(admit(folder, tree, "carla").tool)
    assert set(funnel(foundry).admitted) == set(tools)
    options = MachineOptions(provider="sandbox")
    with open_machines(options, print, code=tree) as source, closing(source.make()) as machine:
        machine.revert("ready")
        with Guest(machine.endpoint, machine.token) as guest:
            guest.wait_ready()
            served = {tool.name: tool for tool in guest.tools()}
            assert set(served) - set(CATALOGUE) == set(tools)
            task = load_suite(TASKS, CATALOGUE).tasks[0]
            offer = offer_of(Exposure(), served, task, 0)(guest.screenshot())
            assert set(tools) <= {tool.name for tool in offer}
        files = [f"tests/desktop/test_made_{tool}.py" for tool in tools]
        there = {ENDPOINT: machine.endpoint, TOKEN: machine.token}
        argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files]
        ran = subprocess.run(
            argv, cwd=tree, env={**os.environ, **there}, capture_output=True, text=True, check=False
        )
    assert ran.returncode == 0, ran.stdout[-3000:]
    assert "skipped" not in ran.stdout, ran.stdout[-500:]
