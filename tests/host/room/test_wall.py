"""Which runs the control room finds."""

from __future__ import annotations

from pathlib import Path

from ambidex.host.room.lineage import lanes
from ambidex.host.room.wall import Wall
from tests.support.travel import Toy, forked, recorded, suite_in


def test_branches_of_pivots_and_counterfactuals_are_on_the_wall_and_in_the_tree(
    tmp_path: Path,
) -> None:
    suite, runs = suite_in(tmp_path / "demo"), tmp_path / "runs"
    first = runs / "one" / recorded(runs / "one", suite, Toy()).folder
    forked(runs / "one.pivot" / "row.1" / "3", suite, Toy(), first, 3)
    forked(runs / "one.counterfactual" / "gui", suite, Toy(), first, 2, hand="gui")
    wall = Wall([runs])
    names = {"one", "one.pivot.row.1.3", "one.counterfactual.gui"}
    assert wall.runs().keys() == names
    assert wall.trial("one.pivot.row.1.3", "row.1").is_dir()
    tree = lanes([run.whole for run in wall.summaries()], [], ("one", "row.1"), wall.step_kinds)
    assert {lane["run"] for lane in tree} == names
