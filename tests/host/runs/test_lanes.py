"""Lanes on this computer pass the checks of every lane, on machines that are peers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ambidex.host.runs.lanes import LocalSource, OpenLanes, RunParts, on_this_computer
from ambidex.host.runs.machines import MachineOptions, Source
from ambidex.tasks import Suite
from tests.support.lane_suite import CHECKS, OpenedLanes
from tests.support.peer import PeerMachine


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_lane_here(
    check: Callable[[OpenedLanes, Path, Suite], None], tmp_path: Path, suite: Suite
) -> None:
    check(LocalSource(Source(PeerMachine, "peer", "peers")).lanes, tmp_path / "run", suite)


def test_the_machines_of_this_computer_are_those_of_the_provider(suite: Suite) -> None:
    options = MachineOptions(provider="tests.support.peer_provider:PEERS")
    opener: OpenLanes = on_this_computer
    with opener(options, RunParts(suite), print) as source:
        assert (source.image, source.provider) == ("peer", "peers")
