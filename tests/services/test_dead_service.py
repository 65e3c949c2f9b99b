"""A service that ends and cannot be started again never gives a silent 0."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ambidex.host import Briefing, Decision, Observation, Stop, ToolCall
from ambidex.host.client.guest import Guest
from ambidex.host.errors import GuestError
from ambidex.host.records.rows import Row
from ambidex.host.runs.machines import Source
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite
from ambidex.tasks.survey import Selection
from ambidex.vm import Machine, Place
from ambidex.vm.wait import NotYetError, wait_for
from tests.support.commands import PROJECT
from tests.support.suites import config_of, run_in

BREAK = "truncate --size=0 /var/lib/postgresql/main/global/pg_control && pkill -KILL -x postgres"
INSIDE = ("--user", "--mount", "--pid", "--root", "--wd=/")


def break_database(machine: Any) -> None:
    """End the database for good, as root inside the sandbox."""
    enter = ["nsenter", "--target", str(machine.instance.pid()), *INSIDE, "--"]
    subprocess.run([*enter, "sh", "-c", BREAK], check=True)
    with Guest(machine.endpoint, machine.token) as guest:

        def missed() -> None:
            health, console = guest.health(), machine.console()
            if health.ready or "pg_control" not in console:
                raise NotYetError(f"{health} {console}")

        wait_for(missed, bound=60, fail=AssertionError)


class BreaksWhenReverted:
    """A machine whose database is dead when a trial begins."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def __getattr__(self, name: str) -> Any:
        return getattr(self._machine, name)

    def revert(self, snapshot: Place, services: Any = None) -> None:
        self._machine.revert(snapshot, services)
        break_database(self._machine)


class Breaks:
    """An agent that calls a tool; then the database ends, and the agent says that it is done."""

    def __init__(self, machine: Callable[[], Machine]) -> None:
        self._machine, self._called = machine, False

    def step(self, observation: Observation) -> Decision:
        if not self._called:
            self._called = True
            return Decision(calls=(ToolCall("call-1", "database_list_schemas", {}),))
        break_database(self._machine())
        return Decision(stop=Stop.DONE)


def played(machines: Source, folder: Path, wrap: Any, agent: Any) -> list[Row]:
    suite = load_suite(
        PROJECT / "tasks/services",
        read_catalogue(),
        selection=Selection(tasks=("database-overdue",)),
    )
    config = config_of(suite, image=machines.image, provider=machines.provider)
    made: list[Machine] = []

    def make() -> Any:
        made.append(machines.make())
        return wrap(made[-1])

    def make_agent(name: str, task: object, briefing: Briefing) -> Any:
        return agent(lambda: made[-1])

    return run_in(folder, suite, config, make, make_agent if agent else None)


def test_a_service_that_is_dead_before_the_agent_acts_makes_the_trial_void_with_its_log(
    machines: Source, tmp_path: Path
) -> None:
    rows = played(machines, tmp_path / "run", BreaksWhenReverted, None)
    assert {row.fate for row in rows} == {"void"}
    for row in rows:
        assert (row.acted, row.phase) == (0, "setup")
        assert row.failure is not None
        assert "service database" in row.failure.message
        assert "service-database ended" in row.failure.console
        assert "pg_control" in row.failure.console, "its log"


def test_one_that_dies_after_the_agent_has_acted_is_scored_0_at_the_second_time_with_the_cause(
    machines: Source, tmp_path: Path
) -> None:
    first, second = played(machines, tmp_path / "run", lambda machine: machine, Breaks)
    assert (first.fate, first.acted) == ("void", 1)
    assert (second.fate, second.score) == ("scored", 0.0)
    assert GuestError.__name__ in second.forfeit
    assert "scored 0: it failed twice after the agent had acted" in second.reason
