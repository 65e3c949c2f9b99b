"""LiveMCPBench's tasks: what loads, what is left out and why."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ambidex.tasks import TaskError
from ambidex.tasks.livemcpbench import EXECUTE
from ambidex.tasks.livemcpbench.body import KeyPointBody, key_points_in
from ambidex.tasks.livemcpbench.oracles import oracles_of
from ambidex.tasks.livemcpbench.suite import survey
from ambidex.tasks.load import load_suite
from ambidex.tasks.spec import Put
from ambidex.tasks.survey import Selection
from tests.support.livemcpbench import (
    LIVEMCPBENCH,
    TASKS,
    annotation,
    needs_livemcpbench,
    write_checkout,
)
from tests.support.tables import every_case


def test_a_checkout_loads_and_says_by_name_why_a_task_is_left_out(tmp_path: Path) -> None:
    suite = load_suite(write_checkout(tmp_path), {})
    assert [task.name for task in suite.tasks] == ["office.aaaaaaaa"]
    assert {out.name: out.why for out in suite.left_out} == {
        "travel.bbbbbbbb": "it needs the network (--net web)",
        "office.cccccccc": "it needs the server trends-hub (its package is not in the registry)",
        "office.dddddddd": "it needs the tool conjure, which no server of the catalogue has",
    }


def test_a_task_has_the_annotators_key_points_and_its_files_in_the_agents_home(
    tmp_path: Path,
) -> None:
    (task,) = load_suite(write_checkout(tmp_path, TASKS[0]), {}).tasks
    assert isinstance(task.body, KeyPointBody)
    assert task.body.points == ("Read the numbers", "Write the sum")
    assert task.body.description("calculator", "calculate") == "To calculate."
    assert task.spec.instruction.startswith("Sum the numbers in /home/user/txt/numbers.txt and")
    puts = [step for step in task.body.setup if isinstance(step, Put)]
    assert [(step.put, step.to) for step in puts] == [
        ("txt/numbers.txt", "/home/user/txt/numbers.txt")
    ]
    assert (task.body.folder / puts[0].put).read_text() == "40\n2\n"


def test_a_changed_input_file_makes_another_task(tmp_path: Path) -> None:
    checkout = write_checkout(tmp_path, TASKS[0])
    before = load_suite(checkout, {}).tasks[0].hash
    (checkout / "annotated_data/txt/numbers.txt").write_text("41\n1\n")
    assert load_suite(checkout, {}).tasks[0].hash != before


def test_a_missing_input_file_leaves_its_task_out(tmp_path: Path) -> None:
    gone = annotation("eeeeeeee", "1. read_file", file_name="/root/txt/gone.txt")
    (task,) = survey(write_checkout(tmp_path, gone), {})
    assert task.why_not.startswith("it needs the file txt/gone.txt, which is not in")


def test_tasks_that_open_web_sites_run_when_they_are_asked_for(tmp_path: Path) -> None:
    suite = load_suite(write_checkout(tmp_path), {}, selection=Selection(net=("web",)))
    assert [task.name for task in suite.tasks] == ["travel.bbbbbbbb"]


@every_case(
    ("selection", "names"),
    [
        (Selection(("aaaaaaaa",)), ["office.aaaaaaaa"]),
        (Selection(("office.cccccccc",)), ["office.cccccccc"]),
        (Selection(category=("Travel",)), ["travel.bbbbbbbb"]),
    ],
)
def test_tasks_are_selected_by_name_id_and_category(
    tmp_path: Path, selection: Selection, names: list[str]
) -> None:
    assert [task.name for task in survey(write_checkout(tmp_path), {}, selection)] == names


@every_case(
    "selection",
    [Selection(("nothing",)), Selection(category=("Nothing",)), Selection(service=("files",))],
)
def test_a_selection_that_fits_nothing_is_refused(tmp_path: Path, selection: Selection) -> None:
    with pytest.raises(TaskError):
        survey(write_checkout(tmp_path), {}, selection)


def test_a_file_of_another_form_is_refused_by_its_key(tmp_path: Path) -> None:
    wrong = {key: value for key, value in TASKS[0].items() if key != "Question"}
    with pytest.raises(TaskError, match=r"all_annotations.json: \[0\].Question: required"):
        survey(write_checkout(tmp_path, wrong), {})


def test_key_points_are_the_entries_of_a_numbered_list() -> None:
    text = "The points:\n1. Read\n  the file\n\n2) Sum up \n3、Write"
    assert key_points_in(text) == ("Read the file", "Sum up", "Write")


@needs_livemcpbench
def test_the_released_tasks_load_with_their_published_counts() -> None:
    tasks = survey(LIVEMCPBENCH, {})
    assert len(tasks) == 95
    assert not [task.problems for task in tasks if task.problems]
    assert sum(task.points for task in tasks) == 268
    assert sum(len(task.tools) for task in tasks) == 256
    missing = ("the network", "the server", "the tool")
    local = [task for task in tasks if not any(need.startswith(missing) for need in task.needs)]
    assert len(local) == 13
    solved = [oracles_of(task.name, "") for task in tasks]
    assert [bool(oracles) for oracles in solved] == [task in local for task in tasks]


@needs_livemcpbench
def test_the_reference_solutions_use_tools_of_the_catalogue_as_their_schemas_say() -> None:
    schemas: dict[tuple[str, str], dict[str, Any]] = {
        (server["server_name"], tool["name"]): tool["inputSchema"]
        for entry in json.loads((LIVEMCPBENCH / "tools.json").read_text())
        for server in entry["tools"].values()
        for tool in server["tools"]
    }
    executed = [
        call.with_
        for task in survey(LIVEMCPBENCH, {})
        for oracle in oracles_of(task.name, "an image: iVBORw0KGgo")
        for call in oracle.calls
        if call.call == EXECUTE
    ]
    assert len(executed) == 26
    for call in executed:
        tool = str(call["server_name"]), str(call["tool_name"])
        with suppress(jsonschema.SchemaError):  # a schema may mix drafts, as that of read_pdf does
            jsonschema.validate(call["params"], schemas[tool])


def test_a_reference_solution_may_take_a_parameter_from_the_question() -> None:
    (oracle,) = oracles_of("leisure.3a5cfe49", "What does this image mean?\niVBORw0KGgo= Thanks")
    searches, executes = oracle.calls
    assert "server: images" in str(searches.with_["query"])
    assert executes.with_["params"] == {"base64": "iVBORw0KGgo="}
    assert oracles_of("office.aaaaaaaa", "") == []
