"""Loading a suite: all problems are reported before anything runs, with file and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from ambidex.host import Stop
from ambidex.host.loop.judge import judge
from ambidex.host.runs.prove import expected_score
from ambidex.tasks import TaskError, ToolSpec, verbs_of
from ambidex.tasks.hashing import content_hash, task_hash
from ambidex.tasks.lint import called
from ambidex.tasks.load import load_suite
from ambidex.tasks.toolset import TOOLS, write_tools
from tests.support.peer import CATALOGUE
from tests.support.suites import CELL, IMPOSSIBLE, POINTS, write_suite
from tests.support.tables import every_case


def problems(folder: Path) -> list[str]:
    with pytest.raises(TaskError) as caught:
        load_suite(folder, CATALOGUE)
    return [str(problem).removeprefix(f"{folder}/") for problem in caught.value.problems]


def test_agents_may_call_the_tools_of_a_suites_toolset_and_its_setup_may_not(
    tmp_path: Path,
) -> None:
    text = CELL.replace('"calc_save"]', '"calc_save", "chat_send"]')
    folder = write_suite(tmp_path / "suite", cell=text)
    assert problems(folder) == ["cell/task.toml: useful_tools[2]: no tool 'chat_send'"]
    schema = {"type": "object", "properties": {"body": {"type": "string"}}}
    tool = ToolSpec("chat_send", "chat", "Send.", schema, reads_only=False)
    write_tools(folder / "tools-chat.json", [tool])
    suite = load_suite(folder, CATALOGUE)
    assert suite.tools.keys() == {"chat_send"}
    assert called(suite.tasks[0].spec) >= {"chat_send", "calc_save"}
    asked = 'setup = [{ call = "chat_send", with = { body = "x" } },'
    (folder / "cell" / "task.toml").write_text(text.replace("setup = [", asked))
    assert problems(folder) == ["cell/task.toml: setup[0].call: no tool 'chat_send'"]
    (folder / TOOLS).write_text('[{"name": "chat_send"}]')
    with pytest.raises(TaskError, match=r"tools\.json: \[0\]\.app: required"):
        load_suite(folder, CATALOGUE)


def test_a_good_suite_loads_with_its_checks_bound(tmp_path: Path) -> None:
    suite = load_suite(write_suite(tmp_path / "suite", cell=CELL, other=IMPOSSIBLE), CATALOGUE)
    assert [task.name for task in suite.tasks] == ["cell", "other"]
    (tmp_path / "cells.json").write_text('{"B2": 42}')
    assert suite.tasks[0].body.judge(tmp_path).score.value == 1.0


@every_case(
    ("old", "new", "expected"),
    [
        ("instruction =", "instructions =", "instruction: required, but missing"),
        ("instruction =", "instructions =", "instructions: unknown key (value 'Set"),
        ("instruction", "instruction = ", "not TOML"),
        ("tool_beneficial = true", "tool_beneficial = 7", "tool_beneficial: must be"),
        ('to = "~/start.json"', 'to = "start.json"', "setup[0].to: a path in the guest must start"),
        ('put = "start.json"', 'put = "none.json"', "setup[0].put: no file 'none.json'"),
        ('put = "start.json"', 'put = "../cell"', "setup[0].put: no file '../cell'"),
        ('{ run = ["open"', '{ put = "x", run = ["open"', "setup[1]: must have exactly one of put"),
        ("wait_window", "wait_windows", "setup[1].wait_windows: unknown key"),
        ("{ get =", "{ gett =", "collect[0]: must have exactly one of get"),
        ('to = "echo.txt"', 'to = "a/echo.txt"', "collect[1].to: must be a plain file name"),
        (
            'to = "echo.txt"',
            'to = "cells.json"',
            "several items are collected under the same name: cells",
        ),
        (
            '"calc_save"]',
            '"calc_sav"]',
            "useful_tools[1]: no tool 'calc_sav'; did you mean calc_save",
        ),
        ('"calc_save"]', '"computer_click"]', "useful_tools[1]: computer_click is a GUI action"),
        ('cell = "A1"', 'cel = "A1"', "setup[2].with: calc_set_cell_value: "),
        ('cell = "A1"', "cell = 7", "setup[2].with.cell: calc_set_cell_value: 7 is not of type"),
        ("json_fields_equal", "json_fields", "check[0]: no evaluator 'output.json_fields'"),
        ("fields = {", "field = {", "check[0]: output.json_fields_equal: "),
        ('"cells.json", f', '"c.json", f', "check[0].with.file: 'c.json' is not collected"),
        (
            'by = "tools"',
            'by = "gui"',
            "oracle[0].calls[0]: calc_set_cell_value is not a GUI action",
        ),
        ('by = "tools"', 'by = "tools"\nstop = "infeasible"', "an oracle must have stop"),
    ],
)
def test_a_wrong_key_is_named(tmp_path: Path, old: str, new: str, expected: str) -> None:
    assert old in CELL
    messages = problems(write_suite(tmp_path / "suite", cell=CELL.replace(old, new, 1)))
    assert any(message.startswith(f"cell/task.toml: {expected}") for message in messages), messages


def test_all_problems_of_all_tasks_are_listed_at_once(tmp_path: Path) -> None:
    folder = write_suite(
        tmp_path / "suite",
        good=CELL,
        one=CELL.replace("calc_save", "calc_sav"),
        two=CELL.replace('get = "~/', 'get = "'),
    )
    messages = problems(folder)
    assert [message.split(":")[0] for message in messages] == ["one/task.toml"] * 2 + [
        "two/task.toml"
    ]


def test_an_infeasible_task_needs_no_check_and_a_feasible_one_does(tmp_path: Path) -> None:
    load_suite(write_suite(tmp_path / "a", t=IMPOSSIBLE), CATALOGUE)
    text = CELL.replace("check = [", "# check = [")
    (only,) = problems(write_suite(tmp_path / "b", cell=text))
    assert only == "cell/task.toml: a feasible task needs at least one check"


def test_only_the_named_tasks_are_loaded_and_must_exist(tmp_path: Path) -> None:
    folder = write_suite(tmp_path / "suite", good=CELL, bad="x")
    assert [task.name for task in load_suite(folder, CATALOGUE, ["good"]).tasks] == ["good"]
    with pytest.raises(TaskError, match="no task 'goood'; available: bad, good"):
        load_suite(folder, CATALOGUE, ["goood"])


def test_a_directory_without_tasks_is_not_a_suite(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="no tasks here"):
        load_suite(tmp_path, CATALOGUE)
    with pytest.raises(TaskError, match="no such directory"):
        load_suite(tmp_path / "none", CATALOGUE)


def test_the_hash_of_a_task_covers_paths_and_contents(tmp_path: Path) -> None:
    one = write_suite(tmp_path / "a", t=CELL) / "t"
    two = write_suite(tmp_path / "b", t=CELL) / "t"
    assert content_hash(one) == content_hash(two)
    (two / "start.json").write_text("{ }")
    assert content_hash(one) != content_hash(two)
    (two / "start.json").write_text("{}")
    (two / "start.json").rename(two / "begin.json")
    assert content_hash(one) != content_hash(two)


def test_checks_with_points_give_part_of_the_score(tmp_path: Path) -> None:
    (task,) = load_suite(write_suite(tmp_path / "suite", cell=POINTS), CATALOGUE).tasks
    (tmp_path / "cells.json").write_text('{"B2": 41}')
    (tmp_path / "cell.json").write_text('{"value": 42}')
    score = task.body.judge(tmp_path).score
    assert score.value == 0.125
    assert score.reason.startswith("1 of 4 points; saved: ")
    assert [(one.title, one.total, one.reached) for one in score.points] == [
        ("echo", 1, 1), ("saved", 3, 0),
    ]  # fmt: skip
    expected = [
        expected_score(task, agent) for agent in ("oracle:tools", "says_done", "near_miss:1")
    ]
    assert expected == [1.0, 0.0, 0.125]


@every_case(
    ("old", "new", "expected"),
    [
        ('title = "echo", ', "", "each check must be worth points"),
        ('title = "saved"', 'title = "echo"', "each check must be worth points"),
        ("points = 3", "points = 0", "each check must be worth points"),
        ('misses = ["saved"]', "", "a near miss names the titles of the checks that it misses"),
        ('misses = ["saved"]', 'misses = ["sav"]', "a near miss names the titles"),
    ],
)
def test_points_that_do_not_fit_are_refused(
    old: str, new: str, expected: str, tmp_path: Path
) -> None:
    (message,) = problems(write_suite(tmp_path / "suite", cell=POINTS.replace(old, new)))
    assert expected in message


def test_tasks_share_files_of_their_suite_and_no_others(tmp_path: Path) -> None:
    text = CELL.replace('put = "start.json"', 'put = "../shared/a/start.json"')
    folder = write_suite(tmp_path / "suite", cell=text, own=CELL)
    (message,) = problems(folder)
    assert message == (
        "cell/task.toml: setup[0].put: no file '../shared/a/start.json' in the suite's shared files"
    )
    shared = folder / "shared" / "a"
    shared.mkdir(parents=True)
    (shared / "start.json").write_text("{}")
    before = {task.name: task for task in load_suite(folder, CATALOGUE).tasks}
    assert verbs_of(before["cell"]).reads == (folder / "cell", folder / "shared")
    assert before["own"].hash == content_hash(folder / "own")
    (shared / "start.json").write_text('{"B2": 1}')
    after = {task.name: task for task in load_suite(folder, CATALOGUE).tasks}
    assert before["cell"].hash != after["cell"].hash == task_hash(folder / "cell")
    assert before["own"].hash == after["own"].hash
    outside = CELL.replace('put = "start.json"', 'put = "../shared/../own/start.json"')
    (only,) = problems(write_suite(tmp_path / "other", cell=outside, own=CELL))
    assert "no file '../shared/../own/start.json'" in only


def test_a_check_compares_with_a_file_that_tasks_share(tmp_path: Path) -> None:
    check = '{ use = "files.same_bytes", with = { file = "cells.json", expected = "%s" } }'
    start = CELL[CELL.index("check = [") : CELL.index("[[oracle]]")]
    text = CELL.replace(start, f"check = [{check % '../shared/cells.json'}]\n\n")
    folder = write_suite(tmp_path / "suite", cell=text)
    assert problems(folder)[0].endswith(
        "the suite has no file ../shared/cells.json (got '../shared/cells.json')"
    )
    (folder / "shared").mkdir()
    (folder / "shared" / "cells.json").write_text("{}")
    (task,) = load_suite(folder, CATALOGUE).tasks
    (tmp_path / "cells.json").write_text("{}")
    assert judge(task, tmp_path, Stop.DONE).score.value == 1
    (tmp_path / "cells.json").write_text("{ }")
    assert judge(task, tmp_path, Stop.DONE).score.value == 0
    escape = text.replace("../shared/cells.json", "../shared/../cell/task.toml")
    (only,) = problems(write_suite(tmp_path / "other", cell=escape))
    assert "must be a path inside the directory" in only


def test_the_checks_of_an_infeasible_task_count(tmp_path: Path) -> None:
    unchanged = """
collect = [{ get = "~/cells.json" }]
check = [{ use = "files.text_equals", with = { file = "cells.json", text = "{}" } }]
"""
    text = IMPOSSIBLE.replace("\n[[oracle]]", unchanged + "\n[[oracle]]")
    (task,) = load_suite(write_suite(tmp_path / "suite", t=text), CATALOGUE).tasks
    (tmp_path / "cells.json").write_text("{}")
    assert judge(task, tmp_path, Stop.INFEASIBLE).score.value == 1
    assert judge(task, tmp_path, Stop.DONE).score.value == 0
    (tmp_path / "cells.json").write_text('{"B2": 1}')
    assert judge(task, tmp_path, Stop.INFEASIBLE).score.value == 0
