"""A run of the foundry: its settings, which are stored for `resume`, and its lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from pydantic import Field, ValidationError

from ambidex.evaluators.strict import Strict, explain
from ambidex.host import ROOT
from ambidex.host.cli.options import lanes_at
from ambidex.host.errors import UsageError
from ambidex.host.models.model import LiteModel
from ambidex.host.models.prices import read_prices
from ambidex.host.records.config import ModelConfig, locked
from ambidex.host.runs.machines import MachineOptions, open_machines
from ambidex.tasks.catalogue import read_catalogue
from ambidex.toolgen import StageResult
from ambidex.toolgen.guests import DraftMachine
from ambidex.toolgen.models.asking import CallLimits
from ambidex.toolgen.pipeline import Foundry
from ambidex.toolgen.stages.measurement import MeasureOptions
from ambidex.toolgen.store import Folder, folders, open_candidate
from ambidex.vm.whole_files import write_whole

__all__ = ["Settings", "open_foundry", "read_settings", "run_candidates"]

NAME = "run.json"


@Parameter(name="*")
class Settings(Strict):
    """Settings of a foundry's run."""

    base_url: Annotated[str, Parameter(help="A server with OpenAI's chat completions API.")] = ""
    key: Annotated[str, Parameter(help="Environment variable that holds the API key.")] = ""
    max_tokens: Annotated[
        int, Field(ge=1), Parameter(help="Maximum length of a model's answer, in tokens.")
    ] = 16_384
    timeout: Annotated[float, Parameter(help="Seconds to wait for a model's answer.")] = 600.0
    calls: Annotated[int, Parameter(help="Maximum model calls per candidate.")] = 40
    dollars: Annotated[float | None, Parameter(help="Maximum US dollars per candidate.")] = None
    total_calls: Annotated[int, Parameter(help="Maximum model calls in total.")] = 1000
    total_dollars: Annotated[float | None, Parameter(help="Maximum US dollars in total.")] = None
    provider: Annotated[
        str, Parameter(help="Where guests run: libvirt, sandbox, or module:Class.")
    ] = "libvirt"
    image: Annotated[str, Parameter(help="The image of the guests.")] = "debian-12"
    suite: Annotated[
        str, Parameter(help="The suite to measure with; by default nothing is measured.")
    ] = ""
    agent: Annotated[
        str, Parameter(help="The agent that runs the suite: model, or module:Class.")
    ] = "model"
    agent_model: Annotated[str, Parameter(help="The model, with --agent model.")] = ""
    trials: Annotated[int, Parameter(help="Trials of each task, with and without the tool.")] = 3
    steps: Annotated[int, Parameter(help="Maximum steps of an episode when measuring.")] = 15
    cluster: Annotated[
        str, Parameter(help="Measure on the hosts of a Ray cluster: auto, HOST:PORT or ray://….")
    ] = ""
    machines: Annotated[
        int, Field(ge=1), Parameter(help="How many machines to measure on at once.")
    ] = 1

    @property
    def limits(self) -> CallLimits:
        """The limits on model calls and cost."""
        return CallLimits(self.calls, self.dollars, self.total_calls, self.total_dollars)


def read_settings(foundry: Path) -> Settings:
    """The settings of the last run. `UsageError` if there was none."""
    try:
        return Settings.model_validate_json((foundry / NAME).read_bytes())
    except OSError:
        hint = "Start one with `ambidex toolgen run`."
        raise UsageError(f"no run to resume in {foundry}", hint=hint) from None
    except ValidationError as error:
        raise UsageError(f"not a settings file: {foundry / NAME}: {explain(error)}") from None


def run_candidates(
    foundry: Path, names: Sequence[str], settings: Settings, say: Callable[[str], None]
) -> list[tuple[Folder, StageResult]]:
    """Run these candidates, or all of them, and return the last result of each. The settings are
    stored for `resume`."""
    selected = [open_candidate(foundry, name) for name in names] or folders(foundry)
    if not selected:
        raise UsageError(
            f"there are no candidates in {foundry}", hint="`ambidex toolgen propose` makes one."
        )
    if settings.key and not os.environ.get(settings.key):
        raise UsageError(f"the environment variable for the API key is not set: {settings.key}")
    write_whole(foundry / NAME, settings.model_dump_json(indent=1).encode() + b"\n")
    with open_foundry(foundry, settings, say) as opened:
        return [(folder, opened.run(folder)) for folder in selected]


@contextmanager
def open_foundry(
    foundry: Path, settings: Settings, say: Callable[[str], None]
) -> Iterator[Foundry]:
    """Lock the foundry and open the machines and models that candidates need."""
    catalogue, prices = read_catalogue(), read_prices()
    options = MachineOptions(provider=settings.provider, image=settings.image)

    def model(name: str) -> LiteModel:
        config = ModelConfig(
            name=name,
            base_url=settings.base_url,
            key=settings.key,
            max_tokens=settings.max_tokens,
            timeout=settings.timeout,
        )
        return LiteModel(config, prices)

    with ExitStack() as stack:
        stack.enter_context(locked(foundry))
        source = stack.enter_context(open_machines(options, say))
        machine = stack.enter_context(DraftMachine(source))
        yield Foundry(
            root=ROOT,
            catalogue=catalogue,
            model=model,
            machine=machine,
            limits=settings.limits,
            measuring=MeasureOptions(
                settings.suite, settings.agent, settings.agent_model, settings.trials,
                settings.steps, settings.base_url, replace(options, machines=settings.machines),
                lanes_at(settings.cluster),
            ) if settings.suite else None,
            say=say,
        )  # fmt: skip
