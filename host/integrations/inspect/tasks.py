"""Suites as tasks of Inspect: `inspect eval ambidex/demo`. Loaded through its entry point, so
everything heavy is imported when a task is made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from anyio.to_thread import run_sync
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.hooks import Hooks, RunEnd, hooks
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

if TYPE_CHECKING:
    from ambidex.host.integrations.inspect.model import InspectModel
    from ambidex.host.integrations.inspect.trials import InspectRun
    from ambidex.host.records.config import Condition, Policy
    from ambidex.host.records.rows import Row

__all__ = ["EndMachines", "demo", "judge", "suite", "trial"]

ROW = "ambidex:row"
"""The key in a sample's store under which the trial's row is."""
OPEN: list[InspectRun] = []
"""The runs whose machines end with the evaluation: Inspect has no other place for them."""


class FailedTrialError(Exception):
    """The trial has no score; the message says why. Inspect may retry the sample."""


@task
def suite(
    path: str,
    condition: Condition = "hybrid",
    exposure: Policy | None = None,
    top: int = 20,
    steps: int = 15,
    runs: int = 1,
    tasks: str | list[str] = "",
    provider: str = "libvirt",
    image: str = "debian-12",
    machines: int = 1,
    network: bool = False,
    images: int = 3,
    settle: float = 5.0,
    out: str = "",
) -> Task:
    """A suite at a path: a directory of tasks, or a checkout of OSWorld or MCPMark. `tasks` names
    some of them, separated by commas; the other parameters are the options of `ambidex run`.

    As there, epoch n plays the instance of trial n. A sample's input is the instruction of the
    first instance, and its messages have that of the one that was played."""
    from ambidex.host import Limits
    from ambidex.host.errors import UsageError
    from ambidex.host.integrations.inspect.trials import InspectRun
    from ambidex.host.models.exposure import exposure_of
    from ambidex.host.records.config import ModelConfig, RunOptions
    from ambidex.host.runs.launch import RunRequest, check, default_folder
    from ambidex.host.runs.machines import MachineOptions
    from ambidex.host.runs.offers import default_exposure
    from ambidex.host.runs.runner import plan
    from ambidex.tasks.catalogue import read_catalogue
    from ambidex.tasks.livemcpbench.body import KeyPointBody
    from ambidex.tasks.load import load_suite
    from ambidex.tasks.survey import Selection

    catalogue = read_catalogue()
    # Inspect's command line makes a list of a text with commas.
    names = tuple(filter(None, tasks.split(",") if isinstance(tasks, str) else tasks))
    loaded = load_suite(Path(path), catalogue, selection=Selection(names))
    if any(isinstance(each.body, KeyPointBody) for each in loaded.tasks):
        raise UsageError("tasks that a jury judges after the run cannot be samples of Inspect")
    model = ModelConfig(name="inspect", images=images)
    shown = (
        exposure_of(exposure, top)
        if exposure
        else default_exposure(loaded, catalogue, condition, model, image, top=top)
    )
    request = RunRequest(
        suite=loaded,
        agents=("model",),
        jobs=plan(("model",), runs, loaded),
        limits=Limits(steps),
        catalogue=catalogue,
        condition=condition,
        options=RunOptions(runs=runs, settle=settle),
        exposure=shown,
        model=model,
    )
    options = MachineOptions(provider=provider, image=image, machines=machines, network=network)
    check(request, options)
    folder = Path(out) if out else default_folder(loaded, ("inspect",), condition)
    run = InspectRun(request, folder, options)
    samples = [
        Sample(
            id=each.name,
            input=each.spec.instruction,
            metadata={"tool_beneficial": each.spec.tool_beneficial, "domain": each.domain},
        )
        for each in loaded.tasks
    ]
    figures = ["accuracy", "score", *([] if condition == "gui" else ["tir"]), "acs"]
    return Task(
        name=loaded.name,
        dataset=MemoryDataset(samples, name=loaded.name, location=str(loaded.folder)),
        solver=trial(run),
        scorer=judge(),
        metrics={figure: [mean()] for figure in figures},
        epochs=runs,
    )


@task
def demo(**parameters: Any) -> Task:
    """The demo suite: ten tasks on a desktop. The parameters are those of `suite`, without path."""
    from ambidex.host import ROOT

    return suite(str(ROOT / "tasks" / "demo"), **parameters)


@solver
def trial(run: InspectRun) -> Solver:
    """Plays a trial on one of the run's machines. The agent is our agent `model`, with the prompts
    and the dialect `functions`; Inspect's model answers it."""
    from ambidex.host.integrations.inspect.model import InspectModel
    from ambidex.host.loop.episode import InterruptedEpisodeError

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if run not in OPEN:
            OPEN.append(run)
        model = InspectModel(str(state.model))
        row: Row | None = None
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(_cancel_with_sample, model)
                row = await run_sync(run.play, str(state.sample_id), state.epoch, model)
                group.cancel_scope.cancel()
        except* InterruptedEpisodeError:
            if model.limit:
                raise model.limit from None
            raise
        finally:
            if row is None:  # perhaps the evaluation was interrupted, which no hook is told
                with anyio.CancelScope(shield=True):
                    await run_sync(run.close_unused)
        assert row
        state.messages, state.output = model.messages or state.messages, model.output
        state.store.set(ROW, row.model_dump(mode="json"))
        state.completed = True
        if row.fate != "scored":
            failure = row.failure
            raise FailedTrialError(f"{row.fate}: {failure.message if failure else ''}")
        return state

    return solve


async def _cancel_with_sample(model: InspectModel) -> None:
    """Cancel the model's request when the sample is cancelled: the trial's thread cannot be."""
    try:
        await anyio.sleep_forever()
    finally:
        model.cancel()


@scorer(metrics=[mean()])
def judge() -> Scorer:
    """Our judge's verdict on the evidence of the trial: whether the task was solved (accuracy), the
    score, whether it was solved with tools if and only if they help (TIR), and the steps (ACS)."""
    from ambidex.host.integrations.inspect.log import facts_of
    from ambidex.host.records.rows import Row

    async def score(state: TaskState, target: Target) -> Score | None:
        stored = state.store.get(ROW)
        if stored is None:
            return None
        row: Row = Row.model_validate(stored)
        value: dict[str, str | int | float | bool | None] = {
            "accuracy": float(row.success),
            "score": row.score,
            "tir": float(row.chosen_well),
            "acs": row.steps,
        }
        if row.condition == "gui":
            del value["tir"]
        return Score(value=value, explanation=row.reason, metadata=facts_of(row))

    return score


@hooks(name="ambidex_machines", description="Ends the machines of Ambidex's tasks.")
class EndMachines(Hooks):
    """Ends the machines after an evaluation."""

    def enabled(self) -> bool:
        """Only if there are any."""
        return bool(OPEN)

    async def on_run_end(self, data: RunEnd) -> None:
        """End them."""
        while OPEN:
            await run_sync(OPEN.pop().close)
