"""Progress of a run on the terminal: one line per attempt, and a progress bar."""

from __future__ import annotations

import threading
from types import TracebackType

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from ambidex.host.records.config import Job
from ambidex.host.records.rows import Row
from ambidex.host.terminal import Terminal, one_line

__all__ = ["ProgressDisplay"]

STYLES = {"void": "yellow", "bug": "red", "unjudged": "yellow"}
MARKS = {fate: Text(fate, style) for fate, style in STYLES.items()}


class ProgressDisplay:
    """A `host.runs.runner.Watcher` that writes to standard error, so that output can be piped. The
    bar is shown only on a terminal."""

    def __init__(self, total: int, title: str) -> None:
        self._console = Terminal(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._total = total
        self._bar = self._progress.add_task(title, total=total)
        self._running: dict[str, str] = {}
        """Task by thread."""
        self._title = title

    def __enter__(self) -> ProgressDisplay:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def attempt_started(self, job: Job, attempt: int) -> None:
        """See `Watcher`."""
        self._running[threading.current_thread().name] = job.task
        tasks = ", ".join(sorted(set(self._running.values())))
        self._progress.update(self._bar, description=f"{self._title}: {tasks}"[:60])

    def attempt_ended(self, row: Row, left: int) -> None:
        """See `Watcher`."""
        mark = MARKS.get(row.fate) or Text(f"{row.score:.2g}", "green" if row.success else "")
        total = row.seconds.get("total", 0.0)
        reason = row.reason
        if row.failure:
            reason = f"{row.failure.type}: {row.failure.message}"
        trial = f" {row.task} {row.agent} #{row.trial}, {row.steps} steps, {total:.1f} s: "
        line = Text.assemble(mark, one_line(trial), (one_line(reason), "dim"))
        if row.failure:  # why is shown whole
            self._console.print(line, overflow="fold", highlight=False)
        else:
            self._console.print(line, no_wrap=True, overflow="ellipsis", highlight=False)
        self._progress.update(self._bar, completed=self._total - left)

    def message(self, text: str) -> None:
        """See `Watcher`."""
        self._console.print(text, markup=False, style="yellow")
