"""A passport as an HTML page that loads nothing."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from ambidex.host.agents.null import SAYS_INFEASIBLE
from ambidex.host.passport import Passport, TaskFacts, TrialFacts, canonical
from ambidex.host.passport.signing import Signature, signature_of
from ambidex.host.report.html_page import page

__all__ = ["write_page"]


LEFT_OUT = ", without the tasks that null agents solved"


def write_page(passport: Passport, file: Path, signature: Signature | None) -> Path:
    """Write the page alongside the passport; return its path."""
    path = file.with_suffix(".html")
    text = page(
        "passport.html",
        passport=passport,
        tables=[
            *((line, "") for line in passport.numbers),
            *((line, LEFT_OUT) for line in passport.numbers_without_solvable),
        ],
        trials=trials_by_task(passport),
        highest={name: highest_null(task) for name, task in passport.tasks.items()},
        file=file.name,
        digest=sha256(canonical(passport)).hexdigest(),
        signature=signature,
        signature_file=signature_of(file).name,
    )
    path.write_text(text, encoding="utf-8")
    return path


def highest_null(task: TaskFacts) -> float | None:
    """The highest score that a null agent got without being right."""
    scores = [
        score
        for agent, score in task.null.items()
        if score is not None and (agent != SAYS_INFEASIBLE or task.feasible is not False)
    ]
    return max(scores, default=None)


def trials_by_task(passport: Passport) -> dict[str, list[TrialFacts]]:
    """The attempts of each task, in the order of the rows."""
    by_task: dict[str, list[TrialFacts]] = {name: [] for name in sorted(passport.tasks)}
    for trial in passport.trials:
        by_task.setdefault(trial.task, []).append(trial)
    return by_task
