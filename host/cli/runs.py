"""`ambidex runs`: list the runs on disk, and delete some."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.filesize import decimal
from rich.table import Table
from rich.text import Text

from ambidex.host.cli.options import Json
from ambidex.host.errors import UsageError
from ambidex.host.report.report_lines import missing
from ambidex.host.runs.inventory import StoredRun, delete_runs, stored_runs
from ambidex.host.terminal import Terminal, counted, echo, one_line, print_json

__all__ = ["runs"]

ON = Parameter(negative="")


def runs(
    *places: Path,
    delete: Annotated[bool, ON] = False,
    yes: Annotated[bool, ON] = False,
    json: Json = False,
) -> int:
    """List runs: what ran, how much of it is scored and solved, and how much disk it uses.

    Parameters
    ----------
    places
        Directories of runs or experiments, or directories that contain them; by default runs/.
    delete
        Delete the runs and experiments that are named, after a question. A run in progress is never
        deleted.
    yes
        Delete without a question.
    """
    if yes and not delete:
        raise UsageError("--yes requires --delete")
    if delete and not places:
        raise UsageError("no run named", hint="Name the directories of the runs to delete.")
    found = stored_runs(places or ([Path("runs")] if Path("runs").is_dir() else []))
    if delete:
        return _delete(places, found, yes)
    if json:
        print_json([_as_json(run) for run in found])
    else:
        Terminal().print(_table(found))
    return 0


def _delete(places: Sequence[Path], found: Sequence[StoredRun], yes: bool) -> int:
    size = decimal(sum(run.size for run in found))
    what = f"{counted(len(found), 'run')}, {size}"
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(
                "deletion needs an answer, and there is no terminal", hint="Add --yes."
            )
        for run in found:
            echo(one_line(f"{run.folder}  {decimal(run.size)}"))
        echo(f"Delete {what}? This cannot be undone. [y/N] ", end="")
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            echo("nothing was deleted")
            return 1
    delete_runs(places)
    echo(f"deleted: {what}")
    return 0


def _table(found: Sequence[StoredRun]) -> Table:
    table = Table(
        caption=f"{len(found)} runs, {decimal(sum(run.size for run in found))}",
        caption_justify="left",
    )
    table.add_column("run", overflow="fold")
    for name in ("began (UTC)", "agent or model", "condition"):
        table.add_column(name)
    for name in ("scored", "solved", "size"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("state")
    for run in found:
        table.add_row(
            one_line(str(run.folder)),
            run.began[:16].replace("T", " "),
            one_line(run.player),
            run.config.condition if run.config else "",
            str(run.scored),
            str(run.solved),
            decimal(run.size),
            Text(one_line(_state(run)), "red" if run.problem else ""),
        )
    return table


def _state(run: StoredRun) -> str:
    if run.running:
        return "running"
    if run.config is None or run.problem:
        return run.problem
    absent = len(missing(run.config, run.rows))
    return f"{absent} trials missing" if absent else "complete"


def _as_json(run: StoredRun) -> dict[str, object]:
    return {
        "run": str(run.folder),
        "suite": run.config.suite if run.config else None,
        "agent_or_model": run.player,
        "condition": run.config.condition if run.config else None,
        "began": run.began or None,
        "scored": run.scored,
        "solved": run.solved,
        "bytes": run.size,
        "state": _state(run),
    }
