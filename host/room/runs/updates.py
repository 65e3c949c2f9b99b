"""What a page has to be told about the runs: only what has changed since it was told last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["RunSummary", "RunUpdates"]


@dataclass(frozen=True)
class RunSummary:
    """One run at a moment. Its lists grow with the run."""

    run: str
    """Its name in this room."""
    head: dict[str, Any]
    """Progress and results; see `RunTrials.head`."""
    rows: Sequence[dict[str, Any]] = ()
    """The entries of its trials."""
    changes: Sequence[int] = ()
    """See `RunTrials`."""
    restarts: int = 0

    @property
    def state(self) -> tuple[str, int, int, dict[str, Any]]:
        """Differs from that of an earlier summary if there is something to tell."""
        return (self.run, self.restarts, len(self.changes), self.head)

    @property
    def whole(self) -> dict[str, Any]:
        """The head with all `rows`."""
        return {**self.head, "run": self.run, "rows": self.rows}


@dataclass
class RunUpdates:
    """The updates for one page."""

    _told: dict[str, tuple[str, int, int, dict[str, Any]]] = field(default_factory=dict)

    def since(self, runs: Iterable[RunSummary]) -> dict[str, Any]:
        """The changes since the last call as JSON: `gone`, the names of runs; and `runs`, the heads
        of changed ones, each with `rows`, the changed entries by their index. `reset` says that
        the run's earlier entries are no longer valid."""
        runs = list(runs)
        names = {run.run for run in runs}
        gone = [name for name in self._told if name not in names]
        for name in gone:
            del self._told[name]
        return {"gone": gone, "runs": [update for run in runs if (update := self._update(run))]}

    def _update(self, run: RunSummary) -> dict[str, Any] | None:
        state, told = run.state, self._told.get(run.run)
        if state == told:
            return None
        reset = told is None or told[1] != run.restarts
        changed = run.changes[0 if reset or told is None else told[2] : state[2]]
        self._told[run.run] = state
        rows = {at: run.rows[at] for at in dict.fromkeys(changed)}
        return {"run": run.run, **run.head, "reset": reset, "rows": rows}
