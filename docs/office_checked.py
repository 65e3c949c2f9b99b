"""`python docs/office_checked.py NULL [PROOF]` prints docs/office-checked.md from a run of
`ambidex null` on the office suite and, if it is given, one of `ambidex prove`."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from ambidex.host import ROOT
from ambidex.host.cli.trust.matrix_tables import matrix_table
from ambidex.host.cli.trust.null import scores_table, sentences
from ambidex.host.records.config import RunConfig
from ambidex.host.records.rows import read_rows
from ambidex.host.runs.matrix import matrix
from ambidex.host.runs.null import NullRun, read_null_run
from ambidex.host.runs.prove import Claim, verdicts
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite

HEAD = """# How the office suite was checked

What `ambidex null` says of the [office suite](office.md), printed from its run:

    ambidex null tasks/office {machines} --out runs/null
    python docs/office_checked.py runs/null > docs/office-checked.md

Given a proof as well (`ambidex prove tasks/office {machines} --out runs/proof`),
the second command also prints its claims, and how often each evaluator was wrong.
[Null agents and passports](passport.md) explains what is counted, and why.
"""


def page(null_run: Path, proof: Path | None = None) -> str:
    """The page in Markdown."""
    nulls = read_null_run(null_run)
    said = "".join(f"* {sentence}\n" for sentence in sentences(nulls))
    return (
        HEAD.format(machines=_machines(nulls.config))
        + f"\n## Null agents\n\n{len(nulls.rows)} trials. No agent does the task.\n\n"
        + _markdown(scores_table(nulls))
        + f"\n{said}"
        + (_proved(proof, nulls) if proof else "")
    )


def _proved(proof: Path, nulls: NullRun) -> str:
    suite = load_suite(ROOT / "tasks" / "office", read_catalogue())
    claims = verdicts(suite, read_rows(proof))
    qualities, wrong = matrix(suite, proof, nulls)
    wrongly = "".join(
        f"* {one.task}, {one.evaluator}, {one.played}: {one.reason}\n" for one in wrong
    )
    return (
        "\n## Proof\n\n"
        + f"{sum(claim.holds for claim in claims)} of {len(claims)} claims hold: an oracle or an"
        " accepted variant must score 1, doing nothing and each near miss 0.\n\n"
        + _proof(claims)
        + "\n## Evaluators\n\n"
        + _markdown(matrix_table(suite, qualities))
        + f"\n{wrongly or 'No verdict was wrong.'}\n"
    )


def _machines(config: RunConfig) -> str:
    return f"--provider {config.provider} --image {config.image.partition(':')[0]}"


def _proof(claims: list[Claim]) -> str:
    """The scores of each task, by what was played."""
    kinds = {"oracle:tools": "by tools", "oracle:gui": "by GUI", "says_done": "nothing"}
    names = [*kinds.values(), "near misses"]
    scores: dict[str, dict[str, list[str]]] = {}
    for claim in claims:
        agent = claim.job.agent
        kind = next((kinds[start] for start in kinds if agent.startswith(start)), "near misses")
        score = "–" if claim.row is None else f"{claim.row.score:g}"
        shown = score if claim.holds else f"**{score}**"
        scores.setdefault(claim.job.task, {}).setdefault(kind, []).append(shown)
    rows = [[task, *(", ".join(by.get(name, [])) for name in names)] for task, by in scores.items()]
    return _lines([["task", *names], *rows])


def _markdown(table: Table) -> str:
    """A table of the command line in Markdown."""
    text = Console(width=1000, no_color=True)
    columns = [
        [
            str(column.header).replace("_\n", "_").replace("\n", " "),
            *(_plain(text, cell) for cell in column.cells),
        ]
        for column in table.columns
    ]
    return _lines([list(row) for row in zip(*columns, strict=True)])


def _plain(console: Console, cell: object) -> str:
    return str(console.render_str(str(cell)))


def _lines(rows: list[list[str]]) -> str:
    head, *body = rows
    ruler = ["---", *("---:" for _ in head[1:])]
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, ruler, *body))


if __name__ == "__main__":
    print(page(*map(Path, sys.argv[1:])), end="")
