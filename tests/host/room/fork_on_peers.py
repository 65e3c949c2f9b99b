"""`ambidex fork` on guests without a desktop: the verb as it is, the tools and the model of the
peer."""

from __future__ import annotations

import sys
from pathlib import Path

from cyclopts import App

from ambidex.host.cli import travel
from ambidex.host.records.rows import Row
from ambidex.host.runs.lanes import OpenLanes
from ambidex.host.runs.launch import RunRequest
from ambidex.host.runs.machines import MachineOptions
from tests.support.peer import CATALOGUE
from tests.support.travel import Toy, on_peers


def launch(
    request: RunRequest, folder: Path, options: MachineOptions, *, open_lanes: OpenLanes
) -> list[Row]:
    """As `host.runs.launch.launch`."""
    return on_peers(Toy())(request, folder)


if __name__ == "__main__":
    vars(travel).update(read_catalogue=lambda: CATALOGUE, launch=launch)
    app = App()
    app.command(travel.fork)
    sys.exit(app(result_action="return_value"))
