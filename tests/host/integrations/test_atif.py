"""Runs as ATIF and back, and trajectories of other programs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from atif import Trajectory
from PIL import Image

from ambidex.evaluators.bounded import without_surrogates
from ambidex.host.errors import UsageError
from ambidex.host.integrations.atif.reading import read_atif
from ambidex.host.integrations.atif.writing import OURS, write_atif
from ambidex.host.integrations.attempts import COUNTS
from ambidex.host.records.recorded_steps import load_frame
from ambidex.host.records.rows import read_rows
from ambidex.host.records.trajectory import read_trajectory
from ambidex.host.report.text_report import as_json, lines
from ambidex.host.room.standalone_page import episode_html
from tests.support.commands import ambidex
from tests.support.peer import CATALOGUE

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def atif(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exported run. Only to be read."""
    folder = tmp_path_factory.mktemp("exported") / "atif"
    assert write_atif(run, folder, CATALOGUE) == 3
    return folder


@pytest.fixture
def cell(atif: Path) -> Trajectory:
    """The trajectory of the task `cell`, as the format's package reads it."""
    return Trajectory.model_validate_json((atif / "cell.1" / "trajectory.json").read_bytes())


def test_every_step_call_and_result_is_in_the_fields_of_the_format(cell: Trajectory) -> None:
    sources = [step.source for step in cell.steps]
    assert sources == [
        "user", "agent", "system", "user", "system", "user", "agent", "agent", "agent",
    ]  # fmt: skip
    tools = cell.steps[7]
    assert tools.message == "Now the tools."
    assert tools.llm_call_count == 0
    assert tools.tool_calls
    assert tools.observation
    assert [call.function_name for call in tools.tool_calls] == [
        "calc_set_cell_value", "calc_invented", "calc_save", "calc_save",
    ]  # fmt: skip
    assert tools.tool_calls[0].arguments == {"cell": "B2", "value": 42}
    texts = {result.source_call_id: result.content for result in tools.observation.results}
    assert str(texts["c"]).startswith("There is no tool 'calc_invented' here.")
    assert cell.final_metrics
    assert cell.final_metrics.total_prompt_tokens == 200
    assert cell.final_metrics.total_cost_usd == 0.5
    assert cell.final_metrics.total_steps == 9


def test_what_a_person_did_is_no_step_of_the_agent(cell: Trajectory) -> None:
    did, hint = cell.steps[3], cell.steps[5]
    assert did.message == "A person did this: computer_click(x=5, y=6)"
    assert did.extra
    assert did.extra[OURS]["actor"] == "human"
    assert hint.message == "Look left."


def test_the_request_to_a_grounder_is_a_subagents_trajectory(cell: Trajectory) -> None:
    step = cell.steps[1]
    assert step.model_name == "big/planner"
    assert step.observation
    [reference] = step.observation.results[-1].subagent_trajectory_ref or []
    [grounder] = cell.subagent_trajectories or []
    assert grounder.trajectory_id == reference.trajectory_id
    assert [each.message for each in grounder.steps] == ["the Save button", "(3, 4)"]
    assert grounder.agent.model_name == "small/grounder"
    assert grounder.steps[1].metrics
    assert grounder.steps[1].metrics.prompt_tokens == 100


def test_screenshots_are_files_beside_the_trajectory(run: Path, atif: Path) -> None:
    references = set()
    for step in json.loads((atif / "cell.1" / "trajectory.json").read_text())["steps"]:
        contents = [step["message"]]
        contents += [each.get("content") for each in step.get("observation", {}).get("results", ())]
        for content in contents:
            parts = content if isinstance(content, list) else ()
            references |= {part["source"]["path"] for part in parts if part["type"] == "image"}
    files = {f"images/{path.name}" for path in (atif / "cell.1" / "images").iterdir()}
    assert references == files
    for name in files:
        with Image.open(atif / "cell.1" / name) as picture:
            hash = Path(name).stem
            assert picture.convert("RGB").tobytes() == load_frame(run / "cell.1", hash).rgb


def test_an_imported_run_has_the_same_report_and_the_same_steps(
    run: Path, atif: Path, tmp_path: Path
) -> None:
    back = tmp_path / "back" / "run"
    back.parent.mkdir()
    read_atif(atif, back)
    assert reported(back) == reported(run)
    assert read_rows(back) == read_rows(run)
    for trial in ("cell.1", "impossible.1"):
        assert recorded(back / trial) == recorded(run / trial)
        assert (back / trial / "score.json").read_text() == (run / trial / "score.json").read_text()


