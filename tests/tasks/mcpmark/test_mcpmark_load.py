"""MCPMark's task folders load as they are, and what cannot run here is left out with its reason."""

import json
import shutil
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ambidex.tasks import TaskError
from ambidex.tasks.assets import AssetStore
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite
from ambidex.tasks.mcpmark.body import Command, ProgramBody
from ambidex.tasks.mcpmark.services import read_services
from ambidex.tasks.mcpmark.suite import AT_ONCE, MCPMarkTask, survey
from ambidex.tasks.survey import Selection
from tests.support.mcpmark import ZIP, needs_mcpmark, papers, with_programs, write
from tests.support.peer import CATALOGUE
from tests.support.tables import every_case

PROJECT = Path(__file__).parents[3]
KEYS = ("WA_REDDIT", "WA_SHOPPING")
SECURITY = "postgres/standard/security/audit"


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for key in KEYS:
        monkeypatch.delenv(key, raising=False)
    monkeypatch.setenv("AMBIDEX_ASSETS", str(tmp_path / "store"))


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> list[MCPMarkTask]:
    folder = tmp_path_factory.mktemp("mcpmark")
    return survey(with_programs(folder), read_catalogue(), store=AssetStore(folder / "store"))


def only(folder: Path, **selection: Any) -> MCPMarkTask:
    [task] = survey(folder, CATALOGUE, Selection(**selection))
    return task


def body_of(task: MCPMarkTask) -> ProgramBody:
    assert task.task is not None, task.why_not
    assert isinstance(task.task.body, ProgramBody)
    return task.task.body


def with_state(folder: Path, url: str = ZIP) -> None:
    (folder / "state.zip").write_bytes(b"zip")
    AssetStore(folder / "store").keep(url, folder / "state.zip")


def prepared(folder: Path, place: str = SECURITY, **other: Any) -> Path:
    """A task on a database that a program of its own fills: it needs nothing from elsewhere."""
    task = write(folder, place, **other)
    (task / "prepare_environment.py").write_text("", encoding="utf-8")
    return task


@needs_mcpmark
def test_the_177_public_tasks_load(public: list[MCPMarkTask]) -> None:
    assert [task.why_not for task in public if task.task is None] == []
    assert Counter(task.task_suite for task in public) == {"standard": 127, "easy": 50}
    standard = Counter(task.service for task in public if task.task_suite == "standard")
    assert standard == {
        "filesystem": 30, "notion": 28, "github": 23, "postgres": 21,
        "playwright_webarena": 21, "playwright": 4,
    }  # fmt: skip
    easy = Counter(task.service for task in public if task.task_suite == "easy")
    assert easy == dict.fromkeys(standard.keys() - {"playwright"}, 10)
    assert len({task.name for task in public}) == 177


@needs_mcpmark
def test_the_11_differences_between_ids_and_folders_are_reported(public: list[MCPMarkTask]) -> None:
    differing = [task for task in public if task.difference]
    assert len(differing) == 11
    assert {task.task_suite for task in differing} == {"easy"}
    said = {task.difference for task in differing}
    lessons = "python_roadmap/simple__expert_level_lessons has the id"
    assert f"{lessons} python_roadmap/expert_level_lessons" in said


@needs_mcpmark
def test_each_public_task_says_what_it_needs(public: list[MCPMarkTask]) -> None:
    needs = Counter((task.service, bool(task.needs), bool(task.missing)) for task in public)
    assert needs == {
        ("filesystem", False, True): 40,
        ("github", True, True): 33,
        ("notion", True, False): 38,
        ("playwright", True, False): 4,
        ("playwright_webarena", True, False): 31,
        ("postgres", False, True): 28,
        ("postgres", False, False): 3,
    }


@needs_mcpmark
def test_every_reference_solution_is_of_a_public_task_on_a_database(
    public: list[MCPMarkTask],
) -> None:
    solved = {task.name for task in public if task.task is not None and task.task.spec.oracle}
    solutions = PROJECT / "tasks" / "mcpmark" / "oracles.toml"
    assert solved == tomllib.loads(solutions.read_text(encoding="utf-8")).keys()
    assert {name.partition(".")[0] for name in solved} == {"postgres"}


