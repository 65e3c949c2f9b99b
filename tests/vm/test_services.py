"""Services in a virtual machine, where they are systemd units."""

from __future__ import annotations

from pathlib import Path

import pytest

from ambidex.host.client.guest import Guest
from ambidex.host.errors import MachineError
from ambidex.host.records.rows import read_rows
from ambidex.vm.building.image import find_base, open_image
from ambidex.vm.provider import LibvirtProvider
from tests.conftest import without
from tests.support.commands import ambidex
from tests.support.proofs import IMAGE


@pytest.fixture(autouse=True)
def built() -> None:
    try:
        find_base(IMAGE)
    except MachineError as error:
        without(str(error))


def test_a_service_is_filled_for_a_task_and_its_state_is_the_evidence(
    provider: str, tmp_path: Path
) -> None:
    """The agent does nothing, because an emulated processor is slow to start a tool server in
    Python. `tests/services` plays the oracles."""
    words = ["run", "tasks/services", "--tasks", "database-overdue", "--agent", "says_done"]
    machine = ["--provider", provider, "--image", IMAGE]
    assert ambidex(*words, *machine, "--out", tmp_path / "run") == 0
    [row] = read_rows(tmp_path / "run")
    late = ("2026-101", "2026-102", "2026-103", "2026-107", "2026-110")
    missing = (f"('{number}', 'overdue') is missing from invoices" for number in late)
    assert (row.score, row.reason) == (0.0, "; ".join(missing))


def test_a_program_judges_a_fork_of_the_machine(provider: str, tmp_path: Path) -> None:
    task = "postgres.easy.clinic.auditor_role"
    words = ["run", "tasks/services-mcpmark", "--tasks", task, "--agent", "says_done"]
    machine = ["--provider", provider, "--image", IMAGE]
    assert ambidex(*words, *machine, "--out", tmp_path / "run") == 0
    [row] = read_rows(tmp_path / "run")
    assert (row.score, row.failure) == (0.0, None)
    assert row.reason.startswith("verify.py exited with status 1: ")


@pytest.mark.vm
def test_tool_servers_that_start_slowly_run_in_every_fork() -> None:
    with LibvirtProvider(spares=0) as libvirt, libvirt.machine(open_image(IMAGE)) as machine:
        machine.revert("ready")
        with Guest(machine.endpoint, machine.token) as guest:
            running = guest.run(["ps", "-eo", "args"]).stdout
    servers = ("@playwright/mcp/cli.js", "server-filesystem", "chromium --type=renderer")
    assert [name for name in servers if name not in running] == []
