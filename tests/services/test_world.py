"""A machine's services go back, are kept and are forked with the machine."""

from __future__ import annotations

import json
from pathlib import Path

from ambidex.host.client.guest import Guest
from ambidex.vm import Machine
from tests.services.conftest import NEEDS
from tests.support.database import sql

NOTES = "CREATE TABLE IF NOT EXISTS notes (n serial PRIMARY KEY, text text)"


def test_nothing_that_an_agent_leaves_in_the_database_survives_a_revert(
    fresh_guest: Guest, machine: Machine
) -> None:
    before = state(fresh_guest)
    sql(fresh_guest, "CREATE ROLE spy LOGIN")
    sql(fresh_guest, "CREATE EXTENSION vector")
    sql(fresh_guest, "ALTER DATABASE work SET work_mem = '1MB'")
    sql(fresh_guest, "CREATE DATABASE other")
    fresh_guest.run(["touch", "/home/user/left"])
    assert state(fresh_guest) != before
    machine.revert("ready", NEEDS)
    with Guest(machine.endpoint, machine.token) as guest:
        assert state(guest) == before
        assert guest.find_file("~/left").state == "absent"


def test_a_role_that_a_task_or_its_verifier_makes_logs_in_with_its_password(
    fresh_guest: Guest,
) -> None:
    sql(fresh_guest, "CREATE ROLE checker LOGIN PASSWORD 'word'")
    login = ["psql", "--host=/run/postgresql", "--username=checker", "--command=SELECT 1", "work"]
    assert fresh_guest.run(login, env={"PGPASSWORD": "word"}).returncode == 0
    assert "authentication failed" in fresh_guest.run(login, env={"PGPASSWORD": "other"}).stderr


def state(guest: Guest) -> list[str]:
    """Everything in the cluster that the changes of the test above change."""
    return [
        sql(guest, "SELECT rolname FROM pg_roles ORDER BY 1"),
        sql(guest, "SELECT extname FROM pg_extension ORDER BY 1"),
        sql(guest, "SELECT setconfig FROM pg_db_role_setting"),
        sql(guest, "SELECT datname FROM pg_database ORDER BY 1"),
    ]


def test_a_fork_and_checkpoints_have_the_database_as_it_was(
    fresh_guest: Guest, machine: Machine, tmp_path: Path
) -> None:
    sql(fresh_guest, NOTES)
    for number in (1, 2, 3):
        sql(fresh_guest, f"INSERT INTO notes (text) VALUES ('note {number}')")
        sql(fresh_guest, f"CREATE ROLE role_{number}")
        machine.snapshot(tmp_path / str(number))
    with machine.fork() as fork, Guest(fork.endpoint, fork.token) as guest:
        sql(guest, "DELETE FROM notes")
    assert held(fresh_guest) == 3, "the fork changed the original"
    for number in (1, 3, 2):
        machine.revert(tmp_path / str(number))
        with Guest(machine.endpoint, machine.token) as guest:
            assert held(guest) == number
            # A step of a chain: kept on top of what was kept.
            machine.snapshot(tmp_path / f"again-{number}")
            sql(guest, "DROP TABLE notes")
        machine.revert(tmp_path / f"again-{number}")
        with Guest(machine.endpoint, machine.token) as guest:
            assert held(guest) == number


def held(guest: Guest) -> int:
    """The number of notes, which must be that of the roles."""
    notes = int(sql(guest, "SELECT count(*) FROM notes"))
    assert notes == int(sql(guest, "SELECT count(*) FROM pg_roles WHERE rolname ~ '^role_'"))
    return notes


def test_the_export_has_rows_that_their_owner_hides(fresh_guest: Guest) -> None:
    sql(fresh_guest, NOTES)
    sql(fresh_guest, "INSERT INTO notes (text) VALUES (E'a\\tb\\\\\\nc'), (NULL)")
    sql(fresh_guest, "ALTER TABLE notes ENABLE ROW LEVEL SECURITY")
    sql(fresh_guest, "ALTER TABLE notes FORCE ROW LEVEL SECURITY")
    # Functions and casts of the owner that would run where a query chose them.
    sql(
        fresh_guest,
        "CREATE FUNCTION public.format_type(oid, integer) RETURNS text LANGUAGE sql AS $$"
        " SELECT 'forged' $$",
    )
    fresh_guest.freeze()
    content, whole = fresh_guest.export("database")
    work = json.loads(content)["databases"]["work"]
    assert whole
    assert work["tables"]["public.notes"]["rows"] == [["1", "a\tb\\\nc"], ["2", None]]
    assert ["row security", "public.notes", "true"] in work["definitions"]
    assert ["column", "public.notes.text", "text"] in work["definitions"]
