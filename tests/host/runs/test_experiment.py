"""Experiment files: the runs they describe, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from ambidex.host import ROOT, Limits
from ambidex.host.errors import UsageError
from ambidex.host.records.jury import Jury
from ambidex.host.runs.experiment import cells, read_experiment
from ambidex.host.runs.launch import RunRequest, check
from ambidex.host.runs.machines import MachineOptions
from ambidex.host.runs.runner import plan
from ambidex.tasks import Suite
from ambidex.tasks.load import load_suite
from tests.support.peer import CATALOGUE
from tests.support.served import ALL

SANDBOX = MachineOptions(provider="sandbox")
TEXT = """
suite = "suite"
conditions = ["gui", "hybrid"]
steps = [50, 15]
runs = 2

[[exposures]]
label = "app"
policy = "app"

[[exposures]]
label = "few"
policy = "named"
distractors = 2

[[agents]]
label = "toy"
[agents.model]
name = "toy"
dialect = "paper"

[[agents]]
label = "nothing"
agent = "says_done"
"""


@pytest.fixture
def file(suite: Suite) -> Path:
    path = suite.folder.parent / "mine.toml"
    path.write_text(TEXT)
    return path


def test_a_jury_is_a_table_of_the_file_and_judges_every_run(file: Path) -> None:
    file.write_text(f'{TEXT}\n[jury]\njudges = ["a", "b"]\nform = "status"\n')
    runs = cells(read_experiment(file), file.parent, CATALOGUE, forks=False)
    assert {cell.request.options.jury for cell in runs} == {Jury(judges=("a", "b"), form="status")}


def test_every_combination_is_a_run_and_gui_has_no_exposures(file: Path) -> None:
    runs = cells(read_experiment(file), file.parent, CATALOGUE, forks=False)
    assert [cell.name for cell in runs if cell.name.startswith("toy")] == [
        "toy.gui.15",
        "toy.gui.50",
        "toy.hybrid.app.15",
        "toy.hybrid.app.50",
        "toy.hybrid.few.15",
        "toy.hybrid.few.50",
    ]
    assert len(runs) == 12
    assert {len(cell.request.jobs) for cell in runs} == {4}, "two tasks, two trials"
    few = next(cell.request for cell in runs if cell.name == "toy.hybrid.few.15")
    assert (few.exposure.distractors, few.limits.steps, few.checkpoints) == (2, 15, ())
    assert few.model is not None
    assert few.model.dialect == "paper"


def test_where_machines_fork_smaller_limits_are_interim_verdicts_of_one_run(file: Path) -> None:
    runs = cells(read_experiment(file), file.parent, CATALOGUE, forks=True)
    assert [cell.name for cell in runs if cell.name.startswith("nothing")] == [
        "nothing.gui.50",
        "nothing.hybrid.app.50",
        "nothing.hybrid.few.50",
    ]
    assert {(cell.request.limits.steps, cell.request.checkpoints) for cell in runs} == {(50, (15,))}


def test_checkpoints_where_machines_do_not_fork_are_refused_before_any_machine(file: Path) -> None:
    file.write_text('checkpoints = "always"\n' + TEXT)
    request = cells(read_experiment(file), file.parent, CATALOGUE, forks=False)[0].request
    with pytest.raises(UsageError, match="sandbox cannot"):
        check(request, SANDBOX)
    check(request, MachineOptions())


def test_an_invalid_item_does_not_make_its_list_too_short(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text('suite = "s"\nsteps = [0]\n[[agents]]\nlabel = "a"\nagnt = "says_done"\n')
    with pytest.raises(UsageError) as refused:
        read_experiment(file)
    assert str(refused.value) == (
        f"{file}: agents[0].agnt: unknown key (value 'says_done');"
        " steps[0]: must be at least 1, not 0"
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('policy = "app"', 'policy = "best"', r"exposures\[0\].policy"),
        ("runs = 2", "runs = 0", "runs"),
        ("runs = 2", "rans = 2", "rans"),
        ('label = "nothing"', 'label = "toy"', "agents lists toy twice"),
        ("[50, 15]", "[15, 15]", "steps lists 15 twice"),
        ('label = "nothing"', 'label = "no/thing"', r"agents\[1\].label"),
        ("[[agents]]", "[agents", "not valid TOML"),
    ],
)
def test_wrong_keys_of_an_experiment_are_named(
    file: Path, old: str, new: str, message: str
) -> None:
    file.write_text(TEXT.replace(old, new))
    with pytest.raises(UsageError, match=message):
        read_experiment(file)


def test_a_missing_experiment_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read the experiment .*none\.toml"):
        read_experiment(tmp_path / "none.toml")


@pytest.mark.parametrize("name", ["table-1", "keyless"])
def test_the_examples_are_experiments(name: str) -> None:
    path = Path("examples") / f"{name}.toml"
    experiment = read_experiment(path)
    assert experiment.suite == "../tasks/demo"
    for agent in experiment.agents:
        assert agent.model is not None


def test_an_agent_without_the_model_it_needs_is_refused(file: Path) -> None:
    file.write_text(
        TEXT.replace('agent = "says_done"', 'agent = "planner"\n[agents.model]\nname = "m"')
    )
    runs = cells(read_experiment(file), file.parent, CATALOGUE, forks=False)
    with pytest.raises(UsageError, match="planner needs a grounder"):
        check(runs[-1].request, SANDBOX)


def test_a_planner_in_a_dialect_that_names_points_is_refused(file: Path) -> None:
    models = '[agents.model]\nname = "m"\ndialect = "openai"\n[agents.grounder]\nname = "g"'
    file.write_text(TEXT.replace('agent = "says_done"', f'agent = "planner"\n{models}'))
    runs = cells(read_experiment(file), file.parent, CATALOGUE, forks=False)
    with pytest.raises(UsageError, match="openai names points"):
        check(runs[-1].request, SANDBOX)


def test_an_unknown_dialect_is_refused(file: Path) -> None:
    file.write_text(TEXT.replace('dialect = "paper"', 'dialect = "esperanto"'))
    runs = cells(read_experiment(file), file.parent, CATALOGUE, forks=False)
    with pytest.raises(UsageError, match="unknown dialect: 'esperanto'"):
        check(runs[0].request, SANDBOX)


SEVERAL = """
suite = "suite"
conditions = ["tools"]
runs = 4
efforts = ["low", "high"]

