"""OSWorld's own task files load as they are, and what is odd in them is named."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ambidex.evaluators.osworld.registry import metrics
from ambidex.tasks import TaskError
from ambidex.tasks.load import load_suite
from ambidex.tasks.osworld.assets import AssetStore
from ambidex.tasks.osworld.getters import GETTERS
from ambidex.tasks.osworld.network import net_of
from ambidex.tasks.osworld.setup_steps import STEPS, Download, Execute, argv_of, parse_step
from ambidex.tasks.osworld.suite import Selection, SurveyedTask, survey
from ambidex.tasks.osworld.task import OSWorldBody
from tests.host.peer import CATALOGUE
from tests.tasks.osworld import ASSETS, ID, OSWORLD, SHARED, needs_osworld, task, write

ALL_METRICS = 111
OURS = len(metrics()) >= ALL_METRICS
"""Whether the metrics are written, so that every question can be bound."""


@pytest.fixture(scope="module")
def found() -> list[SurveyedTask]:
    return survey(OSWORLD, CATALOGUE)


@pytest.fixture(scope="module")
def index() -> dict[str, dict[str, Any]]:
    return {task["id"]: task for task in json.loads((OSWORLD / "task_index.json").read_text())}


@needs_osworld
def test_every_task_file_loads(found: list[SurveyedTask], index: dict[str, dict[str, Any]]) -> None:
    assert {each.id for each in found} == index.keys()
    unbound = [str(p) for each in found for p in each.problems if "no metric" not in p.message]
    assert not unbound
    if OURS:
        assert [each.name for each in found if each.task is None] == []


@needs_osworld
def test_steps_getters_and_metrics_agree_with_the_index(index: dict[str, dict[str, Any]]) -> None:
    for path in OSWORLD.glob("examples/*/*.json"):
        said, known = json.loads(path.read_text()), index[path.stem]
        steps = [each["type"] for each in said.get("config", ())]
        assert sorted(set(steps)) == known["setup"], path
        assert set(steps) <= STEPS
        asked = {kind for key in ("result", "expected") for kind in known[key]}
        assert asked <= GETTERS, path
        func = said["evaluator"]["func"]
        assert sorted({func} if isinstance(func, str) else set(func)) == sorted(
            set(known["metrics"])
        )


@needs_osworld
def test_assets_and_feasibility_agree_with_the_index(
    found: list[SurveyedTask], index: dict[str, dict[str, Any]]
) -> None:
    for each in found:
        if each.task is not None:
            known = index[each.id]
            assert each.task.spec.feasible is not known["infeasible"], each.name
            body = each.task.body
            assert isinstance(body, OSWorldBody)
            assert {url.partition("?")[0] for url in body.urls} == {
                url.partition("?")[0] for url in known["assets"]
            }, each.name


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


def test_there_are_13_kinds_of_step_and_47_getters() -> None:
    assert len(STEPS) == 13
    assert len(GETTERS) == 47


@needs_osworld
def test_a_task_that_needs_no_network_is_not_said_to_need_one(
    index: dict[str, dict[str, Any]],
) -> None:
    said: Counter[tuple[str, str]] = Counter()
    for path in OSWORLD.glob("examples/*/*.json"):
        net = net_of(json.loads(path.read_text()))
        said[index[path.stem]["net"], net] += 1
        if index[path.stem]["net"] == "offline":
            assert net in ("offline", "prebake"), path
    # Not the other way round: some tasks ask for a site in words, and name no address.
    assert {net for known, net in said if known == "gdrive"} == {"gdrive"}
    assert {net for known, net in said if known == "stub"} == {"web"}


def problems_of(folder: Path) -> list[str]:
    return [each for one in survey(folder, CATALOGUE) for each in map(str, one.problems)]


@pytest.mark.parametrize(
    ("change", "said"),
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
def test_a_problem_is_named_with_its_place(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    found = problems_of(write(tmp_path, task(**change)))
    assert any(said in each for each in found), found


def test_one_bad_file_does_not_stop_the_others(tmp_path: Path) -> None:
    write(tmp_path, task())
    other = "9999ffff-0000-4000-8000-000000000000"
    write(tmp_path, task(id=other, config=[{"type": "dance", "parameters": {}}]))
    write(tmp_path, {"id": "no"}, id="8888ffff")
    (tmp_path / "examples" / "os" / "7777ffff.json").write_text("{")
    suite = load_suite(tmp_path, CATALOGUE)
    assert [each.name for each in suite.tasks] == ["os-0123abcd"]
    assert [each.name for each in suite.left_out] == ["os-7777ffff", "os-8888ffff", "os-9999ffff"]
    assert "unknown step 'dance'" in suite.left_out[2].why


def test_nothing_that_can_run_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, task(config=[{"type": "dance", "parameters": {}}]))
    with pytest.raises(TaskError, match="unknown step 'dance'"):
        load_suite(tmp_path, CATALOGUE)


def test_a_task_that_lacks_an_asset_is_left_out_and_says_so(tmp_path: Path) -> None:
    files = [{"url": f"{ASSETS}os/x/a.txt", "path": "/home/user/a.txt"}]
    write(tmp_path, task(config=[{"type": "download", "parameters": {"files": files}}]))
    store = AssetStore(tmp_path / "store")
    [each] = survey(tmp_path, CATALOGUE, store=store)
    assert each.missing == (f"{ASSETS}os/x/a.txt",)
    assert each.why_not == "1 of its files are not in the asset store"
    store.keep(f"{ASSETS}os/x/a.txt", tmp_path / "examples" / "os" / f"{ID}.json")
    [each] = survey(tmp_path, CATALOGUE, store=store)
    assert each.why_not == ""


def test_tasks_are_chosen_by_name_domain_id_list_and_network(tmp_path: Path) -> None:
    ids = [f"{number}abc{number}def-0000-4000-8000-000000000000" for number in range(3)]
    visit = {"type": "chrome_open_tabs", "parameters": {"urls_to_open": ["https://site.org"]}}
    write(tmp_path, task(id=ids[0]), "os")
    write(tmp_path, task(id=ids[1]), "vlc")
    write(tmp_path, task(id=ids[2], config=[visit]), "chrome")
    (tmp_path / "list.json").write_text(json.dumps({"os": ids[:1], "chrome": ids[2:]}))

    def names(*tasks: str, **other: Any) -> list[str]:
        return [each.domain for each in survey(tmp_path, CATALOGUE, Selection(tasks, **other))]

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


def test_a_list_that_names_what_is_not_there_is_wrong(tmp_path: Path) -> None:
    write(tmp_path, task())
    (tmp_path / "list.json").write_text(json.dumps({"os": [ID, "else"]}))
    with pytest.raises(TaskError, match="else is not in"):
        survey(tmp_path, CATALOGUE, Selection(list=tmp_path / "list.json"))


def test_lists_are_for_osworlds_tasks_alone(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(TaskError, match="apply to OSWorld's tasks only"):
        load_suite(tmp_path, CATALOGUE, selection=Selection(net=("offline",)))


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("said", ["true", "false", 1, True])
def test_a_flag_is_whatever_is_true_to_python(said: object) -> None:
    step = parse_step("execute", {"command": "x", "shell": said})
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
def test_a_metric_that_needs_nothing_to_compare_with_loads_without(
    metric: str, options: dict[str, Any], tmp_path: Path
) -> None:
    evaluator = {"func": metric, "result": BOOK, "options": options}
    assert not problems_of(write(tmp_path, task(evaluator=evaluator)))
    several = {"func": [metric], "result": [BOOK], "options": [options]}
    assert not problems_of(write(tmp_path, task(evaluator=several)))


def test_a_metric_that_compares_is_refused_without_anything_to_compare_with(tmp_path: Path) -> None:
    evaluator = {"func": "compare_docx_files", "result": BOOK}
    (problem,) = problems_of(write(tmp_path, task(evaluator=evaluator)))
    assert "compare_docx_files needs something to compare with" in problem


@needs_osworld
@pytest.mark.skipif(not OURS, reason="the metrics are not all written")
def test_what_was_tolerated_is_what_the_files_hold(found: list[SurveyedTask]) -> None:
    said = {(oddity.kind, each.name) for each in found for oddity in each.oddities}
    assert ("pipe in a list", "vs_code-0512bb38") in said
    assert ("one name twice", "multi_apps-74d5859f") in said
    assert ("window not opened", "libreoffice_writer-936321ce") in said
    assert ("colon in a key", "gimp-7b7617bd") in said
    assert ("no config", "os-c288e301") in said
    assert ("literal place", "libreoffice_impress-550ce7e7") in said
    texts = {name for kind, name in said if kind == "text for a flag"}
    assert texts >= {"multi_apps-2373b66a", "multi_apps-716a6079", "multi_apps-82e3c869"}
    swapped = {name for kind, name in said if kind == "roles swapped"}
    assert swapped == {"multi_apps-185f29bd", "multi_apps-4c26e3f3"}
