"""Whether the tools on offer fit into one request of the model's API, before a machine exists."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ambidex.host import GUI, Briefing, Frame, Limits, Observation, ToolSpec
from ambidex.host.dialects import open_dialect
from ambidex.host.errors import UsageError
from ambidex.host.models.exposure import largest_offers
from ambidex.host.records.config import Condition, Exposure, ModelConfig, offered, tools_of
from ambidex.host.toolsets.toolset_tools import open_tools, toolsets_of
from ambidex.tasks import Suite
from ambidex.tasks.lint import called
from ambidex.tasks.toolset import TOOLS
from ambidex.vm.building.recipe import load_recipe, recipe_names

__all__ = [
    "MOST_FUNCTIONS",
    "default_exposure",
    "largest_request",
    "refuse_missing_tools",
    "refuse_too_many_functions",
]

MOST_FUNCTIONS = 128
"""The most functions that OpenAI's APIs take in one request, the smallest limit of the vendors'."""
OPENAI_MODEL = re.compile(r"(openai/|azure/|gpt-|chatgpt-|o\d|codex-|computer-use-)")
"""litellm's names of models that these APIs serve."""
OPENAI_SERVER = re.compile(r"https://([^/]+\.)?openai\.(azure\.)?com(/|$)")
BLANK = Frame.of((64, 64), bytes(64 * 64 * 3))


def default_exposure(
    suite: Suite,
    catalogue: Mapping[str, ToolSpec],
    condition: Condition,
    model: ModelConfig | None,
    image: str,
    everything: Exposure = Exposure(),
    top: int = 20,
) -> Exposure:
    """All tools, if every vendor's API could take them in one request; otherwise the `top` tools
    that match a task best. The same for all models, so that their results can be compared."""
    if model is None:
        return everything
    number = largest_request(suite, catalogue, condition, model, everything, image)
    if number <= MOST_FUNCTIONS:
        return everything
    return Exposure(policy="retrieved", top=top, toolsets=everything.toolsets)


def refuse_too_many_functions(
    suite: Suite,
    catalogue: Mapping[str, ToolSpec],
    condition: Condition,
    model: ModelConfig,
    exposure: Exposure,
    image: str,
) -> None:
    """`UsageError` if a request of the run could hold more functions than the model's API takes."""
    address = model.base_url
    if not (OPENAI_SERVER.match(address) if address else OPENAI_MODEL.match(model.name)):
        return
    number = largest_request(suite, catalogue, condition, model, exposure, image)
    if number > MOST_FUNCTIONS:
        raise UsageError(
            f"--exposure {exposure.policy} offers {model.name} up to {number} functions in a"
            f" request, and OpenAI's API takes at most {MOST_FUNCTIONS}",
            hint="Use --exposure retrieved with a smaller --top (20 by default), in an experiment's"
            " file [[exposures]] with policy and top.",
        )


def refuse_missing_tools(suite: Suite, condition: Condition, exposure: Exposure) -> None:
    """`UsageError` if tasks call tools of a toolset that the run does not have."""
    if condition == "gui":
        return
    there = {name for toolset in toolsets_of(exposure) for name in toolset.names()}
    for task in suite.tasks:
        for name in sorted(called(task.spec) & suite.tools.keys() - there):
            raise UsageError(
                f"the task {task.name} calls {name}, a tool of a toolset that is missing here",
                hint=f"Name it with --toolsets; {TOOLS} and tools-*.json in {suite.folder} list the"
                " tools.",
            )


def largest_request(
    suite: Suite,
    catalogue: Mapping[str, ToolSpec],
    condition: Condition,
    model: ModelConfig,
    exposure: Exposure,
    image: str,
) -> int:
    """The number of functions in the largest request of a run, as far as the host can know: a guest
    serves no tool whose program it lacks."""
    served = [*catalogue.values()]
    if image in recipe_names() and load_recipe(image)[0].session == "none":
        served = [tool for tool in served if not tool.windows and tool.app != GUI]
    if more := open_tools(exposure, condition, image):
        served += more.specs().values()
    if exposure.policy == "gateway":  # offers its own few tools instead
        return 0
    offers = {
        tuple(tool.name for tool in offer): offer
        for task in suite.tasks
        for tools in [offered(tools_of(task.spec, served), condition)]
        for offer in largest_offers(exposure, tools, task)
    }
    return max((_functions(model, offer) for offer in offers.values()), default=0)


def _functions(model: ModelConfig, offer: Sequence[ToolSpec]) -> int:
    """How many functions the dialect's request with these tools holds."""
    if ":" in model.dialect:  # a user's own, which may expect a real screenshot
        return len(offer)
    dialect = open_dialect(model, Briefing("", Limits()))
    return len(dialect.request(Observation(BLANK, (), tuple(offer))).body.get("tools", ()))
