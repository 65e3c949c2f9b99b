"""Evaluators of the exported state of a PostgreSQL cluster (`vm/images/services/database`).

The export is collected with `{ export = "database" }`; the state after setup is stored next to it,
so that a check can see what else has changed. Values are text, as PostgreSQL prints them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, ValidationError

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.bounded import BoundsError, parse_json
from ambidex.evaluators.evidence import MIB, read
from ambidex.evaluators.registry import EvidenceName, TaskFile, evaluator
from ambidex.evaluators.strict import explain
from ambidex.evaluators.values import shown, verdict

__all__ = ["BEFORE", "changed_names"]

BEFORE = "{}.before.json"
"""The name of the state after setup, for the name of the evidence without its suffix."""
LARGEST = 32 * MIB
MOST_REASONS = 5
Cell = str | int | float | None
Row = tuple[object, ...]


class Table(BaseModel):
    """The content of a table."""

    columns: list[str]
    rows: list[list[str | None]]


class Database(BaseModel):
    """One database of the cluster."""

    tables: dict[str, Table] = {}
    """By `schema.table`."""
    definitions: list[tuple[str, str, str | None]] = []
    """Kind, name and text of columns, constraints, indexes, views, functions and so on."""


class Cluster(BaseModel):
    """An export."""

    databases: dict[str, Database] = {}
    roles: list[tuple[str, str, list[str]]] = []
    """Name, attributes and memberships."""


def _read(evidence: Path, file: str) -> Cluster:
    try:
        return Cluster.model_validate(parse_json(read(evidence, file, LARGEST)))
    except ValidationError as error:
        raise UnreadableError(f"{file} is not an export of a database: {explain(error)}") from None
    except BoundsError as error:
        raise UnreadableError(f"{file}: {error}") from None


def _database(evidence: Path, file: str, name: str) -> Database:
    databases = _read(evidence, file).databases
    if name not in databases:
        raise UnreadableError(f"there is no database {name!r}, but {', '.join(databases)}")
    return databases[name]


def _table(database: Database, name: str) -> Table:
    full = name if "." in name else f"public.{name}"
    if full not in database.tables:
        raise UnreadableError(f"there is no table {full!r}")
    return database.tables[full]


def _value(text: Cell) -> object:
    """A number if it is one, so that 1 and 1.00 are equal; otherwise the text."""
    try:
        number = Decimal(str(text)) if text is not None else None
    except InvalidOperation:
        return text
    return number.normalize() if number is not None and number.is_finite() else text


@evaluator
def rows(
    evidence: Path,
    *,
    table: str,
    columns: Annotated[list[str], Field(min_length=1)],
    rows: list[list[str | int | float]] | None = None,
    rows_in: TaskFile | None = None,
    ordered: bool = False,
    database: str = "work",
    file: EvidenceName = "database.json",
) -> Score:
    """The table has exactly these rows, looking at these columns only; in this order if `ordered`.

    `rows_in` names a file of the task with a JSON array of arrays instead, which can hold null.
    Numbers are compared as numbers.
    """
    expected_rows = parse_json(rows_in.read_bytes()) if rows_in else rows or []
    stored = _table(_database(evidence, file, database), table)
    if missing := [column for column in columns if column not in stored.columns]:
        return Score(0.0, f"{table} has no column {missing[0]!r}, but {', '.join(stored.columns)}")
    places = [stored.columns.index(column) for column in columns]
    if any(len(row) != len(stored.columns) for row in stored.rows):
        raise UnreadableError(f"a row of {table} has not as many values as there are columns")
    seen: list[Row] = [tuple(_value(row[place]) for place in places) for row in stored.rows]
    expected: list[Row] = [tuple(map(_value, row)) for row in expected_rows]
    wrong = [
        f"{_shown(row)} is missing from {table}" for row in (Counter(expected) - Counter(seen))
    ]
    wrong += [
        f"{_shown(row)} should not be in {table}" for row in (Counter(seen) - Counter(expected))
    ]
    if not wrong and ordered and seen != expected:
        wrong = [f"the rows of {table} are in another order"]
    return verdict(wrong[:MOST_REASONS], f"{table} has the {len(expected)} expected rows")


@evaluator
def defines(
    evidence: Path,
    *,
    kind: str,
    name: str,
    pattern: str = "",
    absent: bool = False,
    database: str = "work",
    file: EvidenceName = "database.json",
) -> Score:
    """The database has a definition of this kind whose name matches `name` and whose text contains
    `pattern`, both regular expressions that ignore case; or with `absent`, it has none.

    Kinds: column, default, constraint, index, view, function, trigger, policy, row security,
    privileges, extension.
    """
    of_kind = [
        (other, text or "")
        for its_kind, other, text in _database(evidence, file, database).definitions
        if its_kind == kind
    ]
    matches = [
        other
        for other, text in of_kind
        if re.fullmatch(name, other, re.IGNORECASE) and re.search(pattern, text, re.IGNORECASE)
    ]
    if absent:
        return verdict([f"there is the {kind} {one}" for one in matches], f"no {kind} {name}")
    near = ", ".join(f"{other}: {text}" for other, text in of_kind)
    wrong = [] if matches else [f"there is no {kind} {name} with {pattern!r}, only {shown(near)}"]
    return verdict(wrong, f"there is the {kind} {', '.join(matches)}")


@evaluator
def role(
    evidence: Path,
    *,
    name: str,
    attributes: list[str] | None = None,
    member_of: list[str] | None = None,
    absent: bool = False,
    file: EvidenceName = "database.json",
) -> Score:
    """There is a role of this name with exactly these attributes (such as login and createdb) and
    memberships, where they are given; or with `absent`, there is none."""
    roles = {
        one: (its_attributes, groups) for one, its_attributes, groups in _read(evidence, file).roles
    }
    if absent:
        return verdict([f"there is a role {name}"] if name in roles else [], f"no role {name}")
    if name not in roles:
        return Score(0.0, f"there is no role {name}")
    seen_attributes, seen_groups = roles[name]
    wrong = []
    if attributes is not None and set(seen_attributes.split()) != set(attributes):
        wrong.append(f"the role {name} has the attributes {seen_attributes or 'none'}")
    if member_of is not None and set(seen_groups) != set(member_of):
        wrong.append(f"the role {name} is a member of {', '.join(seen_groups) or 'none'}")
    return verdict(wrong, f"the role {name} is as expected")


@evaluator
def unchanged(
    evidence: Path,
    *,
    except_tables: list[str] | None = None,
    except_definitions: list[str] | None = None,
    except_roles: list[str] | None = None,
    database: str = "work",
    file: EvidenceName = "database.json",
) -> Score:
    """Nothing has changed since setup but what is named: tables (with the definitions that belong
    to them), definitions and roles, by regular expressions for their whole name.

    Other databases must be unchanged too.
    """
    earlier = _read(evidence, BEFORE.format(file.removesuffix(".json")))
    later = _read(evidence, file)
    tables = [t if "." in t else f"public\\.{t}" for t in except_tables or []]
    definitions = [*(except_definitions or []), *tables, *(f"{table}\\..*" for table in tables)]
    wrong: list[str] = []
    for name in sorted(earlier.databases.keys() | later.databases.keys()):
        if (name in earlier.databases) != (name in later.databases):
            wrong.append(f"the database {name} is {'gone' if name in earlier.databases else 'new'}")
            continue
        free = (tables, definitions) if name == database else ([], [])
        wrong += _differences(earlier.databases[name], later.databases[name], *free)
    wrong += [
        f"the role {name} has changed"
        for name in sorted({one[0] for one in _changed(earlier.roles, later.roles)})
        if not _matches(name, except_roles or [])
    ]
    return verdict(wrong[:MOST_REASONS], "nothing else has changed")


def changed_names(evidence: Path, file: str) -> set[str]:
    """Everything that has changed since setup: tables, definitions, roles and whole databases, each
    by its full name."""
    earlier = _read(evidence, BEFORE.format(file.removesuffix(".json")))
    later = _read(evidence, file)
    names = {one[0] for one in _changed(earlier.roles, later.roles)}
    for name in earlier.databases.keys() | later.databases.keys():
        if (name in earlier.databases) != (name in later.databases):
            names.add(name)
            continue
        before, after = earlier.databases[name], later.databases[name]
        names |= {one[1] for one in _changed(before.definitions, after.definitions)}
        names |= {
            table
            for table in before.tables.keys() | after.tables.keys()
            if not _same(before.tables.get(table), after.tables.get(table))
        }
    return names


def _differences(
    earlier: Database, later: Database, tables: list[str], definitions: list[str]
) -> list[str]:
    names = sorted(earlier.tables.keys() | later.tables.keys())
    wrong = [
        f"the table {name} has changed"
        for name in names
        if not _matches(name, tables)
        and not _same(earlier.tables.get(name), later.tables.get(name))
    ]
    return wrong + [
        f"the {kind} {name} has changed"
        for kind, name in sorted(
            {one[:2] for one in _changed(earlier.definitions, later.definitions)}
        )
        if not _matches(name, definitions)
    ]


def _same(earlier: Table | None, later: Table | None) -> bool:
    if earlier is None or later is None:
        return False
    return earlier.columns == later.columns and Counter(map(tuple, earlier.rows)) == Counter(
        map(tuple, later.rows)
    )


def _changed(
    earlier: Sequence[tuple[object, ...]], later: Sequence[tuple[object, ...]]
) -> set[tuple[str, ...]]:
    return {_frozen(one) for one in earlier} ^ {_frozen(one) for one in later}


def _frozen(one: tuple[object, ...]) -> tuple[str, ...]:
    return tuple(part if isinstance(part, str) else json.dumps(part) for part in one)


def _matches(name: str, patterns: list[str]) -> bool:
    return any(re.fullmatch(pattern, name) for pattern in patterns)


def _shown(row: Row) -> str:
    return "(" + ", ".join("null" if one is None else shown(str(one)) for one in row) + ")"
