"""Gateway regret: what an agent that searches for its tools loses to the retriever, to the gateway
and to itself.

Each search of an unsolved trial is returned to, and played on in three ways, several times each:

    as it was  nothing is changed: how often the same agent succeeds from here by luck
    answer     the task's useful tools come first in the answer to that search
    set        the task's useful tools are offered as they are, instead of the gateway

    retriever  success rate with `answer`, minus that as it was: the right tools were not found
    gateway    success rate with `set`, minus the higher of the two: they were, but searching and
               calling through the gateway went wrong
    model      1 minus the highest of the three: nothing that was given helped

Differences below 0 count as 0, so the three losses and the success rate as it was add up to 1,
except where what was given did harm.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from ambidex.host import ToolSpec
from ambidex.host.errors import UsageError
from ambidex.host.loop.branch_point import own_checkpointed_steps
from ambidex.host.records.config import Branch, Given, read_config
from ambidex.host.records.rows import Row, finished, read_rows
from ambidex.host.records.trajectory import AGENT, read_trajectory
from ambidex.host.runs.launch import RunFunction
from ambidex.host.toolsets.gateway_tools import SEARCHES
from ambidex.host.travel.forks import fork_of, rows_from
from ambidex.host.travel.regret import Outcome, Ratio, outcome, ratio_of

__all__ = [
    "WAYS",
    "ComparedSearch",
    "GatewayRegret",
    "Loss",
    "Search",
    "compare_searches",
    "gateway_regret",
    "search_records",
    "searches",
]

Loss = Literal["retriever", "gateway", "model"]
WAYS: Mapping[str, Given | None] = {"as-it-was": None, "answer": "answer", "set": "set"}
"""The runs of branches by directory, and what their agents are given."""


@dataclass(frozen=True)
class Search:
    """A step of an unsolved trial at which the agent searched for tools."""

    row: Row
    step: int
    query: str

    @property
    def branch(self) -> Branch:
        """The branch point before the search."""
        return Branch(trial=self.row.folder, step=self.step)


@dataclass(frozen=True)
class ComparedSearch:
    """One search, and the outcome of each way to play on from it."""

    trial: str
    """Directory of the recorded trial."""
    task: str
    step: int
    query: str
    as_it_was: Outcome
    answer: Outcome
    set: Outcome

    @property
    def known(self) -> bool:
        """Whether each way has a scored branch."""
        return bool(self.as_it_was.n and self.answer.n and self.set.n)

    @property
    def retriever(self) -> float:
        """Success rate lost because the right tools were not found."""
        return max(0.0, self.answer.success - self.as_it_was.success)

    @property
    def gateway(self) -> float:
        """Success rate lost because tools had to be searched and called through the gateway."""
        return max(0.0, self.set.success - max(self.answer.success, self.as_it_was.success))

    @property
    def model(self) -> float:
        """Success rate lost whatever the agent was given."""
        return 1 - max(self.as_it_was.success, self.answer.success, self.set.success)

    @property
    def loss(self) -> Loss | None:
        """The largest of the losses, the first of equal ones; None if nothing was lost."""
        losses: dict[Loss, float] = {
            "retriever": self.retriever,
            "gateway": self.gateway,
            "model": self.model,
        }
        largest = max(losses, key=lambda name: losses[name])
        return largest if losses[largest] > 0 else None


@dataclass(frozen=True)
class GatewayRegret:
    """The mean losses over searches, with intervals from resampling tasks."""

    searches: int
    tasks: int
    as_it_was: Ratio
    answer: Ratio
    set: Ratio
    retriever: Ratio
    gateway: Ratio
    model: Ratio


def searches(run: Path, tasks: Sequence[str] = (), steps: Sequence[int] = ()) -> list[Search]:
    """The searches in a run's unsolved trials before which there is a checkpoint; `tasks` and
    `steps` restrict the selection. `UsageError` if the run has no gateway or no search is left."""
    if read_config(run).exposure.gateway is None:
        raise UsageError(f"{run} has no gateway", hint="Use a run with --exposure gateway.")
    found = [
        search
        for row in finished(read_rows(run)).values()
        if not row.success and not row.assisted and (not tasks or row.task in tasks)
        for search in _of_trial(run, row)
        if not steps or search.step in steps
    ]
    if not found:
        raise UsageError(
            f"no search with a checkpoint in an unsolved trial of {run}",
            hint="Use a run with --checkpoint every in which an agent searched for tools.",
        )
    return found


def compare_searches(
    run: Path,
    selected: Sequence[Search],
    runs: int,
    catalogue: Mapping[str, ToolSpec],
    folder: Path,
    play: RunFunction,
) -> list[ComparedSearch]:
    """Start `runs` branches in each way at each of these searches: three runs in `folder`.
    `UsageError` names a task that lists no useful tools."""
    branches = [search.branch for search in selected]
    requests = {
        way: fork_of(run, branches, runs, catalogue, given=given) for way, given in WAYS.items()
    }
    for task in next(iter(requests.values())).suite.tasks:
        if not task.spec.useful_tools:
            raise UsageError(
                f"the task {task.name} names no useful_tools, so nothing can be given",
                hint="Leave it out: --tasks names those that count.",
            )
    rows = {way: play(request, folder / way) for way, request in requests.items()}
    return [
        ComparedSearch(
            search.row.folder,
            search.row.task,
            search.step,
            search.query,
            *(outcome(rows_from(rows[way], search.branch)) for way in WAYS),
        )
        for search in selected
    ]


def gateway_regret(compared: Sequence[ComparedSearch], *, seed: int = 0) -> GatewayRegret:
    """The mean losses of these searches; deterministic for the same searches and seed."""
    known = sorted(
        (search for search in compared if search.known),
        key=lambda search: (search.task, search.trial, search.step),
    )

    def mean(values: Sequence[float]) -> Ratio:
        return ratio_of([search.task for search in known], values, [1.0] * len(known), seed)

    return GatewayRegret(
        searches=len(known),
        tasks=len({search.task for search in known}),
        as_it_was=mean([search.as_it_was.success for search in known]),
        answer=mean([search.answer.success for search in known]),
        set=mean([search.set.success for search in known]),
        retriever=mean([search.retriever for search in known]),
        gateway=mean([search.gateway for search in known]),
        model=mean([search.model for search in known]),
    )


def search_records(run: Path, compared: Sequence[ComparedSearch]) -> list[dict[str, Any]]:
    """One flat record per search, always with the same keys in the same order."""
    return [
        {
            "run": str(run),
            "trial": search.trial,
            "task": search.task,
            "step": search.step,
            "query": search.query,
            **{f"as_it_was_{key}": value for key, value in asdict(search.as_it_was).items()},
            **{f"answer_{key}": value for key, value in asdict(search.answer).items()},
            **{f"set_{key}": value for key, value in asdict(search.set).items()},
            "retriever": search.retriever if search.known else None,
            "gateway": search.gateway if search.known else None,
            "model": search.model if search.known else None,
            "loss": search.loss if search.known else None,
        }
        for search in compared
    ]


def _of_trial(run: Path, row: Row) -> Iterator[Search]:
    trial = run / row.folder
    kept = own_checkpointed_steps(trial)
    for line in read_trajectory(trial):
        if line["kind"] != "step" or line["actor"] != AGENT or line["number"] not in kept:
            continue
        for call in line["decision"]["calls"]:
            if call["name"] in SEARCHES:
                yield Search(row, line["number"], str(call["arguments"].get("query", "")))
                break
