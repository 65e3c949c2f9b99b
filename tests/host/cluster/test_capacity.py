"""How many machines a host offers to a cluster, and what a run on one needs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ambidex.host.cli.options import lanes_at
from ambidex.host.cluster.bundle import source_digest, write_bundle
from ambidex.host.cluster.capacity import (
    ACCELERATED,
    EMULATED,
    SANDBOX,
    Capacity,
    ray_command,
    this_host,
)
from ambidex.host.errors import UsageError
from ambidex.host.runs.lanes import RunParts, on_this_computer
from ambidex.host.runs.machines import MachineOptions
from ambidex.tasks import Suite


def test_memory_or_cores_decide_how_many_machines_a_host_holds() -> None:
    assert Capacity(SANDBOX, 2048 + 10 * 1536, cores=64).machines == 10
    assert Capacity(ACCELERATED, 256 * 1024, cores=16).machines == 32
    assert Capacity(EMULATED, 256 * 1024, cores=16).machines == 8
    assert Capacity(SANDBOX, 1000, cores=2).machines == 0
    assert [capacity.kind for capacity in this_host(kvm=True)] == [SANDBOX, ACCELERATED]
    assert ray_command(12).endswith("""--resources='{"desk": 12}'""")


def test_without_an_address_a_run_stays_on_this_computer() -> None:
    assert lanes_at("") is on_this_computer
    assert lanes_at("auto") is not on_this_computer


def test_without_ray_the_error_gives_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, suite: Suite
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with (
        pytest.raises(UsageError, match="--cluster needs the package ray") as refused,
        lanes_at("auto")(MachineOptions(), RunParts(suite), print),
    ):
        pass
    assert refused.value.hint == "pip install 'ambidex[cluster]'"


def test_a_bundle_holds_the_code_the_suite_and_parts_of_the_users_own(
    tmp_path: Path, suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here" / "toolsets").mkdir(parents=True)
    (tmp_path / "here" / "my_agent.py").write_text("class Mine: ...\n")
    (tmp_path / "here" / "toolsets" / "all.toolset").write_text("x")
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.syspath_prepend(str(tmp_path / "here"))
    references = (
        "my_agent:Mine",
        "oracle:tools",
        "json:loads",
        "ambidex.host.agents:x",
        "says_done",
    )
    target = tmp_path / "bundle"
    target.mkdir()
    code = tmp_path / "served"
    (code / "mcp_tools").mkdir(parents=True)
    (code / "mcp_tools" / "draft.py").write_text("")
    parts = RunParts(suite, references, ("toolsets/all.toolset",), code)
    digest = write_bundle(target, parts)
    assert digest == source_digest()
    assert {path.name for path in target.iterdir()} == {
        "ambidex",
        "code",
        "suite",
        "my_agent.py",
        "toolsets",
    }
    assert (target / "code" / "mcp_tools" / "draft.py").is_file()
    assert (target / "suite" / suite.folder.name / "cell" / "task.toml").is_file()
    with pytest.raises(UsageError, match="toolset /all cannot be sent"):
        write_bundle(tmp_path / "other", RunParts(suite, (), ("/all",)))
