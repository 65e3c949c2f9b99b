"""`ambidex tasks`: compare two OSWorld checkouts, and import annotations of tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from rich.table import Table

from ambidex.host.cli.options import Json
from ambidex.host.errors import UsageError
from ambidex.host.osworld.revisions import Change, changes
from ambidex.host.terminal import Terminal, echo, print_json
from ambidex.tasks import TaskError
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.osworld.annotations import Notes, format_notes, import_notes
from ambidex.tasks.osworld.suite import survey
from ambidex.tasks.survey import Selection

__all__ = ["tasks"]

tasks = App(name="tasks")


@tasks.command
def diff(a: Path, b: Path, *, json: Json = False) -> int:
    """List the tasks that differ between two OSWorld checkouts, and how.

    Parameters
    ----------
    a
        The earlier checkout.
    b
        The later checkout.
    """
    differing = changes(a, b)
    if json:
        print_json([{"name": task.name, "said": list(task.said)} for task in differing])
    else:
        Terminal().print(_table(differing))
        echo(f"{len(differing)} tasks differ")
    return 1 if differing else 0


def _table(tasks: list[Change]) -> Table:
    table = Table(title="What differs", title_justify="left")
    table.add_column("task", no_wrap=True)
    table.add_column("in")
    for task in tasks:
        table.add_row(task.name, "\n".join(task.said))
    return table


@tasks.command
def annotate(
    folder: Path,
    lists: Path,
    *,
    index: Annotated[
        Path | None, Parameter(help="A list of tasks with the network of each.")
    ] = None,
    out: Annotated[
        Path | None, Parameter(help="The file to write; by default the notes are printed.")
    ] = None,
) -> int:
    """Convert OSWorld-MCP's lists to annotations of tasks: which tools help, and how many.

    Parameters
    ----------
    folder
        An OSWorld checkout.
    lists
        A folder with has_tool.json and task_with_<n>_tools.json.
    """
    catalogue = read_catalogue()
    names = {task.id: task.name for task in survey(folder, catalogue)}
    notes = import_notes(lists, names, index)
    if out is None:
        echo(format_notes(notes), end="")
        return 0
    if out.exists():
        raise UsageError(
            f"{out} already exists", hint="Annotations are edited by hand: name another file."
        )
    out.write_text(format_notes(notes), encoding="utf-8")
    again = survey(folder, catalogue, Selection(annotations=out))
    if problems := [problem for task in again for problem in task.problems]:
        raise TaskError(tuple(problems))
    echo(f"{_summary(notes)}: {out}", error=True)
    return 0


def _summary(notes: Notes) -> str:
    helped = sum(bool(note.tool_beneficial) for note in notes.tasks.values())
    return f"{len(notes.tasks)} tasks, tools help in {helped}"