[[task_sets]]
label = "sheets"
tasks = ["cell"]

[[task_sets]]
label = "limits"
tasks = ["impossible"]

[[agents]]
label = "one"
[agents.model]
name = "toy-1"

[[agents]]
label = "two"
[agents.model]
name = "toy-2"

[[agents]]
label = "nothing"
agent = "says_done"
"""


def test_models_efforts_and_sets_of_tasks_each_have_a_run_of_their_own(file: Path) -> None:
    file.write_text(SEVERAL)
    runs = cells(read_experiment(file), file.parent, CATALOGUE, forks=False)
    assert [cell.name for cell in runs] == [
        "one.low.tools.sheets.15",
        "one.low.tools.limits.15",
        "one.high.tools.sheets.15",
        "one.high.tools.limits.15",
        "two.low.tools.sheets.15",
        "two.low.tools.limits.15",
        "two.high.tools.sheets.15",
        "two.high.tools.limits.15",
        "nothing.tools.sheets.15",
        "nothing.tools.limits.15",
    ]
    high = runs[2].request
    assert high.model is not None
    assert (high.model.name, high.model.effort) == ("toy-1", "high")
    assert [job.task for job in high.jobs] == ["cell"] * 4
    assert runs[2].plan.trials == ("cell.1", "cell.2", "cell.3", "cell.4")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("runs = 4", 'tasks = ["cell"]', "tasks and task_sets"),
        ('name = "toy-1"', 'name = "toy-1"\neffort = "low"', "the agent one contradict"),
        ('"low", "high"', '"low", "low"', "efforts lists low twice"),
        ('label = "limits"', 'label = "sheets"', "task_sets lists sheets twice"),
        ('"low", "high"', '"some"', r"efforts\[0\]"),
    ],
)
def test_contradicting_keys_of_an_experiment_are_named(
    file: Path, old: str, new: str, message: str
) -> None:
    file.write_text(SEVERAL.replace(old, new))
    with pytest.raises(UsageError, match=message):
        read_experiment(file)


def test_an_effort_that_a_model_does_not_take_is_refused_before_any_machine(file: Path) -> None:
    file.write_text(SEVERAL.replace('name = "toy-2"', 'name = "gpt-4o"'))
    runs = cells(read_experiment(file), file.parent, CATALOGUE, forks=False)
    with pytest.raises(UsageError, match="gpt-4o cannot be asked for the effort low"):
        check(runs[4].request, SANDBOX)


def test_a_task_on_a_service_is_refused_on_an_image_without_it(tmp_path: Path) -> None:
    suite = load_suite(ROOT / "tasks" / "services", ALL, ("database-overdue",))
    request = RunRequest(suite, ("says_done",), plan(("says_done",), 1, suite), Limits(), ALL)
    with pytest.raises(UsageError, match=r"database-overdue needs the service database"):
        check(request, MachineOptions())
    check(request, MachineOptions(image="debian-13-services"))


def test_a_task_that_needs_a_network_is_refused_on_guests_without_one(tmp_path: Path) -> None:
    (tmp_path / "suite" / "news").mkdir(parents=True)
    (tmp_path / "suite" / "news" / "task.toml").write_text(
        'instruction = "Read the news."\ntool_beneficial = false\nnetwork = true\n'
        'check = [{ use = "answer.states", with = { facts = [["rain"]] } }]\n'
    )
    suite = load_suite(tmp_path / "suite", ALL)
    request = RunRequest(suite, ("says_done",), plan(("says_done",), 1, suite), Limits(), ALL)
    with pytest.raises(UsageError, match="the task news needs a network"):
        check(request, MachineOptions())
    with pytest.raises(UsageError, match="a sandbox has no network"):
        check(request, MachineOptions(provider="sandbox", network=True))
    check(request, MachineOptions(network=True))
