"""Starting a run: its configuration is made once, its directory locked, its machines opened and
closed."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from host import Limits, ToolSpec
from host.agents import MODELS, agent_maker, check_agent
from host.config import (
    LONGEST_SETTLE,
    MOST_RUNS,
    Condition,
    Exposure,
    Fork,
    Job,
    Keep,
    ModelConfig,
    RunConfig,
    adopt,
    bounded,
    installed_version,
    locked,
    read_config,
)
from host.dialects import check_dialect
from host.errors import UsageError
from host.exposure import check_exposure
from host.machines import FORKS, MachineOptions, Source, open_machines
from host.model import LiteModel
from host.prices import Prices, read_prices
from host.prompts import prompts_hash
from host.rows import NAME as RESULTS
from host.rows import Row, finished, read_rows
from host.runner import run_jobs
from host.show import Show
from tasks import Suite

__all__ = [
    "Play",
    "Wanted",
    "all_done",
    "catalogue_hash",
    "check",
    "config_of",
    "default_folder",
    "launch",
    "left_out",
    "on_machines",
    "refuse_another_image",
    "refuse_unforked",
]

Play = Callable[["Wanted", Path], list[Row]]
"""Runs what is not done yet in a directory and returns all its rows."""


ALL = Exposure()


@dataclass(frozen=True)
class Wanted:
    """What is to be run, before it is known on what."""

    suite: Suite
    agents: tuple[str, ...]
    jobs: tuple[Job, ...]
    condition: Condition
    runs: int
    limits: Limits
    settle: float
    seed: int
    catalogue: Mapping[str, ToolSpec]
    exposure: Exposure = ALL
    checkpoints: tuple[int, ...] = ()
    keep: Keep | None = None
    fork: Fork | None = None
    model: ModelConfig | None = None
    grounder: ModelConfig | None = None
    prices: Path | None = None
    """A price table of one's own."""
    threshold: float = 1.0
    literal_sleeps: bool = False

    def __post_init__(self) -> None:
        for name, value, least, most in (
            ("runs", self.runs, 1, MOST_RUNS),
            ("settle", self.settle, 0, LONGEST_SETTLE),
            ("threshold", self.threshold, 0, 1),
        ):
            if not least <= value <= most:  # NaN is in no range
                raise UsageError(f"{name} is {value}, and goes from {least} to {most:g}")
        try:
            bounded(self.limits)
        except ValueError as error:
            raise UsageError(str(error)) from None


def launch(wanted: Wanted, folder: Path, options: MachineOptions) -> list[Row]:
    """Run what is not done yet in `folder` and return all its rows."""
    _ready(wanted, options)
    with ExitStack() as stack:
        stack.enter_context(locked(folder))
        show = stack.enter_context(Show(len(wanted.jobs), _title(wanted)))
        source = stack.enter_context(open_machines(options, show.said))
        return _run(wanted, folder, source, options.machines, show)


@contextmanager
def on_machines(options: MachineOptions) -> Iterator[Play]:
    """Runs, one after another, on machines that stay; none is made before the first run that has
    something to do."""
    with ExitStack() as stack:
        opened: list[Source] = []

        def play(wanted: Wanted, folder: Path) -> list[Row]:
            _ready(wanted, options)
            if done := all_done(wanted, folder):
                return done
            with locked(folder), Show(len(wanted.jobs), _title(wanted)) as show:
                if not opened:
                    opened.append(stack.enter_context(open_machines(options, show.said)))
                return _run(wanted, folder, opened[0], options.machines, show)

        yield play


def _ready(wanted: Wanted, options: MachineOptions) -> None:
    check(wanted, options.provider)
    for model in (wanted.model, wanted.grounder):
        if model is not None and model.key and not os.environ.get(model.key):
            raise UsageError(f"the environment variable {model.key} with the key is not set")


def all_done(wanted: Wanted, folder: Path) -> list[Row]:
    """The rows in `folder`, if every trial that is wanted has a score there."""
    rows = read_rows(folder) if (folder / RESULTS).is_file() else []
    return rows if {job.key for job in wanted.jobs} <= finished(rows).keys() else []


def _run(wanted: Wanted, folder: Path, source: Source, machines: int, show: Show) -> list[Row]:
    prices = read_prices(wanted.prices)
    config = config_of(wanted, prices, source)
    if wanted.fork:
        refuse_another_image(Path(wanted.fork.run), source.image)
    for said in left_out(wanted.suite):
        show.said(said)
    if adopt(folder, config):
        show.said(f"going on with the run in {folder}")
    return run_jobs(
        wanted.jobs,
        config,
        wanted.suite,
        folder,
        source.make,
        agent_maker(config, lambda asked: LiteModel(asked, prices)),
        machines=machines,
        watcher=show,
    )


