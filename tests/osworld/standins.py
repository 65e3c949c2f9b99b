"""Stand-ins for files of OSWorld's tasks: of the shape that instruction and evaluator imply, and
small. With them and the oracles in standins.toml a task goes its whole way without the data set.

    python -m tests.osworld.standins OSWORLD FOLDER     writes them as the data set has them
    AMBIDEX_ASSETS=STORE ambidex assets import FOLDER OSWORLD
    AMBIDEX_ASSETS=STORE ambidex prove OSWORLD --annotations tests/osworld/standins.toml --tasks ...
"""

from __future__ import annotations

import sys
from pathlib import Path

from ambidex.tasks.osworld.assets import dataset_path
from ambidex.tasks.osworld.suite import Selection, survey
from ambidex.tasks.osworld.task import OSWorldBody
from tests.osworld.books import BOOKS, Files
from tests.osworld.papers import PAPERS
from tests.osworld.things import THINGS
from tests.served import CATALOGUE

__all__ = ["ORACLES", "OWN", "STANDINS", "write"]

ORACLES = Path(__file__).with_suffix(".toml")
OWN = Path(__file__).parents[2] / "tasks" / "osworld" / "oracles.toml"
"""Of tasks that need no file."""
STANDINS: dict[str, Files] = BOOKS | PAPERS | THINGS
"""By the tasks' names."""


def write(osworld: Path, folder: Path) -> None:
    """Every stand-in at its place in the data set; `KeyError` where a task names a file that is not
    made here."""
    for found in survey(osworld, CATALOGUE, Selection(tuple(STANDINS))):
        assert found.task is not None, found.problems
        assert isinstance(found.task.body, OSWorldBody)
        for url in found.task.body.urls:
            path = folder / dataset_path(url)
            path.parent.mkdir(parents=True, exist_ok=True)
            STANDINS[found.name][path.name](path)


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[2]))
