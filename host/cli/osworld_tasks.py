"""`ambidex tasks`: two checkouts of OSWorld compared, and notes on tasks imported."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from rich.table import Table

from ambidex.host.cli.run import Json, print_json
from ambidex.host.errors import UsageError
from ambidex.host.osworld.revisions import Change, changes
from ambidex.host.terminal import Terminal, echo
from ambidex.tasks import TaskError
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.osworld.annotations import Notes, format_notes, import_notes
from ambidex.tasks.osworld.suite import Selection, survey

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
    found = changes(a, b)
    if json:
        print_json([{"name": each.name, "said": list(each.said)} for each in found])
    else:
        Terminal().print(_table(found))
        echo(f"{len(found)} tasks differ")
    return 1 if found else 0


def _table(found: list[Change]) -> Table:
    table = Table(title="What differs", title_justify="left")
    table.add_column("task", no_wrap=True)
    table.add_column("in")
    for each in found:
        table.add_row(each.name, "\n".join(each.said))
    return table


@tasks.command
def annotate(
    folder: Path,
    lists: Path,
    *,
    index: Annotated[
        Path | None, Parameter(help="a list of tasks with the network of each")
    ] = None,
    out: Annotated[Path | None, Parameter(help="the file to write; else it is printed")] = None,
) -> int:
    """Make notes on tasks from OSWorld-MCP's lists: which tools help, and how many.

    Parameters
    ----------
    folder
        A checkout of OSWorld.
    lists
        A folder with has_tool.json and task_with_<n>_tools.json.
    """
    catalogue = read_catalogue()
    names = {each.id: each.name for each in survey(folder, catalogue)}
    notes = import_notes(lists, names, index)
    if out is None:
        echo(format_notes(notes), end="")
        return 0
    if out.exists():
        raise UsageError(f"{out} is there already", hint="Notes are edited by hand: give another.")
    out.write_text(format_notes(notes), encoding="utf-8")
    again = survey(folder, catalogue, Selection(annotations=out))
    if problems := [problem for each in again for problem in each.problems]:
        raise TaskError(tuple(problems))
    echo(f"{_said(notes)}: {out}", error=True)
    return 0


def _said(notes: Notes) -> str:
    helped = sum(bool(note.tool_beneficial) for note in notes.tasks.values())
    return f"{len(notes.tasks)} tasks, tools help in {helped}"