def _title(wanted: Wanted) -> str:
    return f"{wanted.suite.name} {wanted.condition}"


def check(wanted: Wanted, provider: str) -> None:
    """`UsageError` where it cannot be run as it is wanted; no machine is touched."""
    config = config_of(wanted, read_prices(wanted.prices))
    for agent in wanted.agents:
        theirs = {job.task for job in wanted.jobs if job.agent == agent}
        check_agent(agent, config, tuple(t for t in wanted.suite.tasks if t.name in theirs))
    for model in (wanted.model, wanted.grounder):
        if model is not None:
            check_dialect(model.dialect)
    check_exposure(wanted.exposure)
    if wanted.keep or wanted.fork:
        refuse_unforked(provider)
    if wanted.checkpoints and provider not in FORKS:
        raise UsageError(
            f"checkpoints need a provider that forks a running machine, and {provider} does not",
            hint="Run each limit of steps by itself, or take --provider libvirt.",
        )
    if beyond := [steps for steps in wanted.checkpoints if not 0 < steps < wanted.limits.steps]:
        raise UsageError(f"no checkpoint after {beyond[0]} of {wanted.limits.steps} steps")


def refuse_unforked(provider: str) -> None:
    """`UsageError` where machines of that provider are not kept while they run."""
    if provider not in FORKS:
        raise UsageError(
            f"a machine of the provider {provider} cannot be kept at a step, nor go back to one",
            hint="Take --provider libvirt, or leave --checkpoint out.",
        )


def refuse_another_image(run: Path, image: str) -> None:
    """`UsageError` where what is kept of that run was made from another image than this."""
    if (made := read_config(run).image) != image:
        raise UsageError(
            f"the machines of {run} were made from {made or 'no image'}, these from {image}",
            hint="Name the same --image; one that was changed since cannot be gone back to.",
        )


def left_out(suite: Suite) -> Iterator[str]:
    """What is to be said of tasks that were asked for and are not run: each reason once, with how
    many it keeps out."""
    reasons = Counter(each.why for each in suite.left_out)
    for why, number in reasons.most_common():
        first = next(each.name for each in suite.left_out if each.why == why)
        others = f" and {number - 1} others" if number > 1 else ""
        yield f"left out: {first}{others}: {why}"


def catalogue_hash(catalogue: Mapping[str, ToolSpec]) -> str:
    """SHA-256 over the tools' descriptions."""
    said = [asdict(tool) for tool in catalogue.values()]
    return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def default_folder(suite: Suite, agents: Sequence[str], condition: str) -> Path:
    """`runs/<when>-<suite>-<agent>-<condition>`."""
    when = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    agent = "prove" if len(agents) > 1 else agents[0].partition(":")[0].replace(".", "-")
    return Path("runs") / f"{when}-{suite.name}-{agent}-{condition}"


def config_of(wanted: Wanted, prices: Prices, source: Source | None = None) -> RunConfig:
    """The configuration of that run, on machines from that source."""
    asked = {role for agent in wanted.agents for role in MODELS.get(agent, ())}
    return RunConfig(
        version=installed_version(),
        suite=str(wanted.suite.folder.resolve()),
        tasks={task.name: task.hash for task in wanted.suite.tasks},
        agents=wanted.agents,
        condition=wanted.condition,
        exposure=wanted.exposure,
        runs=wanted.runs,
        limits=wanted.limits,
        threshold=wanted.threshold,
        literal_sleeps=wanted.literal_sleeps,
        left_out={each.name: each.why for each in wanted.suite.left_out},
        annotations=_known(wanted.suite.annotations),
        checkpoints=wanted.checkpoints,
        keep=wanted.keep,
        fork=wanted.fork,
        settle=wanted.settle,
        seed=wanted.seed,
        model=wanted.model if "model" in asked else None,
        grounder=wanted.grounder if "grounder" in asked else None,
        prompts=prompts_hash() if asked else "",
        prices=prices.hash if asked else "",
        provider=source.provider if source else "",
        image=source.image if source else "",
        catalogue=catalogue_hash(wanted.catalogue),
    )


def _known(annotations: Path | None) -> str:
    if annotations is None:
        return ""
    return f"{annotations.resolve()} {sha256(annotations.read_bytes()).hexdigest()}"