def test_a_task_is_its_whole_description_and_its_verifier(tmp_path: Path) -> None:
    folder = papers(tmp_path)
    with_state(tmp_path)
    suite = load_suite(tmp_path, CATALOGUE)
    [task] = suite.tasks
    assert (task.name, task.domain) == ("filesystem.easy.papers.counting", "filesystem")
    assert task.spec.instruction == (
        f"# counting\n\nCount the papers.\n\n\nThe test directory is ~/work.\n\n{AT_ONCE}"
    )
    body = task.body
    assert isinstance(body, ProgramBody)
    assert (task.spec.services, task.spec.tool_apps) == ([], ["filesystem"])
    assert (body.program, body.seconds) == ("verify.py", 300)
    assert (body.state.kind, body.state.name, body.state.url) == ("folder", "papers", ZIP)
    assert body.state_file is not None
    assert body.place == "tasks/filesystem/easy/papers/counting"
    assert dict(body.files())[f"{body.place}/verify.py"] == folder / "verify.py"
    assert body.command({"folder": "/srv/papers"}) == Command(
        ["/usr/bin/python3", f"{body.place}/verify.py"],
        {"MCP_MESSAGES": "messages.json"},
        {"FILESYSTEM_TEST_DIR": "/srv/papers"},
    )
    assert body.prepare_command({"folder": "/srv/papers"}) is None


def test_a_value_that_a_verifier_needs_is_named(tmp_path: Path) -> None:
    papers(tmp_path)
    with pytest.raises(ValueError, match="'folder'"):
        body_of(only(tmp_path)).command({})


def test_a_database_task_is_told_its_database(tmp_path: Path) -> None:
    prepared(tmp_path)
    body = body_of(only(tmp_path))
    assert (body.state.kind, body.state.files) == ("database", ())
    assert body.state.prepare == "prepare_environment.py"
    names = ("database", *(f"database_{name}" for name in ("host", "port", "user", "password")))
    values = {name: name.upper() for name in names}
    command, prepare = body.command(values), body.prepare_command(values)
    assert prepare is not None
    assert prepare.argv == ["/usr/bin/python3", f"{body.place}/prepare_environment.py"]
    assert prepare.environment == command.environment
    assert command.argv[2:] == ["DATABASE"]
    assert command.environment["POSTGRES_HOST"] == "DATABASE_HOST"
    assert command.environment["DATABASE_URL"] == (
        "postgresql://DATABASE_USER@DATABASE_HOST:DATABASE_PORT/DATABASE"
    )


def test_one_of_several_files_is_enough_for_a_state(tmp_path: Path) -> None:
    write(tmp_path, "postgres/easy/chinook/count")
    first, second = read_services().service["postgres"].files["chinook"]
    assert only(tmp_path).missing == (first.url,)
    with_state(tmp_path, second.url)
    task = only(tmp_path)
    assert task.why_not == ""
    assert body_of(task).state_file == second


@every_case(
    ("change", "expected"),
    [
        ("verify.py", "verify.*: the verifier is missing"),
        ("verify.sh", "verify.*: several verifiers"),
        ("description.md", "description.md is missing"),
        ("meta.json", "meta.json: the file is missing"),
        ({"meta_data": {"stateType": "hologram"}}, "meta_data.stateType"),
        ({"meta_data": {"stateUrl": None}}, "no folder is known as the initial state of papers"),
        ({"task_id": ["x"]}, "task_id"),
        ({"ambidex": {"service": ["files"]}}, "ambidex.service: unknown key"),
        ({"ambidex": {"setup": [{"put": "x", "to": "~/x"}]}}, "ambidex.setup[0].put: no file 'x'"),
        ({"ambidex": {"setup": [{"put": "x"}]}}, "ambidex.setup[0].to: required"),
        ({"ambidex": {"setup": [{"call": "fly"}]}}, "ambidex.setup[0].call: no tool 'fly'"),
        ({"ambidex": {"useful_tools": ["fly"]}}, "ambidex.useful_tools[0]: no tool 'fly'"),
        (b"[" * 1000, "meta.json: JSON nested more than"),
    ],
)
def test_a_task_with_a_problem_is_left_out_by_name(
    tmp_path: Path, change: str | bytes | dict[str, Any], expected: str
) -> None:
    prepared(tmp_path)
    folder = papers(tmp_path, "wrong", **(change if isinstance(change, dict) else {}))
    if isinstance(change, bytes):
        (folder / "meta.json").write_bytes(change)
    elif isinstance(change, str) and (folder / change).exists():
        (folder / change).unlink()
    elif isinstance(change, str):
        (folder / change).touch()
    suite = load_suite(tmp_path, CATALOGUE)
    assert [task.name for task in suite.tasks] == ["postgres.standard.security.audit"]
    [out] = suite.left_out
    assert out.name == "filesystem.easy.papers.wrong"
    assert expected in out.why


