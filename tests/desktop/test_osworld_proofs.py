"""OSWorld's own tasks on a real desktop: solved by their oracles they score 1, untouched 0.

One task of each application. All that have an oracle: `ambidex prove`, see docs/osworld.md.
"""

from collections.abc import Mapping, Sequence

import pytest

from ambidex.host import Limits
from ambidex.host.agents import agent_maker
from ambidex.host.cli.assets import import_
from ambidex.host.models.prices import read_prices
from ambidex.host.records.config import adopt, locked
from ambidex.host.runs.launch import RunRequest, config_of
from ambidex.host.runs.machines import Source
from ambidex.host.runs.prove import Claim, jobs, verdicts
from ambidex.host.runs.runner import run_jobs
from ambidex.tasks import Suite
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite
from ambidex.tasks.osworld.annotations import Notes, format_notes, read_notes
from ambidex.tasks.survey import Selection
from tests.support.osworld import OSWORLD, needs_osworld
from tests.tasks.osworld.standins import ORACLES, OWN, write

pytestmark = needs_osworld

PROVED = (
    "chrome-2ad9387a",
    "os-f9be0997",
    "gimp-72f83cdc",
    "libreoffice_calc-12382c62",
    "libreoffice_impress-21760ecb",
    "libreoffice_writer-0b17a146",
    "multi_apps-ee9a3c83",
    "vlc-8d9fd4e2",
    "vs_code-0ed39f63",
)


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    folder = tmp_path_factory.mktemp("osworld")
    write(OSWORLD, folder / "data")
    import_(folder / "data", OSWORLD, store=folder / "store")
    both = Notes(tasks={**read_notes(OWN).tasks, **read_notes(ORACLES).tasks})
    notes = folder / "notes.toml"
    notes.write_text(format_notes(both), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AMBIDEX_ASSETS", str(folder / "store"))
        return load_suite(OSWORLD, read_catalogue(), selection=Selection(PROVED, annotations=notes))


@pytest.fixture(scope="module")
def found(
    suite: Suite, machines: Source, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, Sequence[Claim]]:
    """What became of every claim, by the task."""
    todo = jobs(suite)
    request = RunRequest(
        suite=suite,
        agents=tuple(sorted({job.agent for job in todo})),
        jobs=todo,
        limits=Limits(steps=50),
        catalogue=read_catalogue(),
    )
    config = config_of(request, read_prices())
    run = tmp_path_factory.mktemp("run") / "run"
    with locked(run):
        adopt(run, config)
        make = agent_maker(config, lambda asked: pytest.fail("no model here"))
        rows = run_jobs(todo, config, suite, run, machines.make, make)
    by_task: dict[str, list[Claim]] = {}
    for each in verdicts(suite, rows):
        by_task.setdefault(each.job.task, []).append(each)
    return by_task


@pytest.mark.parametrize("name", PROVED)
def test_a_task_scores_1_when_it_is_solved_and_0_when_it_is_left_alone(
    found: Mapping[str, Sequence[Claim]], name: str
) -> None:
    claims = found[name]
    assert {claim.expected for claim in claims} == {0.0, 1.0}
    assert not [
        f"{claim.job.agent}: {claim.failure_message}" for claim in claims if not claim.holds
    ]
    rows = [claim.row for claim in claims if claim.row is not None]
    assert [row.strict for row in rows] == [row.score for row in rows], [
        r.strict_reason for r in rows
    ]
