"""Lanes on this computer pass the checks of every lane, on machines that are peers."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from ambidex.host import Decision, Limits, Observation
from ambidex.host.runs.lanes import LocalSource, OpenLanes, RunParts, on_this_computer
from ambidex.host.runs.launch import RunRequest, launch
from ambidex.host.runs.machines import MachineOptions, Source
from ambidex.host.runs.runner import plan
from ambidex.tasks import Suite
from tests.support.lane_suite import CHECKS, OpenedLanes
from tests.support.peer import CATALOGUE, PeerMachine
from tests.support.peer_provider import PEERS
from tests.support.suites import config_of, run_in


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


def test_machines_that_play_one_trial_each_have_no_spares(tmp_path: Path, suite: Suite) -> None:
    jobs = plan(("says_done",), 1, suite)
    options = MachineOptions(provider="tests.support.peer_provider:PEERS")
    for count, spares in ((1, 0), (2, 1)):
        request = RunRequest(suite, ("says_done",), jobs[:count], Limits(), CATALOGUE)
        assert len(launch(request, tmp_path / str(count), options)) == count
        assert PEERS.spares == spares


def test_a_full_disk_is_a_void_of_the_host_not_a_bug(tmp_path: Path, suite: Suite) -> None:
    class Full:
        def step(self, observation: Observation) -> Decision:
            raise OSError(errno.ENOSPC, "No space left on device", "frames/1.png")

    rows = run_in(tmp_path, suite, config_of(suite), make_agent=lambda *_: Full())
    assert [row.fate for row in rows] == ["void"] * 6
    failure = rows[0].failure
    assert failure
    assert (failure.type, rows[0].ended_by) == ("HostError", "machine")
    assert "the disk is full" in failure.message
