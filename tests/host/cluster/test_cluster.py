"""Lanes on other hosts, each a raylet on the loopback: the checks of every lane, then failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ambidex.host.cluster.cluster import Cluster, connect
from ambidex.host.cluster.lanes import ClusterSource
from ambidex.host.runs.lanes import LaneRequest, Lanes, RunParts
from ambidex.host.runs.machines import MachineOptions
from ambidex.tasks import Suite
from tests.support.cluster import LoopbackCluster, loopback_cluster
from tests.support.lane_suite import CHECKS, PLACE, OpenedLanes

OPTIONS = MachineOptions(provider="tests.support.peer_provider:PEERS")


@pytest.fixture(scope="module")
def ray(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoopbackCluster]:
    with loopback_cluster(tmp_path_factory.mktemp("hosts")) as cluster:
        yield cluster


@contextmanager
def connected(ray: LoopbackCluster, suite: Suite, **settings: object) -> Iterator[Cluster]:
    parts = RunParts(suite, (f"{PLACE}:Bug",))
    said: list[str] = []
    with connect(ray.address, OPTIONS, parts, print, **settings) as cluster:
        yield cluster


def test_lanes_on_another_host(ray: LoopbackCluster, tmp_path: Path, suite: Suite) -> None:
    ray.add("one")
    with connected(ray, suite) as cluster:
        for check in CHECKS:
            facts = cluster.first()
            source = ClusterSource(cluster, facts.image, facts.provider)
            check(source.lanes, tmp_path / check.__name__, suite)
