"""Evaluators of SQLite databases, such as an application keeps in one file.

The state before is a file of the task, an SQL script that makes the database, so a check sees every
row that changed. Rows are named `table/number`, after their row id.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated

from pydantic import Field

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.evidence import read
from ambidex.evaluators.registry import EvidenceName, TaskFile, evaluator
from ambidex.evaluators.values import shown, verdict

__all__ = ["changes", "contains"]

Cell = str | int | float
Expected = Mapping[str, Cell | list[Cell]]
"""Values by column; a list names alternatives. Columns that it does not name are not looked at."""
Row = Mapping[str, object]
Tables = Mapping[str, Mapping[int, Row]]
"""Rows by row id, by table."""

READS = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION)
MOST_ROWS = 100_000
MOST_TICKS = 2_000
"""Calls of the progress handler, one for each 100,000 instructions of SQLite's machine."""


@evaluator
def changes(
    evidence: Path,
    *,
    file: EvidenceName,
    before: TaskFile,
    added: dict[str, list[dict[str, Cell | list[Cell]]]] | None = None,
    changed: dict[str, dict[str, Cell | list[Cell]]] | None = None,
    removed: list[str] | None = None,
    free: list[str] | None = None,
) -> Score:
    """Compared with the database that the SQL script `before` makes, exactly this has changed.

    `added` gives the new rows of each table, in any order; `changed` the new values of a row, by
    `table/number`; `removed` names the rows that are gone. A list instead of a value names
    alternatives. Tables in `free` are not compared. All other rows, and the schema, are unchanged.
    """
    with _script(before) as connection:
        earlier_schema, earlier = _schema(connection), _tables(connection, before.name)
    with _stored(evidence, file) as connection:
        if _schema(connection) != earlier_schema:
            return Score(0.0, f"{file} has other tables than before")
        later = _tables(connection, file)
    wrong: list[str] = []
    rows_changed, rows_removed = changed or {}, set(removed or [])
    _check_names([*(added or {}), *(free or []), *rows_changed, *rows_removed], earlier)
    for table in sorted(earlier.keys() - set(free or [])):
        old, new = earlier[table], later[table]
        fresh = [new[number] for number in sorted(new.keys() - old.keys())]
        wrong += _unmatched(table, (added or {}).get(table, []), fresh)
        for number in sorted(old.keys() | rows_of(table, rows_changed)):
            name = f"{table}/{number}"
            if number not in new:
                wrong += [] if name in rows_removed else [f"{name} is gone"]
            elif name in rows_removed:
                wrong.append(f"{name} is still there")
            elif number in old:
                wrong += _row_problems(name, old[number], new[number], rows_changed.get(name, {}))
    return verdict(wrong, f"{file}: exactly the expected rows have changed")


@evaluator
def contains(
    evidence: Path,
    *,
    file: EvidenceName,
    table: str,
    rows: Annotated[list[dict[str, Cell | list[Cell]]], Field(min_length=1)],
) -> Score:
    """The table has a row with these values for each of `rows`, besides any others. A list instead
    of a value names alternatives."""
    with _stored(evidence, file) as connection:
        stored = _tables(connection, file).get(table)
    if stored is None:
        return Score(0.0, f"{file} has no table {table!r}")
    missing = [row for row in rows if not any(_fits(row, one) for one in stored.values())]
    return verdict(
        [f"{table} has no row with {_described(row)}" for row in missing],
        f"{table} has all {len(rows)} rows",
    )


def rows_of(table: str, names: Mapping[str, object]) -> set[int]:
    """The numbers of the rows of a table among names such as `claims/12`."""
    parts = [name.partition("/") for name in names]
    return {int(number) for owner, _, number in parts if owner == table}


def _check_names(names: Sequence[str], tables: Tables) -> None:
    """An expectation about a table or a row that never existed is an error of the task."""
    for name in names:
        table, slash, number = name.partition("/")
        if table not in tables or (slash and int(number) not in tables[table]):
            raise UnreadableError(f"the task expects something of {name}, which was never there")


def _row_problems(name: str, old: Row, new: Row, expected: Expected) -> Iterator[str]:
    for column, value in new.items():
        if column in expected:
            if not _same(expected[column], value):
                yield f"{name}: {column} is {shown(value)}, not {shown(expected[column])}"
        elif value != old[column]:
            yield f"{name}: {column} has changed to {shown(value)}"
    for column in expected.keys() - new.keys():
        yield f"{name} has no column {column}"


def _unmatched(table: str, expected: Sequence[Expected], fresh: Sequence[Row]) -> list[str]:
    """The expected rows without a new row, and the new rows that none of them describes."""
    left = list(fresh)
    missing = []
    # The most specific expectations choose first.
    for row in sorted(expected, key=len, reverse=True):
        match = next((one for one in left if _fits(row, one)), None)
        if match is None:
            missing.append(f"no new row of {table} with {_described(row)}")
        else:
            left.remove(match)
    return missing + [f"an unexpected row of {table}: {_described(row)}" for row in left]


def _fits(expected: Expected, row: Row) -> bool:
    return all(name in row and _same(value, row[name]) for name, value in expected.items())


def _same(expected: Cell | list[Cell], value: object) -> bool:
    """Text and numbers are different values: 42 is not "42"."""
    allowed = expected if isinstance(expected, list) else [expected]
    return any(
        one == value and isinstance(one, str) is isinstance(value, str) and value is not None
        for one in allowed
    )


def _described(row: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {shown(value, 60)}" for name, value in row.items())


@contextmanager
def _script(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(path.read_text(encoding="utf-8"))
        yield connection


@contextmanager
def _stored(evidence: Path, file: str) -> Iterator[sqlite3.Connection]:
    """A collected database, for reading. It is never opened as a file."""
    content = bytearray(read(evidence, file))
    if not content.startswith(b"SQLite format 3\0"):
        raise UnreadableError(f"{file} is not an SQLite database")
    # Clear the mark of write-ahead logging in the header: with it, SQLite would need the log file.
    content[18:20] = b"\1\1"
    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.deserialize(bytes(content))
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.set_authorizer(_only_reads)
            ticks = iter(range(MOST_TICKS))
            connection.set_progress_handler(lambda: next(ticks, None) is None, 100_000)
            yield connection
        except sqlite3.Error as error:
            raise UnreadableError(f"{file} cannot be read as a database: {error}") from error


def _only_reads(action: int, *_: str | None) -> int:
    return sqlite3.SQLITE_OK if action in READS else sqlite3.SQLITE_DENY


def _schema(connection: sqlite3.Connection) -> set[tuple[str, str, str]]:
    """Kind, name and text of everything that is defined."""
    return {
        (str(kind), str(name), str(text))
        for kind, name, text in connection.execute("SELECT type, name, sql FROM sqlite_master")
    }


def _tables(connection: sqlite3.Connection, file: str) -> Tables:
    """The rows of all tables."""
    tables: dict[str, dict[int, Row]] = {}
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (name,) in names:
        quoted = '"' + str(name).replace('"', '""') + '"'
        cursor = connection.execute(f"SELECT rowid AS rowid_, * FROM {quoted}")
        columns = [description[0] for description in cursor.description][1:]
        found = cursor.fetchmany(MOST_ROWS + 1)
        if len(found) > MOST_ROWS:
            raise UnreadableError(f"{file}: {name} has more than {MOST_ROWS} rows")
        tables[str(name)] = {
            number: dict(zip(columns, values, strict=True)) for number, *values in found
        }
    return tables