def reported(run: Path) -> Any:
    report = as_json(lines([run], assisted=True))
    return json.loads(json.dumps(report).replace(str(run), "RUN"))


def recorded(trial: Path) -> list[dict[str, Any]]:
    """The lines of a trajectory, without what the format does not carry: a model's raw answer and
    what is not valid UTF-8. An offer may be written later."""
    found = []
    for line in read_trajectory(trial):
        if line["kind"] == "step":
            for exchange in line["decision"]["exchanges"]:
                exchange["answer"] = {}
            line["decision"]["thought"] = without_surrogates(line["decision"]["thought"])
        if line["kind"] != "offer":
            found.append(line)
    return found


def test_the_counts_of_a_row_come_from_the_steps(atif: Path, tmp_path: Path) -> None:
    """Not from a copy of the row: a file with a step less gives a row with a step less."""
    shutil.copytree(atif, tmp_path / "atif")
    file = tmp_path / "atif" / "cell.1" / "trajectory.json"
    whole = json.loads(file.read_text())
    assert not set(COUNTS) & whole["extra"][OURS]["row"].keys()
    del whole["steps"][-1]
    file.write_text(json.dumps(whole))
    read_atif(tmp_path / "atif", tmp_path / "back")
    row = next(row for row in read_rows(tmp_path / "back") if row.score == 1)
    assert row.steps == 3


def test_a_trajectory_of_harbor_becomes_a_trial_that_the_replay_page_shows(
    tmp_path: Path,
) -> None:
    """The fixture was written by the recorder of Harbor's own computer-use agent."""
    [trial] = read_atif(HERE / "harbor", tmp_path / "imported")
    assert trial.name == "click-in-calc__x1"
    start, first, note, last, end = read_trajectory(trial)
    assert start["instruction"] == "Click the cell B2 and report what it holds."
    assert start["agent"] == "computer-1 1.0.0 openai/gpt-5"
    [call] = first["decision"]["calls"]
    assert (call["name"], call["arguments"]["x"]) == ("computer_action", 30)
    assert first["decision"]["thought"].startswith("B2 is at the left.\nAnalysis:")
    assert first["decision"]["exchanges"][0]["usage"]["cached_tokens"] == 500
    assert note["text"].startswith("Context compaction")
    assert load_frame(trial, last["after"]).rgb[:3] == b"\x00\x80\x80"
    assert end["stop"] is None
    page = episode_html(trial)
    assert "Click the cell B2" in page
    assert page.count("data:image/webp;base64,") == 2


def test_the_commands_export_and_import(run: Path, tmp_path: Path) -> None:
    atif, back = tmp_path / "out" / "atif", tmp_path / "out" / "back"
    assert ambidex("export", run, "--atif", atif) == 0
    assert ambidex("import", atif, "--out", back) == 0
    assert len(read_rows(back)) == 3
    assert ambidex("export", run, "--atif", atif) == 2
    assert ambidex("export", run / "cell.1", "--atif", tmp_path / "new") == 2


@pytest.mark.parametrize(
    ("text", "reason"), [("{}", "is not ATIF: .*required, but missing"), ("", "is not ATIF")]
)
def test_a_file_that_is_not_atif_is_refused_with_the_reason(
    text: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "trajectory.json").write_text(text)
    with pytest.raises(UsageError, match=reason):
        read_atif(tmp_path / "trajectory.json", tmp_path / "imported")
    assert not (tmp_path / "imported").exists()


def test_pictures_outside_of_the_trajectorys_directory_are_not_read(tmp_path: Path) -> None:
    Image.new("RGB", (4, 4)).save(tmp_path / "secret.png")
    (tmp_path / "foreign").mkdir()
    image = {"type": "image", "source": {"media_type": "image/png", "path": "../secret.png"}}
    agent = {"name": "a", "version": "1"}
    step = {"step_id": 1, "source": "agent", "message": [image]}
    seen = {"results": [{"content": [image]}]}
    whole = {"schema_version": "ATIF-v1.8", "agent": agent, "steps": [step | {"observation": seen}]}
    (tmp_path / "foreign" / "trajectory.json").write_text(json.dumps(whole))
    [trial] = read_atif(tmp_path / "foreign", tmp_path / "imported")
    assert not list((trial / "frames").iterdir())
