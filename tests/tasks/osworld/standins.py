"""Stand-ins for files of OSWorld's tasks: of the shape that instruction and evaluator imply, and
small. With them and the oracles in standins.toml a task goes its whole way without the data set.

    python -m tests.tasks.osworld.standins OSWORLD FOLDER     writes them as the data set has them
    AMBIDEX_ASSETS=STORE ambidex assets import FOLDER OSWORLD
    AMBIDEX_ASSETS=STORE ambidex prove OSWORLD --tasks ... \\
        --annotations tests/tasks/osworld/standins.toml
"""

from __future__ import annotations

import sys
from pathlib import Path

from ambidex.tasks.assets import dataset_path
from ambidex.tasks.osworld.suite import survey
from ambidex.tasks.osworld.task import OSWorldBody
from ambidex.tasks.survey import Selection
from tests.support.served import CATALOGUE
from tests.tasks.osworld.books import BOOKS, Files
from tests.tasks.osworld.papers import PAPERS
from tests.tasks.osworld.things import THINGS

__all__ = ["ORACLES", "OWN", "STANDINS", "write"]

ORACLES = Path(__file__).with_suffix(".toml")
OWN = Path(__file__).parents[3] / "tasks" / "osworld" / "oracles.toml"
"""Oracles of tasks that need no file."""
STANDINS: dict[str, Files] = BOOKS | PAPERS | THINGS
"""Files by the names of tasks."""


def write(osworld: Path, folder: Path) -> None:
    """Write every stand-in at its path in the data set; `KeyError` if a task names a file that is
    not made here."""
    for result in survey(osworld, CATALOGUE, Selection(tuple(STANDINS))):
        assert result.task is not None, result.problems
        assert isinstance(result.task.body, OSWorldBody)
        for url in result.task.body.urls:
            path = folder / dataset_path(url)
            path.parent.mkdir(parents=True, exist_ok=True)
            STANDINS[result.name][path.name](path)


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[2]))
