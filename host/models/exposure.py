"""Which tools are offered at a step: a condition's, by the policy of the run."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping, Sequence

from ambidex.host import GUI, Frame, ToolSpec
from ambidex.host.errors import UsageError
from ambidex.host.models.search import embedder_of, ranked
from ambidex.host.records.config import Exposure, Hand, Lasting
from ambidex.tasks import Task

__all__ = [
    "NEUTRAL",
    "WINDOWS",
    "Offer",
    "check_exposure",
    "handed",
    "offer_of",
    "ranked",
    "retrieved",
]

Offer = Callable[[Frame], tuple[ToolSpec, ...]]
"""The tools on offer with that picture on the screen."""

NEUTRAL = frozenset({"os", "files", "filesystem", "git", "gnome"})
"""Apps that have no window which one would have to be in."""

WINDOWS = {
    "libreoffice-calc": "calc",
    "libreoffice-writer": "writer",
    "libreoffice-impress": "impress",
    "chromium": "chrome",
    "google-chrome": "chrome",
    "chromium-browser": "chrome",
    "code": "code",
    "vlc": "vlc",
}
"""The app whose tools go with a window, by the window's class."""


def offer_of(exposure: Exposure, tools: Mapping[str, ToolSpec], task: Task, seed: int) -> Offer:
    """What is offered in an episode; `tools` are those of the condition. Mouse and keyboard come
    first, always.
    """
    hands = [tool for tool in tools.values() if tool.app == GUI]
    others = [
        tool
        for tool in tools.values()
        if tool.app != GUI and (tool.source != "ours" or not exposure.reference_only)
    ]
    hands.sort(key=lambda tool: tool.name)
    others.sort(key=lambda tool: tool.name)
    if exposure.order == "shuffled":
        random.Random(seed).shuffle(others)
    match exposure.policy:
        case "all":
            return lambda frame: (*hands, *others)
        case "app":
            return lambda frame: (*hands, *(each for each in others if _fits(each, frame)))
        case "retrieved":
            names = retrieved(exposure, others, task.spec.instruction)
        case "named":
            names = _named(exposure, others, task, seed)
    chosen = (*hands, *(tool for tool in others if tool.name in names))
    return lambda frame: chosen


def handed(offer: Offer, hand: Hand | None, lasting: Lasting) -> Offer:
    """The same, with only the tools of one hand at the first step it is asked for, or at all."""
    if hand is None:
        return offer
    steps = itertools.count()

    def one_hand(frame: Frame) -> tuple[ToolSpec, ...]:
        tools = offer(frame)
        if next(steps) and lasting == "once":
            return tools
        return tuple(tool for tool in tools if (tool.app == GUI) is (hand == "gui"))

    return one_hand


def check_exposure(exposure: Exposure) -> None:
    """`UsageError` where that policy cannot be followed."""
    if exposure.embedder:
        embedder_of(exposure.embedder)
    if exposure.distractors and exposure.policy != "named":
        raise UsageError("distractors are drawn beside named tools only: policy = 'named'")


def retrieved(exposure: Exposure, tools: Sequence[ToolSpec], query: str) -> set[str]:
    """Names of the `top` tools that suit the query best."""
    (names,) = ranked(tools, [query], exposure.embedder)
    return set(names[: exposure.top])


def _fits(tool: ToolSpec, frame: Frame) -> bool:
    return tool.app in NEUTRAL or tool.app == WINDOWS.get(frame.focused)


def _named(exposure: Exposure, tools: Sequence[ToolSpec], task: Task, seed: int) -> set[str]:
    useful = set(task.spec.useful_tools)
    rest = sorted(tool.name for tool in tools if tool.name not in useful)
    # Of its own, so that the order of tools and the choice of distractors do not go together.
    dice = random.Random(f"distractors {task.name} {seed}")
    return useful | set(dice.sample(rest, min(exposure.distractors, len(rest))))
