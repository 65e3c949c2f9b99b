"""What a run is doing now, for the terminal: totals, and a line for each machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from ambidex.host.records.causes import outcome_of_row
from ambidex.host.records.jobs import Job
from ambidex.host.records.rows import Phase, Row
from ambidex.host.terminal import counted, one_line

__all__ = ["AttemptState", "LiveTable", "duration"]

ACTIVITIES: dict[Phase, str] = {
    "setup": "setting up",
    "rehearsal": "replaying the recorded steps",
    "collect": "collecting evidence",
    "judge": "judging",
}

LEFT_FOR_OTHERS = 4
"""Lines of the terminal that are not machines: totals, and messages above."""


class AttemptState(Protocol):
    """How far an attempt in progress has come."""

    @property
    def phase(self) -> Phase:
        """The phase in progress."""

    @property
    def steps(self) -> int:
        """Steps of the episode so far."""

    @property
    def acted(self) -> int:
        """Calls that the agent has made."""


@dataclass
class MachineLine:
    """What one machine is doing."""

    began: float
    host: str = ""
    """Empty for this computer."""
    job: Job | None = None
    attempt: int = 1
    state: AttemptState | None = None
    booted: bool = False
    """Whether an attempt has started on it before."""

    def activity(self, limit: int) -> str:
        """What it is doing, in words."""
        if self.state is None or self.state.phase in ("", "revert"):
            return "reverting" if self.booted else "booting"
        if self.state.phase == "episode":
            return f"step {self.state.steps + 1} of {limit}"
        return ACTIVITIES[self.state.phase]


@dataclass
class HostLine:
    """What the machines of one host have done since the start."""

    began: float
    ended: int = 0
    """Attempts that ended."""
    void: int = 0

    def activity(self, now: float) -> str:
        """Attempts per hour and the share of void ones, in words."""
        if not self.ended:
            return "no attempt has ended"
        rate = 3600 * self.ended / max(1.0, now - self.began)
        return f"{rate:.0f} attempts/h, {100 * self.void / self.ended:.0f} % void"


@dataclass
class LiveTable:
    """The state of a run, and its picture. Not locked: a picture may be a moment old."""

    title: str
    total: int
    """Trials of the run."""
    step_limit: int
    clock: Callable[[], float] = time.monotonic
    proof: bool = False
    """Whether some agents are meant to fail, so that outcomes are scores, not successes."""
    doing: str = "starting"
    """What the run does before its first attempt."""
    machines: dict[str, MachineLine] = field(default_factory=dict)
    hosts: dict[str, HostLine] = field(default_factory=dict)
    """Those of a cluster."""
    left: int = -1
    """Trials without a final row; -1: not known yet."""
    solved: int = 0
    failed: int = 0
    void: int = 0
    bugs: int = 0
    unjudged: int = 0
    cost: float | None = 0.0
    ended: int = 0
    """Trials that ended since the start."""
    began: float = field(init=False)

    def __post_init__(self) -> None:
        self.began = self.clock()

    def start(self, before: Iterable[Row], left: int) -> None:
        """Take over the rows of earlier invocations; `left` trials are to be run."""
        for row in before:
            self._count(row)
        self.left, self.began, self.doing = left, self.clock(), ""

    def open_machine(self, name: str, host: str = "") -> None:
        """A new machine, which has not booted, on a host of a cluster or on this computer."""
        self.machines[name] = MachineLine(self.clock(), host)
        if host:
            self.hosts.setdefault(host, HostLine(self.clock()))

    def start_attempt(self, name: str, job: Job, attempt: int, state: AttemptState) -> None:
        """An attempt starts on a machine."""
        before = self.machines.get(name)
        booted = before is not None and before.job is not None
        host = before.host if before else ""
        self.machines[name] = MachineLine(self.clock(), host, job, attempt, state, booted)

    def end_attempt(self, row: Row, left: int) -> None:
        """An attempt has its row."""
        self.ended += self.left - left
        self.left = left
        self._count(row)
        if row.host in self.hosts:
            self.hosts[row.host].ended += 1
            self.hosts[row.host].void += row.fate == "void"

    def _count(self, row: Row) -> None:
        match outcome_of_row(row):
            case "solved":
                self.solved += 1
            case "failed":
                self.failed += 1
            case "void":
                self.void += 1
            case "bug":
                self.bugs += 1
            case _:
                self.unjudged += 1
        self.cost = None if self.cost is None or row.cost is None else self.cost + row.cost

    def seconds_left(self) -> float | None:
        """An estimate from the trials that ended since the start; None before the first."""
        if not self.ended or self.left < 0:
            return None
        return (self.clock() - self.began) / self.ended * self.left

    def totals(self) -> str:
        """The counts in words: `6 of 10, 5 solved, 1 failed`."""
        if self.left < 0:
            return self.doing
        counts = {
            "solved": self.solved,
            "failed": self.failed,
            "void": self.void,
            "with a bug": self.bugs,
            "unjudged": self.unjudged,
        }
        if self.proof:
            counts |= {"solved": 0, "failed": 0}
        always = "" if self.proof else "solved"
        parts = [f"{self.total - self.left} of {self.total}"]
        parts += [f"{n} {name}" for name, n in counts.items() if n or name == always]
        if self.cost is None:
            parts.append("cost unknown")
        elif self.cost:
            parts.append(f"${self.cost:.2f}")
        if (seconds := self.seconds_left()) is not None and self.left:
            parts.append(f"about {duration(seconds)} left")
        if not self.left and not self.machines:
            parts.append("closing the machines")
        return ", ".join(parts)

    def picture(self, height: int) -> RenderableType:
        """The totals, and a line for each machine as far as the terminal's height allows; on a
        cluster, a line for each host."""
        now = self.clock()
        head = Table.grid(padding=(0, 1))
        head.add_row(
            Text(one_line(self.title), "bold"),
            ProgressBar(self.total, self.total - self.left if self.left >= 0 else 0, width=20),
            Text(self.totals()),
            Text(duration(now - self.began), "dim"),
        )
        if self.hosts:
            return Group(head, self._hosts(now, height))
        table = Table.grid(padding=(0, 2))
        working = sorted(self.machines.items(), key=lambda item: (len(item[0]), item[0]))
        shown = working[: max(1, height - LEFT_FOR_OTHERS)]
        for name, machine in shown:
            job = machine.job
            trial = f"{job.task} #{job.trial}" if job else ""
            again = f" (attempt {machine.attempt})" if machine.attempt > 1 else ""
            table.add_row(
                Text(f"  {name.replace('-', ' ')}", "dim"),
                Text(one_line(trial + again), overflow="ellipsis", no_wrap=True),
                Text(machine.activity(self.step_limit)),
                Text(duration(now - machine.began), "dim"),
            )
        if len(shown) < len(working):
            table.add_row(Text(f"  and {len(working) - len(shown)} more", "dim"), "", "", "")
        return Group(head, table) if working else head

    def _hosts(self, now: float, height: int) -> Table:
        table = Table.grid(padding=(0, 2))
        machines = [machine.host for machine in list(self.machines.values())]
        shown = sorted(self.hosts.items())[: max(1, height - LEFT_FOR_OTHERS)]
        for name, host in shown:
            count = machines.count(name)
            table.add_row(
                Text(f"  {one_line(name)}", "dim"),
                Text(counted(count, "machine")),
                Text(host.activity(now)),
            )
        if len(shown) < len(self.hosts):
            table.add_row(Text(f"  and {len(self.hosts) - len(shown)} more", "dim"), "", "")
        return table

    def close_machine(self, name: str) -> None:
        """A machine has nothing left to do."""
        self.machines.pop(name, None)


def duration(seconds: float) -> str:
    """`0:07`, `12:30` or `3:04:05`."""
    minutes, rest = divmod(max(0, int(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
