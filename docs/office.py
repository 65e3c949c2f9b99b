"""`python docs/office.py` prints docs/office.md from the tasks of the office suite."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

from ambidex.host import ROOT
from ambidex.tasks import Task, verbs_of
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite

HEAD = """# The office suite

`tasks/office` is a suite of Ambidex's own: work that people do in an office, told in their words,
with files that its authors made. It needs no network and no download. This page is printed from the
tasks: `python docs/office.py > docs/office.md`.

    .venv/bin/ambidex run tasks/office --provider sandbox --model openai/gpt-5 --steps 40 --runs 3
    .venv/bin/ambidex prove tasks/office --provider sandbox

* Every task is proved in both directions and on both hands. One oracle uses tools and one only
  mouse and keyboard; both must score 1. If another end state is equally right, it is proved as a
  *variant*. Doing nothing scores 0, and so does each near miss: a mistake that a hasty agent makes,
  or the right result with something else changed on the way.
* The checks of a feasible task also look at the rest: `changes.only` at all files and settings of
  the desktop, and `spreadsheet.rest_unchanged`, `document.rest_unchanged` and others at the rest of
  the file. How slides look is not compared.
* Most tasks on documents have three
  [instances](tasks.md#instances-other-names-figures-and-files) with other names, figures and files.
  Three runs of the suite play all three.
* The tasks in the browser are on a real web application: an intranet with a login, forms, tables,
  search and uploads, and an SQLite database behind it (`tasks/office/shared/files/intranet`). Setup
  starts it in the guest, so it is reset with the machine. The checks compare all rows with those
  before. A change also leaves a note of who made it, which a row written past the pages lacks.
* Infeasible tasks are infeasible for a reason that an agent can find out: a file is missing, a
  figure was never reported. What must not be touched is checked there, too.
* The [difficulty](tasks.md#difficulty) follows from the oracles and the number of applications.
* `tests/tasks/test_office_suite.py` checks these rules for each task.
* `ambidex run tasks/office --agent oracle --steps 40 --provider sandbox` plays the first oracle of
  each task. On one sandbox it took 11 min 46 s, and on one virtual machine without KVM
  (`--provider libvirt --no-stage-cache`) 46 min 24 s, 15 of them for the seven tasks in VS Code
  (`seconds` in results.jsonl). All 68 were solved both times.
* [The proof](office-proof.md) has the score of each oracle, variant and near miss, and how often
  each evaluator was wrong.
* All oracles, variants and near misses of the first instances were also played on
  [virtual machines without KVM](vm-proofs.md), task by task, and all claims held. The hashes there
  show which tasks have changed since.
* [Null agents](office-null.md), which do no task, solve none of the feasible tasks.

"""


def page() -> str:
    """The page in Markdown."""
    suite = load_suite(ROOT / "tasks" / "office", read_catalogue())
    return HEAD + _counts(suite.tasks) + _table(suite.tasks)


def _counts(tasks: tuple[Task, ...]) -> str:
    apps = Counter("several" if len(task.spec.apps) > 1 else task.domain for task in tasks)
    levels = Counter(task.spec.difficulty for task in tasks)
    return (
        f"{len(tasks)} tasks: {_listed(apps)}. "
        f"Tools help in {sum(task.spec.tool_beneficial for task in tasks)}, "
        f"{sum(not task.spec.feasible for task in tasks)} are infeasible, "
        f"{sum(map(_asks, tasks))} ask for an answer in words. "
        f"{', '.join(f'{levels[level]} {level}' for level in ('easy', 'medium', 'hard'))}.\n\n"
    )


def _table(tasks: tuple[Task, ...]) -> str:
    lines = [
        "| task | material | difficulty | tools help | oracles | near misses |\n",
        "| --- | --- | --- | --- | --- | --- |\n",
    ]
    for task in tasks:
        oracles = ", ".join(
            f"{oracle.by} ({oracle.variant})" if oracle.variant else oracle.by
            for oracle in task.spec.oracle
        )
        kind = "" if task.spec.feasible else ", infeasible"
        cells = (
            f"`{task.name}`",
            _material(verbs_of(task).folder),
            f"{task.spec.difficulty}{kind}{', answer' if _asks(task) else ''}",
            "yes" if task.spec.tool_beneficial else "no",
            oracles,
            "; ".join(miss.reason for miss in task.spec.near_miss),
        )
        lines.append(f"| {' | '.join(cells)} |\n")
    return "".join(lines)


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))


def _asks(task: Task) -> bool:
    return any(check.use.startswith("answer.") for check in verbs_of(task).spec.check)


def _material(folder: Path) -> str:
    """What the files of the task are, in the words of its generator, or of the comment on top."""
    generator = folder / "make.py"
    if not generator.is_file():
        first = (folder / "task.toml").read_text(encoding="utf-8").partition("\n")[0]
        return first.removeprefix("#").strip().rstrip(".") if first.startswith("#") else ""
    text = ast.get_docstring(ast.parse(generator.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split()).rstrip(".")


if __name__ == "__main__":
    print(page(), end="")
