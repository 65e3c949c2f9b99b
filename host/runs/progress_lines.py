"""Progress of a run on the terminal: a line per attempt, and below them what is running now."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from types import TracebackType

from rich.live import Live
from rich.text import Text

from ambidex.host import Limits
from ambidex.host.records.causes import brief_cause, outcome_of_row
from ambidex.host.records.jobs import Job
from ambidex.host.records.rows import Row
from ambidex.host.runs.live_table import AttemptState, LiveTable
from ambidex.host.terminal import Terminal, one_line

__all__ = ["ProgressDisplay"]

STYLES = {"solved": "green", "failed": "", "void": "yellow", "bug": "red", "unjudged": "yellow"}


class ProgressDisplay:
    """A `host.runs.runner.Watcher` that writes to standard error, so that output can be piped. On
    a terminal, a live area shows the totals and each machine; elsewhere there are only lines."""

    def __init__(self, total: int, title: str, limits: Limits, *, proof: bool = False) -> None:
        """`total` trials; `proof`: some of their agents are meant to fail."""
        self._console = Terminal(stderr=True)
        self._limits = limits
        self._table = LiveTable(title, total, limits.steps, proof=proof)
        self._live = Live(
            get_renderable=lambda: self._table.picture(self._console.height),
            console=self._console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> ProgressDisplay:
        if self._console.is_terminal:
            self._live.start(refresh=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.stop()

    def run_started(self, before: Sequence[Row], left: int) -> None:
        """See `Watcher`."""
        self._table.start(before, left)

    def machine_opened(self) -> None:
        """See `Watcher`."""
        self._table.open_machine(threading.current_thread().name)

    def machine_closed(self) -> None:
        """See `Watcher`."""
        self._table.close_machine(threading.current_thread().name)

    def attempt_started(self, job: Job, attempt: int, state: AttemptState) -> None:
        """See `Watcher`."""
        self._table.start_attempt(threading.current_thread().name, job, attempt, state)

    def attempt_ended(self, row: Row, left: int) -> None:
        """See `Watcher`."""
        outcome = outcome_of_row(row)
        style, mark = STYLES[outcome], outcome
        if self._table.proof and row.score is not None:
            style, mark = "", f"score {row.score:.2g}"
        elif row.score is not None and 0 < row.score < 1:
            mark = f"{outcome} ({row.score:.2g})"
        total = row.seconds.get("total", 0.0)
        trial = f" {row.task} {row.agent} #{row.trial}, {row.steps} steps, {total:.1f} s: "
        cause = brief_cause(row, self._limits)
        line = Text.assemble((mark, style), one_line(trial), (one_line(cause), "dim"))
        if row.success:
            self._console.print(line, no_wrap=True, overflow="ellipsis", highlight=False)
        else:  # the cause may take several lines
            self._console.print(line, overflow="fold", highlight=False)
        self._table.end_attempt(row, left)

    def message(self, text: str) -> None:
        """See `Watcher`."""
        self._console.print(text, markup=False, style="yellow")