def test_a_link_or_a_name_that_leads_elsewhere_is_left_out(tmp_path: Path) -> None:
    prepared(tmp_path)
    (papers(tmp_path, "linked") / "label.txt").symlink_to("/etc/passwd")
    papers(tmp_path, "a.b")
    (tmp_path / "tasks" / "supabase").symlink_to("postgres")
    write(tmp_path, "fax/easy/papers/send")
    suite = load_suite(tmp_path, CATALOGUE)
    why = {out.name: out.why for out in suite.left_out}
    assert "a link is not a file of the task" in why["filesystem.easy.papers.linked"]
    assert "'a.b' is no part of a name" in why["filesystem.easy.papers.a.b"]
    assert "unknown service 'fax'" in why["fax.easy.papers.send"]
    assert len(why) == 3


def test_what_is_not_here_is_left_out_with_what_would_help(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    papers(tmp_path)
    shop = write(tmp_path, "playwright_webarena/easy/reddit/post")
    repository = {"stateType": "url", "stateUrl": "https://github.com/mcpmark-source/harmony"}
    write(tmp_path, "github/easy/harmony/issue", meta_data=repository)
    write(tmp_path, "notion/easy/hub/page")
    write(tmp_path, "playwright/standard/web_search/find")

    def why(**selection: Any) -> dict[str, str]:
        tasks = survey(tmp_path, CATALOGUE, Selection(**selection))
        return {task.service: task.why_not for task in tasks}

    assert why() == {
        "filesystem": "1 of its files are not in the asset store",
        "github": "it needs the network (--net web), GITHUB_TOKENS, GITHUB_EVAL_ORG",
        "notion": (
            "it needs the network (--net web), SOURCE_NOTION_API_KEY, EVAL_NOTION_API_KEY,"
            " NOTION_MCP_URL, NOTION_MCP_TOKEN"
        ),
        "playwright": "it needs the network (--net web)",
        "playwright_webarena": "it needs the network (--net web), WA_REDDIT",
    }
    monkeypatch.setenv("WA_REDDIT", "http://reddit.local")
    assert why(net=["web"])["playwright_webarena"] == ""
    assert "GITHUB_TOKENS" in why(net=["web"])["github"]
    monkeypatch.setenv("GITHUB_TOKENS", "secret")
    monkeypatch.setenv("GITHUB_EVAL_ORG", "trials")
    assert why(net=["web"])["github"] == "1 of its files are not in the asset store"
    for name in ("SOURCE_NOTION_API_KEY", "EVAL_NOTION_API_KEY", "NOTION_MCP_URL"):
        monkeypatch.setenv(name, "given")
    assert why(net=["web"])["notion"] == "it needs NOTION_MCP_TOKEN"
    assert why(tasks=["playwright.standard.web_search.find"]) == {"playwright": ""}
    task = only(tmp_path, net=["web"], service=["playwright_webarena"])
    assert task.task is not None
    assert "The site is at http://reddit.local." in task.task.spec.instruction
    assert body_of(task).environment["WEBARENA_BASE_URL"] == "{WA_REDDIT}"
    assert body_of(task).folder == shop


def test_a_verifier_that_imports_what_no_image_has_is_left_out(tmp_path: Path) -> None:
    folder = prepared(tmp_path)
    lines = ["import csv, psycopg2.extras", "from helper import x"]
    (folder / "helper.py").touch()
    (folder / "verify.py").write_text("\n".join(lines))
    assert only(tmp_path).why_not == ""
    (folder / "verify.py").write_text("def f():\n    from playwright.async_api import Page\n")
    expected = "it needs Python's library playwright for its verifier, which no image has"
    assert only(tmp_path).why_not == expected


def test_a_stored_run_can_be_judged_without_files_and_keys(tmp_path: Path) -> None:
    papers(tmp_path)
    with pytest.raises(TaskError, match="not in the asset store"):
        load_suite(tmp_path, CATALOGUE)
    assert len(load_suite(tmp_path, CATALOGUE, selection=Selection(unready=True)).tasks) == 1


def test_tasks_are_selected_by_service_suite_category_and_name(tmp_path: Path) -> None:
    papers(tmp_path, "counting")
    papers(tmp_path, "counting", "standard")
    papers(tmp_path, "sorting", task_id="sort")
    prepared(tmp_path)

    def names(*tasks: str, **selection: Any) -> list[str]:
        found = survey(tmp_path, CATALOGUE, Selection(tasks, **selection))
        return [f"{task.task_suite}/{task.folder_name}" for task in found]

    assert names(service=["postgres"]) == ["standard/audit"]
    assert names(task_suite=["easy"]) == ["easy/counting", "easy/sorting"]
    assert names(category=["papers"], task_suite=["standard"]) == ["standard/counting"]
    assert names("papers/counting") == ["easy/counting", "standard/counting"]
    assert names("papers/sort") == names("filesystem/papers/sorting") == ["easy/sorting"]
    assert names("filesystem/easy/papers/counting") == ["easy/counting"]
    assert names("filesystem.easy.papers.counting", "postgres") == [
        "easy/counting",
        "standard/audit",
    ]
    assert names(net=["offline"]) == names()
    with pytest.raises(TaskError, match="no task, category or service 'papers/none'"):
        names("papers/none")
    with pytest.raises(TaskError, match="no service 'notion'; available: filesystem, postgres"):
        names(service=["notion"])
    with pytest.raises(TaskError, match="--list, --annotations: not for MCPMark's tasks"):
        names(list=tmp_path, annotations=tmp_path)


def test_the_hash_covers_all_files_that_the_verifier_needs(tmp_path: Path) -> None:
    folder = prepared(tmp_path)

    def now() -> str:
        task = only(tmp_path).task
        assert task is not None
        return task.hash

    hashes = [now()]
    for path in (folder / "verify.py", folder / "truth.sql", folder.parent / "shared.py"):
        path.write_text(f"print({path.name!r})", encoding="utf-8")
        hashes.append(now())
    assert len({*hashes}) == 4
    body = body_of(only(tmp_path))
    assert "tasks/postgres/standard/security/shared.py" in dict(body.files())
    shutil.copytree(tmp_path / "tasks", tmp_path / "copy" / "tasks")
    copy = only(tmp_path / "copy").task
    assert copy is not None
    assert copy.hash == hashes[-1]


def test_a_task_of_our_own_has_a_setup_and_solutions(tmp_path: Path) -> None:
    calls = [{"call": "calc_save"}]
    own = {
        "services": ["database"],
        "tool_apps": ["filesystem", "browser"],
        "setup": [{"put": "a.txt", "to": "~/a.txt"}],
        "useful_tools": ["calc_save"],
        "oracle": [{"by": "tools", "calls": calls}],
        "near_miss": [{"reason": "nothing", "calls": []}],
    }
    folder = papers(tmp_path, meta_data={}, ambidex=own)
    (folder / "a.txt").write_text("a", encoding="utf-8")
    [task] = load_suite(tmp_path, CATALOGUE).tasks
    assert [oracle.by for oracle in task.spec.oracle] == ["tools"]
    assert [miss.reason for miss in task.spec.near_miss] == ["nothing"]
    assert task.spec.useful_tools == ["calc_save"]
    body = task.body
    assert isinstance(body, ProgramBody)
    assert task.spec.services == ["database"]
    assert task.spec.tool_apps == ["filesystem", "browser"]
    assert len(body.setup) == 1
    assert set(body.environment) == {"MCP_MESSAGES", "PLAYWRIGHT_WORK_DIR"}
    assert set(body.folders) == {"FILESYSTEM_TEST_DIR"}
    assert json.loads((folder / "meta.json").read_text())["task_id"] == "counting"
