"""`ambidex compare`: two runs, task by task."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ambidex.host.cli.options import Json
from ambidex.host.errors import UsageError
from ambidex.host.report.pair.flips import compare_runs
from ambidex.host.report.pair.page import write_comparison
from ambidex.host.report.pair.text import as_json, comparison_tables
from ambidex.host.terminal import Terminal, print_json

__all__ = ["compare"]

ON = Parameter(negative="")


def compare(
    a: Path,
    b: Path,
    *,
    html: Path | None = None,
    rescored: Annotated[bool, ON] = False,
    json: Json = False,
) -> int:
    """Compare two runs: the tasks that only one of them solved, the step at which their episodes
    first differ, and whether the difference is significant.

    Parameters
    ----------
    a
        Directory of a run.
    b
        Directory of the run to compare it with.
    html
        Write the comparison as an HTML page, with the two episodes side by side at that step.
    rescored
        Use the latest scores of `ambidex score`.
    """
    if html and not html.parent.is_dir():
        raise UsageError(f"{html} cannot be written: there is no directory {html.parent}")
    compared = compare_runs(a, b, rescored=rescored)
    if json:
        print_json(as_json(compared))
    else:
        Terminal().print(comparison_tables(compared))
    if html:
        write_comparison(compared, html)
    return 0
