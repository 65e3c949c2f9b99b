"""What a person sees while a run is under way: one line per attempt, and a bar where there is a
terminal."""

from __future__ import annotations

import threading
from types import TracebackType

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from ambidex.host.records.config import Job
from ambidex.host.records.rows import Row
from ambidex.host.terminal import Terminal, one_line

__all__ = ["Show"]

MARKS = {"void": Text("void", "yellow"), "bug": Text("bug", "red")}


class Show:
    """A `host.runs.runner.Watcher` on the terminal: standard error, so output can be piped."""

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
        self._now: dict[str, str] = {}
        self._title = title

    def __enter__(self) -> Show:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def begun(self, job: Job, attempt: int) -> None:
        """See `Watcher`."""
        self._now[threading.current_thread().name] = job.task
        busy = ", ".join(sorted(set(self._now.values())))
        self._progress.update(self._bar, description=f"{self._title}: {busy}"[:60])

    def ended(self, row: Row, left: int) -> None:
        """See `Watcher`."""
        mark = MARKS.get(row.fate) or Text(f"{row.score:.2g}", "green" if row.success else "")
        total = row.seconds.get("total", 0.0)
        why = row.reason
        if row.failure:
            why = f"{row.failure.type}: {row.failure.message}"
        done = f" {row.task} {row.agent} #{row.trial}, {row.steps} steps, {total:.1f} s: "
        line = Text.assemble(mark, one_line(done), (one_line(why), "dim"))
        self._console.print(line, no_wrap=True, overflow="ellipsis", highlight=False)
        self._progress.update(self._bar, completed=self._total - left)

    def said(self, message: str) -> None:
        """See `Watcher`."""
        self._console.print(message, markup=False, style="yellow")
