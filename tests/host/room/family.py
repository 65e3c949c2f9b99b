"""A tree of episodes, without a desktop."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ambidex.host import Answer, Request
from ambidex.host.records.config import ModelConfig
from ambidex.tasks import Suite
from tests.support.travel import KEPT, Toy, forked, recorded

__all__ = ["Waiting", "family", "live_branch"]

OTHER = ModelConfig(name="other-toy")


def family(runs: Path, suite: Suite) -> Path:
    """A trial that slips at its third step, branches of it, and two of a branch: the first trial's
    directory. One more has no relatives."""
    slips = Toy(by_hand=frozenset({"B1"}), slips={"C1": "tools"})
    first = runs / "demo" / recorded(runs / "demo", suite, slips).folder
    forked(runs / "by-hand", suite, slips, first, 4, hand="gui", runs=2, keep=KEPT)
    forked(runs / "told", suite, slips, first, 2, hint="Mind column C.")
    other: dict[str, Any] = {"model": OTHER, "condition": "gui"}
    forked(runs / "other", suite, Toy(), runs / "by-hand" / "row.1", 5, **other)
    forked(runs / "early", suite, Toy(), runs / "by-hand" / "row.1", 3, **other)
    recorded(runs / "alone", suite, Toy(), keep=None)
    return first


@dataclass
class Waiting(Toy):
    """Waits at its second answer until it is let on."""

    at_work: threading.Event = field(default_factory=threading.Event)
    go: threading.Event = field(default_factory=threading.Event)

    def ask(self, request: Request) -> Answer:
        """See `Model`."""
        if len(self.asked) == 1:
            self.at_work.set()
            assert self.go.wait(60)
        return super().ask(request)


@contextmanager
def live_branch(run: Path, suite: Suite, parent: Path, step: int) -> Iterator[Waiting]:
    """A branch that is under way as long as the block runs, or until it is let on."""
    model = Waiting()
    thread = threading.Thread(target=forked, args=(run, suite, model, parent, step))
    thread.start()
    try:
        assert model.at_work.wait(30)
        yield model
    finally:
        model.go.set()
        thread.join(60)
