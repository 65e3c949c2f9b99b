"""Pages about how suites were checked. `python docs/checked.py PAGE RUN` prints one of them from
one run: `null-office` and `null-osworld` from a run of `ambidex null`, `proof-office` from one of
`ambidex prove`. `vm-rows` prints the rows of one proof on virtual machines, which are added to
`docs/vm-proofs.md`, since the whole takes many hours."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from ambidex.host import ROOT
from ambidex.host.agents.null import NULL_AGENTS
from ambidex.host.cli.trust.matrix_tables import matrix_table
from ambidex.host.cli.trust.null import scores_table, sentences
from ambidex.host.records.config import RunConfig, read_config
from ambidex.host.records.rows import finished, read_rows
from ambidex.host.runs.matrix import matrix
from ambidex.host.runs.null import read_null_run
from ambidex.host.runs.prove import Claim, verdicts
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite
from ambidex.tasks.survey import Selection

NULL_OFFICE = """# Null agents on the office suite

What agents that do no task score on the [office suite](office.md), printed from a run of
`ambidex null`:

    ambidex null tasks/office {machines} --out runs/null
    python docs/checked.py null-office runs/null > docs/office-null.md

[Null agents and passports](passport.md) explains what is counted, and why.
"""

NULL_OSWORLD = """# Null agents on OSWorld's tasks

What agents that do no task score on [OSWorld's tasks](osworld.md) that need no network, printed
from a run of `ambidex null`:

    ambidex null OSWORLD --net offline {machines} --out runs/null
    python docs/checked.py null-osworld runs/null > docs/osworld-null.md

The checkout had 296 of the benchmark's 369 tasks.

`ambidex report RUN --exclude-null-solvable runs/null` leaves the tasks out that such an agent
solves. [Null agents and passports](passport.md) explains what is counted, and why.
"""

PROOF = """# Proof of the office suite

Whether the checks of the [office suite](office.md) know right from wrong, printed from a run of
`ambidex prove`:

    ambidex prove tasks/office {machines} --out runs/proof
    python docs/checked.py proof-office runs/proof > docs/office-proof.md

## Claims

{holding} of {claims} claims hold: an oracle or an accepted variant must score 1, doing nothing and
each near miss 0.
"""

MATRIX = """
## Evaluators

How often each evaluator was wrong, over the evidence of the proof and over mutations of what the
oracles left. [Null agents and passports](passport.md) explains the columns.
"""


def null_page(head: str, run: Path) -> str:
    """The page about a run of null agents, in Markdown."""
    nulls = read_null_run(run)
    said = "".join(f"{_indent(sentence)}* {sentence.strip()}\n" for sentence in sentences(nulls))
    scored = len(finished(nulls.rows))
    return (
        head.format(machines=_machines(nulls.config) + _agents(nulls.config))
        + f"\n{scored} trials.\n\n{_markdown(scores_table(nulls))}\n{said}"
    )


def proof_page(head: str, run: Path) -> str:
    """The page about a proof, in Markdown."""
    suite = load_suite(ROOT / "tasks" / "office", read_catalogue())
    claims = verdicts(suite, read_rows(run))
    qualities, wrong = matrix(suite, run)
    wrongly = "".join(
        f"* {one.task}, {one.evaluator}, {one.played}: {one.reason}\n" for one in wrong
    )
    head = head.format(
        machines=_machines(read_config(run)),
        holding=sum(claim.holds for claim in claims),
        claims=len(claims),
    )
    return (
        f"{head}\n{_proof(claims)}{MATRIX}\n{_markdown(matrix_table(suite, qualities))}"
        f"\n{wrongly or 'No verdict was wrong.'}\n"
    )


def vm_rows(run: Path) -> str:
    """A row of `docs/vm-proofs.md` for each task of a proof whose claims were all played."""
    config = read_config(run)
    folder = ROOT / "tasks" / Path(config.suite).name
    chosen = Selection(tasks=tuple(config.tasks))
    suite = load_suite(folder, read_catalogue(), selection=chosen)
    claims: dict[str, list[Claim]] = {}
    for claim in verdicts(suite, read_rows(run)):
        claims.setdefault(claim.job.task, []).append(claim)
    played = {task: of for task, of in claims.items() if all(claim.row for claim in of)}
    return _rows([_vm_row(folder.name, task, of) for task, of in sorted(played.items())])


def _vm_row(suite: str, task: str, claims: list[Claim]) -> list[str]:
    rows = [claim.row for claim in claims if claim.row]
    minutes = sum(row.seconds["total"] for row in rows) / 60
    return [
        f"{suite}/{task}",
        rows[0].task_hash[:12],
        f"{sum(claim.holds for claim in claims)} of {len(claims)}",
        str(sum(len(row.repeats) for row in rows)),
        f"{minutes:.1f}",
        max(row.started for row in rows)[:10],
    ]


def _machines(config: RunConfig) -> str:
    return f"--provider {config.provider} --image {config.image.partition(':')[0]}"


def _indent(sentence: str) -> str:
    """The indentation of a sentence's bullet: a detail of the sentence before it is indented."""
    return "    " if sentence.startswith(" ") else ""


def _agents(config: RunConfig) -> str:
    """The option that names these null agents, if they are not all."""
    chosen = config.agents
    return "" if set(chosen) == set(NULL_AGENTS) else f" --agents {' '.join(chosen)}"


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
    return _rows([head, ["---", *("---:" for _ in head[1:])], *body])


def _rows(rows: list[list[str]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


PAGES: dict[str, Callable[[Path], str]] = {
    "null-office": partial(null_page, NULL_OFFICE),
    "null-osworld": partial(null_page, NULL_OSWORLD),
    "proof-office": partial(proof_page, PROOF),
    "vm-rows": vm_rows,
}

if __name__ == "__main__":
    which, run = sys.argv[1:]
    print(PAGES[which](Path(run)), end="")
