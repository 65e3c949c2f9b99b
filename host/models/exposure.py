"""Tool exposure: which of a condition's tools are on offer at a step, by the run's policy."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from ambidex.host import Frame, ToolSpec, is_gui
from ambidex.host.errors import UsageError
from ambidex.host.models.embedders import embedder_of
from ambidex.host.models.search import ranked
from ambidex.host.records.config import (
    Exposure,
    Modality,
    ModalityScope,
    Policy,
)
from ambidex.host.records.gateway_options import GatewayForm, GatewayOptions, RetrieverKind
from ambidex.tasks import Task

__all__ = [
    "Offer",
    "check_exposure",
    "exposure_of",
    "largest_offers",
    "offer_of",
    "ranked",
    "restrict_modality",
    "retrieved",
]

REFERENCE = ("reference", "mounted")
"""The sources of the tools that OSWorld-MCP has."""
Offer = Callable[[Frame | None], tuple[ToolSpec, ...]]
"""From the current frame, if there is a screen, to the tools on offer."""


def offer_of(exposure: Exposure, tools: Mapping[str, ToolSpec], task: Task, seed: int) -> Offer:
    """The offer of an episode; `tools` are those of the condition. Mouse and keyboard always come
    first.
    """
    gui = [tool for tool in tools.values() if is_gui(tool.app)]
    others = [
        tool
        for tool in tools.values()
        if not is_gui(tool.app) and (tool.source in REFERENCE or not exposure.reference_only)
    ]
    gui.sort(key=lambda tool: tool.name)
    others.sort(key=lambda tool: tool.name)
    if exposure.order == "shuffled":
        random.Random(seed).shuffle(others)
    match exposure.policy:
        case "all" | "gateway":  # a gateway's condition has only its own tools and the GUI
            return lambda frame: (*gui, *others)
        case "app":
            return lambda frame: (*gui, *(tool for tool in others if _fits(tool, frame)))
        case "retrieved":
            names = retrieved(exposure, others, task.spec.instruction)
        case "named":
            names = _named(exposure, others, task, seed)
    selected = (*gui, *(tool for tool in others if tool.name in names))
    return lambda frame: selected


def largest_offers(
    exposure: Exposure, tools: Mapping[str, ToolSpec], task: Task
) -> Iterator[tuple[ToolSpec, ...]]:
    """Offers among which is one of the largest that an episode of the task could have."""
    if exposure.policy == "retrieved":  # which tools match best does not matter for their number
        everything = offer_of(exposure.model_copy(update={"policy": "all"}), tools, task, 0)(None)
        gui = [tool for tool in everything if is_gui(tool.app)]
        yield everything[: len(gui) + exposure.top]
        return
    offer = offer_of(exposure, tools, task, 0)
    windows = {window for tool in tools.values() for window in tool.windows}
    for focused in ("", *sorted(windows)) if exposure.policy == "app" else ("",):
        yield offer(replace(Frame.of((0, 0), b""), focused=focused))


def restrict_modality(offer: Offer, modality: Modality | None, scope: ModalityScope) -> Offer:
    """The offer with only the tools of one modality, at its first use (`once`) or at every use
    (`rest`). Unchanged if `modality` is None."""
    if modality is None:
        return offer
    steps = itertools.count()

    def restricted(frame: Frame | None) -> tuple[ToolSpec, ...]:
        tools = offer(frame)
        if next(steps) and scope == "once":
            return tools
        return tuple(tool for tool in tools if is_gui(tool.app) is (modality == "gui"))

    return restricted


def check_exposure(exposure: Exposure) -> None:
    """`UsageError` if the exposure's options contradict each other or its embedder is unknown."""
    if exposure.embedder:
        embedder_of(exposure.embedder)
    if exposure.distractors and exposure.policy != "named":
        raise UsageError("distractors require policy = 'named'")


def exposure_of(
    policy: Policy,
    top: int,
    form: GatewayForm = "find",
    toolsets: Sequence[str] = (),
    retriever: RetrieverKind = "bm25",
) -> Exposure:
    """The exposure that a command line asks for. `UsageError` for a gateway without toolsets."""
    if policy != "gateway":
        return Exposure(policy=policy, top=top, toolsets=tuple(toolsets))
    if not toolsets:
        raise UsageError(
            "--exposure gateway requires --toolsets: what it searches",
            hint="docs/gateways.md says how a gateway is configured.",
        )
    options = GatewayOptions(form=form, toolsets=tuple(toolsets), retriever=retriever)
    return Exposure(policy=policy, top=top, gateway=options)


def retrieved(exposure: Exposure, tools: Sequence[ToolSpec], query: str) -> set[str]:
    """Names of the `top` tools that match the query best."""
    (names,) = ranked(tools, [query], exposure.embedder)
    return set(names[: exposure.top])


def _fits(tool: ToolSpec, frame: Frame | None) -> bool:
    return not tool.windows or (frame is not None and frame.focused in tool.windows)


def _named(exposure: Exposure, tools: Sequence[ToolSpec], task: Task, seed: int) -> set[str]:
    useful = set(task.spec.useful_tools)
    rest = sorted(tool.name for tool in tools if tool.name not in useful)
    # Not the generator that shuffles tools, so that order and distractors are independent.
    rng = random.Random(f"distractors {task.name} {seed}")
    return useful | set(rng.sample(rest, min(exposure.distractors, len(rest))))
