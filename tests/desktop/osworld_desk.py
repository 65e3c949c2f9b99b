"""OSWorld's steps and getters on a real desktop, one at a time, each in a task of its own."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from ambidex.evaluators import Score
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.registry import BoundMetric, metric
from ambidex.host.client.evidence_files import EvidenceFiles
from ambidex.host.client.guest import Guest
from ambidex.host.osworld.stage import collect, set_stage
from ambidex.tasks.assets import AssetStore
from ambidex.tasks.osworld.evidence import Collected, Record, read_record, value_of
from ambidex.tasks.osworld.getters import parse_getter
from ambidex.tasks.osworld.judging import Question
from ambidex.tasks.osworld.setup_steps import parse_step
from ambidex.tasks.osworld.task import OSWorldBody


@metric()
def anything(result: Value, expected: Value) -> Score:
    """Whatever it is."""
    return Score(float(result is not None), "it is there" if result is not None else "nothing")


SEEN = BoundMetric(anything, {}, ())


class Desk:
    """A guest, a store of assets, and tasks of one step or one getter."""

    def __init__(self, guest: Guest, folder: Path) -> None:
        self.guest = guest
        self.store = AssetStore(folder / "store")
        self.folder = folder
        self._count = 0

    def body(
        self,
        config: list[dict[str, Any]],
        post: list[dict[str, Any]],
        asked: list[tuple[dict[str, Any], dict[str, Any] | None]],
        bound: BoundMetric = SEEN,
    ) -> OSWorldBody:
        """The JSON of a task with these parts."""
        return OSWorldBody(
            tuple(parse_step(item["type"], item["parameters"]) for item in config),
            tuple(parse_step(item["type"], item["parameters"]) for item in post),
            tuple(
                Question(bound, parse_getter(one), parse_getter(other) if other else None)
                for one, other in asked
            ),
            "and",
            self.store,
        )

    def room(self) -> Path:
        """A new folder."""
        self._count += 1
        path = self.folder / str(self._count)
        path.mkdir()
        return path

    def step(self, type: str, *, literal: bool = False, **parameters: Any) -> str:
        """Run a setup of one step; return its record."""
        room = self.room()
        body = self.body([{"type": type, "parameters": parameters}], [], [])
        set_stage("test", body, self.guest, room, literal)
        return (room / "steps.jsonl").read_text()

    def record(self, body: OSWorldBody, kept: Path | None = None) -> tuple[Record, Path]:
        """The record of a task's collection."""
        evidence = self.room()
        files = nullcontext(EvidenceFiles(self.guest, "collector"))
        stored = kept or self.room()
        collect("test", body, self.guest, evidence, stored, False, self.fresh, lambda: files)
        self.guest.thaw()
        return read_record(evidence), evidence

    @contextmanager
    def fresh(self) -> Iterator[Guest]:
        """The same guest: these tests have only one machine."""
        self.guest.thaw()
        yield self.guest

    def get(self, type: str, *post: dict[str, Any], **given: Any) -> tuple[Value, Collected]:
        """The result of one getter, after these steps."""
        record, evidence = self.record(self.body([], list(post), [({"type": type, **given}, None)]))
        [collected] = record.results
        assert collected is not None
        return value_of(collected, evidence, self.room(), self.store, shadowed=False), collected

    def value(self, type: str, *post: dict[str, Any], **given: Any) -> Any:
        """The value of one getter that must not fail."""
        value, collected = self.get(type, *post, **given)
        assert collected.state != "failed", collected.said
        return value
