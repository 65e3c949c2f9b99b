"""OSWorld's original task files load, and their oddities are reported."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ambidex.evaluators.osworld.registry import metrics
from ambidex.tasks import TaskError
from ambidex.tasks.assets import AssetStore
from ambidex.tasks.load import load_suite
from ambidex.tasks.osworld.getters import GETTERS
from ambidex.tasks.osworld.network import net_of
from ambidex.tasks.osworld.setup_steps import STEPS, Download, Execute, argv_of, parse_step
from ambidex.tasks.osworld.suite import OSWorldTask, survey
from ambidex.tasks.osworld.task import OSWorldBody
from ambidex.tasks.survey import Selection
from tests.support.osworld import ASSETS, ID, OSWORLD, SHARED, needs_osworld, task, write
from tests.support.peer import CATALOGUE
from tests.support.tables import every_case

ALL_METRICS = 111
OURS = len(metrics()) >= ALL_METRICS
"""Whether all metrics are implemented, so that every task can be bound."""


@pytest.fixture(scope="module")
def found() -> list[OSWorldTask]:
    return survey(OSWORLD, CATALOGUE)


@pytest.fixture(scope="module")
def index() -> dict[str, dict[str, Any]]:
    return {task["id"]: task for task in json.loads((OSWORLD / "task_index.json").read_text())}


@needs_osworld
def test_every_task_file_loads(found: list[OSWorldTask], index: dict[str, dict[str, Any]]) -> None:
    assert {task_.id for task_ in found} == index.keys()
    unbound = [str(p) for task_ in found for p in task_.problems if "no metric" not in p.message]
    assert not unbound
    if OURS:
        assert [task_.name for task_ in found if task_.task is None] == []


@needs_osworld
def test_steps_getters_and_metrics_agree_with_the_index(index: dict[str, dict[str, Any]]) -> None:
    for path in OSWORLD.glob("examples/*/*.json"):
        expected, known = json.loads(path.read_text()), index[path.stem]
        steps = [task_["type"] for task_ in expected.get("config", ())]
        assert sorted(set(steps)) == known["setup"], path
        assert set(steps) <= STEPS
        options = {kind for key in ("result", "expected") for kind in known[key]}
        assert options <= GETTERS, path
        func = expected["evaluator"]["func"]
        assert sorted({func} if isinstance(func, str) else set(func)) == sorted(
            set(known["metrics"])
        )


@needs_osworld
def test_assets_and_feasibility_agree_with_the_index(
    found: list[OSWorldTask], index: dict[str, dict[str, Any]]
) -> None:
    for task_ in found:
        if task_.task is not None:
            known = index[task_.id]
            assert task_.task.spec.feasible is not known["infeasible"], task_.name
            body = task_.task.body
            assert isinstance(body, OSWorldBody)
            assert {url.partition("?")[0] for url in body.urls} == {
                url.partition("?")[0] for url in known["assets"]
            }, task_.name


@needs_osworld
def test_all_metrics_of_the_benchmark_are_known_by_name() -> None:
    anatomy = (SHARED / "osworld-anatomy.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| \d+ \| `(\w+)` \|", anatomy, re.MULTILINE)
    assert len(listed) == ALL_METRICS
    if OURS:
        assert set(listed) <= metrics().keys()
    used: set[str] = set()
    for path in OSWORLD.glob("examples/*/*.json"):
        func = json.loads(path.read_text())["evaluator"]["func"]
        used |= {func} if isinstance(func, str) else set(func)
    assert used <= set(listed)


def test_there_are_13_types_of_steps_and_47_getters() -> None:
    assert len(STEPS) == 13
    assert len(GETTERS) == 47


@needs_osworld
def test_a_task_that_needs_no_network_is_classified_as_offline(
    index: dict[str, dict[str, Any]],
) -> None:
    expected: Counter[tuple[str, str]] = Counter()
    for path in OSWORLD.glob("examples/*/*.json"):
        net = net_of(json.loads(path.read_text()))
        expected[index[path.stem]["net"], net] += 1
        if index[path.stem]["net"] == "offline":
            assert net in ("offline", "prebake"), path
    # Not the other way round: some tasks ask for a site in words, and name no address.
    assert {net for known, net in expected if known == "gdrive"} == {"gdrive"}
    assert {net for known, net in expected if known == "stub"} == {"web"}


def problems_of(folder: Path) -> list[str]:
    return [task_ for one in survey(folder, CATALOGUE) for task_ in map(str, one.problems)]


@every_case(
    ("change", "expected"),
    [
        ({"config": [{"type": "dance", "parameters": {}}]}, "config[0]: unknown step 'dance'"),
        (
            {"config": [{"type": "launch", "parameters": {"comand": ["x"]}}]},
            "config[0].parameters.comand: unknown key (value ['x'])",
        ),
        (
            {"config": [{"type": "launch", "parameters": {"comand": ["x"]}}]},
            "config[0].parameters.command: required, but missing",
        ),
        (
            {"evaluator": {"func": "no_such_metric", "result": {"type": "rule", "rules": 1}}},
            "no metric",
        ),
        (
            {"evaluator": {"func": "infeasible", "result": None}, "instruction": ""},
            "instruction: String should have at least 1 character",
        ),
        (
            {"evaluator": {"func": ["exact_match"], "result": [{"type": "x"}, {"type": "y"}]}},
            "evaluator.result: 2 entries for 1 metrics",
        ),
        ({"evaluator": {"func": ["a"], "result": [{"type": "vm_fil"}]}}, "unknown getter 'vm_fil'"),
    ],
)
def test_a_problem_is_reported_with_its_location(
    tmp_path: Path, change: dict[str, Any], expected: str
) -> None:
    found = problems_of(write(tmp_path, task(**change)))
    assert any(expected in task_ for task_ in found), found


def test_one_bad_file_does_not_stop_the_others(tmp_path: Path) -> None:
    write(tmp_path, task())
    other = "9999ffff-0000-4000-8000-000000000000"
    write(tmp_path, task(id=other, config=[{"type": "dance", "parameters": {}}]))
    write(tmp_path, {"id": "no"}, id="8888ffff")
    (tmp_path / "examples" / "os" / "7777ffff.json").write_text("{")
    suite = load_suite(tmp_path, CATALOGUE)
    assert [task_.name for task_ in suite.tasks] == ["os-0123abcd"]
    assert [task_.name for task_ in suite.left_out] == ["os-7777ffff", "os-8888ffff", "os-9999ffff"]
    assert "unknown step 'dance'" in suite.left_out[2].why


def test_a_selection_without_runnable_tasks_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, task(config=[{"type": "dance", "parameters": {}}]))
    with pytest.raises(TaskError, match="unknown step 'dance'"):
        load_suite(tmp_path, CATALOGUE)


def test_a_task_that_lacks_an_asset_is_left_out_with_the_reason(tmp_path: Path) -> None:
    files = [{"url": f"{ASSETS}os/x/a.txt", "path": "/home/user/a.txt"}]
    write(tmp_path, task(config=[{"type": "download", "parameters": {"files": files}}]))
    store = AssetStore(tmp_path / "store")
    [task_] = survey(tmp_path, CATALOGUE, store=store)
    assert task_.missing == (f"{ASSETS}os/x/a.txt",)
    assert task_.why_not == "1 of its files are not in the asset store"
    store.keep(f"{ASSETS}os/x/a.txt", tmp_path / "examples" / "os" / f"{ID}.json")
    [task_] = survey(tmp_path, CATALOGUE, store=store)
    assert task_.why_not == ""


def test_a_setup_that_writes_times_relative_to_now_is_not_reproducible(tmp_path: Path) -> None:
    history = {"type": "update_browse_history", "parameters": {"history": []}}
    other = "9999ffff-0000-4000-8000-000000000000"
    write(tmp_path, task(config=[history]))
    write(tmp_path, task(id=other))
    with_history, without = (task_.task for task_ in survey(tmp_path, CATALOGUE))
    assert with_history is not None
    assert without is not None
    assert (with_history.spec.reproducible, without.spec.reproducible) == (False, True)


def test_tasks_are_selected_by_name_domain_id_list_and_network(tmp_path: Path) -> None:
    ids = [f"{number}abc{number}def-0000-4000-8000-000000000000" for number in range(3)]
    visit = {"type": "chrome_open_tabs", "parameters": {"urls_to_open": ["https://site.org"]}}
    write(tmp_path, task(id=ids[0]), "os")
    write(tmp_path, task(id=ids[1]), "vlc")
    write(tmp_path, task(id=ids[2], config=[visit]), "chrome")
    (tmp_path / "list.json").write_text(json.dumps({"os": ids[:1], "chrome": ids[2:]}))

    def names(*tasks: str, **other: Any) -> list[str]:
        return [task_.domain for task_ in survey(tmp_path, CATALOGUE, Selection(tasks, **other))]

    assert names() == ["chrome", "os", "vlc"]
    assert names("os-0abc0def") == ["os"]
    assert names("vlc", "0abc") == ["os", "vlc"]
    assert names("vlc/1a") == ["vlc"]
    assert names(list=tmp_path / "list.json") == ["chrome", "os"]
    assert names("os", list=tmp_path / "list.json") == ["os"]
    assert names(net=("offline",)) == ["os", "vlc"]
    assert names(net=("web", "gdrive")) == ["chrome"]
    with pytest.raises(TaskError, match="'vlc/0a'"):
        names("vlc/0a")


def test_a_list_that_names_a_missing_task_is_refused(tmp_path: Path) -> None:
    write(tmp_path, task())
    (tmp_path / "list.json").write_text(json.dumps({"os": [ID, "else"]}))
    with pytest.raises(TaskError, match="else is not in"):
        survey(tmp_path, CATALOGUE, Selection(list=tmp_path / "list.json"))


def test_networks_do_not_apply_to_tasks_with_a_task_toml(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(TaskError, match="--net: not for tasks"):
        load_suite(tmp_path, CATALOGUE, selection=Selection(net=("offline",)))


@every_case(
    ("command", "shell", "launched", "argv"),
    [
        ("echo 'a b'", False, False, ["echo", "a b"]),
        ("echo 'a b'", False, True, ["echo", "'a", "b'"]),
        ("echo 'a b'", True, True, ["/bin/sh", "-c", "echo 'a b'"]),
        (["code", "|", "grep"], False, False, ["code", "|", "grep"]),
        (["echo a", "b"], True, False, ["/bin/sh", "-c", "echo a", "b"]),
    ],
)
def test_commands_are_split_as_osworld_splits_them(
    command: Any, shell: bool, launched: bool, argv: list[str]
) -> None:
    assert argv_of(command, shell, launched=launched) == argv


@every_case("expected", ["true", "false", 1, True])
def test_a_flag_is_any_value_that_is_true_in_python(expected: object) -> None:
    step = parse_step("execute", {"command": "x", "shell": expected})
    assert isinstance(step, Execute)
    assert step.shell is True


def test_a_step_keeps_the_order_of_its_files() -> None:
    files = [{"url": f"https://a.org/{n}", "path": f"/{n}"} for n in range(3)]
    step = parse_step("download", {"files": files})
    assert isinstance(step, Download)
    assert [file.path for file in step.files] == ["/0", "/1", "/2"]


CELL = {"type": "check_cell", "sheet_idx": 0, "coordinate": "A1",
        "props": {"value": {"method": "eq", "ref": "Total"}}}  # fmt: skip
BOOK = {"type": "vm_file", "path": "/home/user/a.xlsx", "dest": "a.xlsx"}


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        ("compare_table", {"rules": [CELL]}),
        ("check_palette_and_structure_sim", {}),
    ],
)
def test_a_metric_without_expected_loads_without_it(
    metric: str, options: dict[str, Any], tmp_path: Path
) -> None:
    evaluator = {"func": metric, "result": BOOK, "options": options}
    assert not problems_of(write(tmp_path, task(evaluator=evaluator)))
    several = {"func": [metric], "result": [BOOK], "options": [options]}
    assert not problems_of(write(tmp_path, task(evaluator=several)))


def test_a_metric_that_needs_expected_is_refused_without_it(tmp_path: Path) -> None:
    evaluator = {"func": "compare_docx_files", "result": BOOK}
    (problem,) = problems_of(write(tmp_path, task(evaluator=evaluator)))
    assert "compare_docx_files needs something to compare with" in problem


@needs_osworld
@pytest.mark.skipif(not OURS, reason="the metrics are not all written")
def test_the_oddities_are_those_of_the_files(found: list[OSWorldTask]) -> None:
    expected = {(oddity.kind, task_.name) for task_ in found for oddity in task_.oddities}
    assert ("pipe in a list", "vs_code-0512bb38") in expected
    assert ("one name twice", "multi_apps-74d5859f") in expected
    assert ("window not opened", "libreoffice_writer-936321ce") in expected
    assert ("colon in a key", "gimp-7b7617bd") in expected
    assert ("no config", "os-c288e301") in expected
    assert ("literal place", "libreoffice_impress-550ce7e7") in expected
    texts = {name for kind, name in expected if kind == "text for a flag"}
    assert texts >= {"multi_apps-2373b66a", "multi_apps-716a6079", "multi_apps-82e3c869"}
    swapped = {name for kind, name in expected if kind == "roles swapped"}
    assert swapped == {"multi_apps-185f29bd", "multi_apps-4c26e3f3"}
