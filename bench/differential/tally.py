"""What a differential found, by metric: counted, stored as JSON by family, and shown as a page."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from bench.differential import Case, Outcome

__all__ = ["RESULTS", "Difference", "Tally", "agree", "page", "read_tallies", "write_tallies"]

RESULTS = Path(__file__).with_name("results")
NEAR = 1e-9


class Stored(BaseModel):
    """What is read back from the folder of results."""

    model_config = ConfigDict(extra="forbid")


class Difference(Stored):
    """Cases of one kind on which the two sides differ."""

    note: str
    ours: str
    upstream: str
    cases: int = 0
    example: str = ""
    """What our side said of one of them."""
    reason: str = ""
    """Why it stays; empty for what is still to be fixed."""


class Tally(Stored):
    """One metric."""

    seed: int
    cases: int = 0
    agreed: int = 0
    not_run: int = 0
    """Cases that upstream could not be asked."""
    why_not_run: str = ""
    differences: list[Difference] = []

    def count(self, case: Case, ours: Outcome, theirs: Outcome, reason: str) -> bool:
        """Take in one case; whether both sides agree."""
        if theirs.kind == "unavailable":
            self.not_run += 1
            self.why_not_run = theirs.said
            return True
        self.cases += 1
        if agree(ours, theirs):
            self.agreed += 1
            return True
        said = (case.note, _shown(ours), _shown(theirs))
        for each in self.differences:
            if (each.note, each.ours, each.upstream) == said:
                each.cases += 1
                return False
        self.differences.append(
            Difference(
                note=said[0],
                ours=said[1],
                upstream=said[2],
                cases=1,
                example=ours.said[:160],
                reason=reason,
            )
        )
        return False


def agree(ours: Outcome, theirs: Outcome) -> bool:
    """Whether both sides come to one result. An exception, a time limit and a task that does not
    load give none, which is 0."""
    if ours.kind == "crashed":
        return False
    if ours.kind == "refused":
        return theirs.kind in {"raised", "timeout"}
    return abs(ours.score - theirs.score) <= NEAR


def _shown(outcome: Outcome) -> str:
    return f"{round(outcome.score, 3):g}" if outcome.kind == "score" else outcome.kind


def read_tallies(folder: Path = RESULTS) -> dict[str, Tally]:
    """Every stored metric."""
    found: dict[str, Tally] = {}
    for path in sorted(folder.glob("*.json")):
        held = json.loads(path.read_text())
        found |= {name: Tally.model_validate(each) for name, each in held.items()}
    return dict(sorted(found.items()))


def write_tallies(family: str, tallies: dict[str, Tally], folder: Path = RESULTS) -> None:
    """Store metrics of a family; its other metrics stay as they were."""
    path = folder / f"{family}.json"
    held = json.loads(path.read_text()) if path.exists() else {}
    held |= {name: each.model_dump(exclude_defaults=True) for name, each in tallies.items()}
    folder.mkdir(exist_ok=True)
    path.write_text(json.dumps(dict(sorted(held.items())), indent=1, ensure_ascii=False) + "\n")


HEAD = """# OSWorld's metrics against upstream's own functions

`score` is what OSWorld would give. This page says how far that holds: each metric was asked the
same cases as upstream's own function (`bench/differential`), with rules of OSWorld's tasks and
evidence that is right, nearly right, changed at random and broken. Two results agree where they are
equal to 1e-9; an exception upstream leaves a run without a result, which is 0. The page is made by
`python -m bench.differential --table docs/osworld-differential.md` from the stored results of
`python -m bench.differential --upstream DIR`, where `DIR` holds OSWorld's `desktop_env`.
"""


def page(tallies: dict[str, Tally]) -> str:
    """The page of all metrics."""
    ran = {name: each for name, each in tallies.items() if each.cases}
    total, agreed = (
        sum(each.cases for each in ran.values()),
        sum(each.agreed for each in ran.values()),
    )
    lines = [HEAD]
    if total:
        lines.append(
            f"{len(ran)} metrics, {total:,} cases, {agreed:,} agree ({_share(agreed, total)}).\n"
        )
    lines += ["| metric | cases | agree | share |", "|---|---|---|---|"]
    lines += [
        f"| `{name}` | {each.cases:,} | {each.agreed:,} | {_share(each.agreed, each.cases)} |"
        for name, each in ran.items()
    ]
    lines += ["", "## The remaining differences", ""]
    rows = list(_differences(ran))
    if rows:
        lines += ["| metric | kind of case | cases | ours | upstream | reason |"]
        lines += ["|---|---|---|---|---|---|", *rows]
    else:
        lines.append("None.")
    absent = {name: each for name, each in tallies.items() if not each.cases}
    if absent:
        lines += ["", "## Metrics that could not be run upstream", ""]
        lines += [f"- `{name}`: {each.why_not_run}" for name, each in absent.items()]
    return "\n".join(lines) + "\n"


def _share(part: int, whole: int) -> str:
    # Never rounded up to 100 %.
    return f"{int(10_000 * part / whole) / 100:.2f} %" if whole else "—"


def _differences(tallies: dict[str, Tally]) -> Iterable[str]:
    for name, tally in tallies.items():
        for each in tally.differences:
            parts = (each.note, each.cases, each.ours, each.upstream, each.reason or each.example)
            cells = (str(part).replace("|", "\\|").replace("\n", " ") for part in parts)
            yield f"| `{name}` | {' | '.join(cells)} |"
