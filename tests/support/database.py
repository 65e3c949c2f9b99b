"""The database of a guest, as the desktop user reaches it."""

from __future__ import annotations

from ambidex.host.client.guest import Guest

__all__ = ["refused", "sql"]

CLIENT = ("psql", "--host=/run/postgresql", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1")


def sql(guest: Guest, command: str, database: str = "work") -> str:
    """What a command prints, without the newline at its end. It must succeed."""
    output = guest.run([*CLIENT, f"--dbname={database}", f"--command={command}"])
    assert output.returncode == 0, output.stderr
    return output.stdout.strip()


def refused(guest: Guest, command: str, database: str = "work") -> str:
    """The error of a command that must fail."""
    output = guest.run([*CLIENT, f"--dbname={database}", f"--command={command}"])
    assert output.returncode != 0, output.stdout
    return output.stderr
