"""A model behind the colleagues, from the chat's page to the row."""

from __future__ import annotations

from pathlib import Path
from shutil import copyfile

import pytest

from ambidex.host.records.rows import read_rows
from ambidex.host.runs import launch
from ambidex.vm.firm.draw import draw_firm
from tests.company.conftest import IMAGE
from tests.support.commands import PROJECT, ambidex
from tests.support.jury import Recorded

COST_CENTRE = dict(draw_firm(1).facts)["cost_centre"]


def test_a_model_answers_as_a_colleague_in_the_chat(
    provider: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reference solution by GUI waits for both answers on the chat's page. The script would not
    say these."""
    task = PROJECT / "tasks/company/admin-cost-centre"
    answers = {"For operations": f"Operations has {COST_CENTRE}!", "Which cost": "Which team?"}
    model = Recorded("one", answers)  # type: ignore[arg-type]
    suite = tmp_path / "company" / task.name
    suite.mkdir(parents=True)
    for tools in task.parent.glob("tools*.json"):
        copyfile(tools, suite.parent / tools.name)
    text = (task / "task.toml").read_text()
    for said in ("Which team is it for?", f"Operations has {COST_CENTRE}"):
        waits = f'browser_wait_for", with = {{ text = "{said}'
        assert waits in text
    text = text.replace('text = "Which team is it for?"', 'text = "Which team?"')
    text = text.replace(f'text = "Operations has {COST_CENTRE}"', f'text = "{COST_CENTRE}!"')
    (suite / "task.toml").write_text(text)
    monkeypatch.setattr(launch, "LiteModel", lambda config, prices, stopped: model)
    monkeypatch.setattr(launch, "ask_models", lambda runs, say: None)
    words = ["run", suite.parent, "--agent", "oracle:gui", "--condition", "gui", "--steps", "40"]
    machine = ["--provider", provider, "--image", IMAGE, "--colleagues.model", "one"]
    assert ambidex(*words, *machine, "--out", tmp_path / "run") == 0
    [row] = read_rows(tmp_path / "run")
    assert row.score == 1, row.reason
    assert row.colleagues is not None
    assert (row.colleagues.model, row.colleagues.answers) == ("one", 2)
    assert all("Carlos Keller" in str(request.body) for request in model.requests)
