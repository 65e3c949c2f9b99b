"""What the verifiers of these tasks share: queries, and a comparison with the state after setup.

The verifier is the superuser, and the agent may have made views, functions and operators. So the
search path leads to the system's own only, and queries are asked as a role that may only read.
"""

import os
import re
import sys
from pathlib import Path

import psycopg2

sys.path.append("/usr/share/ambidex/export")
import database as export

EXPECTED = "ambidex_expected"
ROLES = ("postgres", "ambidex_export")
READER = "pg_read_all_data"
NO_TABLES = (
    "SELECT format('%I.%I', nspname, relname) FROM pg_class c"
    " JOIN pg_namespace n ON n.oid = relnamespace WHERE relkind IN ('v', 'm', 'f')"
)


def connect(name=None, path="pg_catalog"):
    """A connection to a database, by default that of the task."""
    connection = psycopg2.connect(
        host=os.environ["POSTGRES_HOST"],
        port=os.environ["POSTGRES_PORT"],
        dbname=name or os.environ["POSTGRES_DATABASE"],
        user=os.environ["POSTGRES_USERNAME"],
        password=os.environ["POSTGRES_PASSWORD"],
        options=f"-c search_path={path} -c statement_timeout=60s",
    )
    connection.autocommit = True
    return connection


def rows(query):
    """The rows of a query, as tuples of the text of each value, or None."""
    cursor = connect().cursor()
    cursor.execute(f"SET ROLE {READER}")
    cursor.execute(query)
    return _text(cursor)


def _text(cursor):
    return [tuple(None if v is None else str(v) for v in row) for row in cursor.fetchall()]


def attempt(role, *statements, first=None):
    """The rows of the last statement, or how many it changed, after all were executed by a role, in
    a transaction that is rolled back; None if one was refused. `first` is executed before, by the
    owner."""
    connection = connect()
    connection.autocommit = False
    cursor = connection.cursor()
    if first:
        cursor.execute(f'SET LOCAL ROLE "{owner()}"')
        cursor.execute(first)
    cursor.execute(f'SET LOCAL ROLE "{role}"; SET LOCAL search_path = public')
    try:
        for statement in statements:
            cursor.execute(statement)
        if cursor.description is None:
            return cursor.rowcount
        return _text(cursor)
    except psycopg2.Error:
        return None
    finally:
        connection.close()


def owner():
    """The role that owns the database: the agent's own."""
    name = os.environ["POSTGRES_DATABASE"]
    return rows(f"SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = '{name}'")[0][0]


def refuse_other_changes(setup, tables=(), definitions=(), roles=()):
    """Exit unless the database is as the file `setup` makes it, apart from these tables (with what
    belongs to them), by regular expressions for `schema.table`, and definitions, by regular
    expressions for `kind schema.name`. `roles` must exist beside the usual ones.
    Returns the rows of each table after setup, as tuples of text, by `schema.table`."""
    maker_role = owner()
    admin = connect("postgres").cursor()
    admin.execute(f'CREATE DATABASE {EXPECTED} OWNER "{maker_role}"')
    try:
        maker = connect(EXPECTED, "public")
        maker.cursor().execute(f'SET ROLE "{maker_role}"')
        maker.cursor().execute((Path(sys.argv[0]).parent / setup).read_text())
        maker.close()
        export.connect = connect
        earlier, later = export.database(EXPECTED), export.database(None)
    finally:
        admin.execute(f"DROP DATABASE {EXPECTED} WITH (FORCE)")
    others = rows(NO_TABLES)
    wrong = [f"{name} is no table" for (name,) in others if _matches(name, tables)]
    wrong += list(_of_tables(earlier["tables"], later["tables"], tables))
    free = [*definitions, *(f"[^.]* {table}(\\..*)?" for table in tables)]
    for kind, name, text in set(earlier["definitions"]) ^ set(later["definitions"]):
        if not _matches(f"{kind} {name}", free):
            wrong.append(f"the {kind} {name} has changed: {text}")
    admin.execute(export.ROLES)
    names = {name for name, attributes, groups in admin.fetchall()}
    for name in names ^ {maker_role, *ROLES, *roles}:
        wrong.append(f"the role {name} is {'new' if name in names else 'missing'}")
    admin.execute("SELECT datname FROM pg_database WHERE NOT datistemplate ORDER BY 1")
    databases = [name for (name,) in admin.fetchall()]
    if databases != sorted(["postgres", os.environ["POSTGRES_DATABASE"]]):
        wrong.append(f"the databases are {databases}")
    if wrong:
        finish(sorted(wrong))
    return {
        name: [tuple(row) for row in table["rows"]] for name, table in earlier["tables"].items()
    }


def _of_tables(earlier, later, free):
    for name in sorted(earlier.keys() | later.keys()):
        if _matches(name, free):
            continue
        if name not in later or name not in earlier:
            yield f"the table {name} is {'missing' if name in earlier else 'new'}"
        elif any(
            sorted(earlier[name][part], key=repr) != sorted(later[name][part], key=repr)
            for part in ("columns", "rows")
        ):
            yield f"the content of {name} has changed"


def _matches(name, patterns):
    return any(re.fullmatch(pattern, name) for pattern in patterns)


def finish(wrong):
    """Print what is wrong and exit."""
    print("\n".join(wrong) or "all right")
    sys.exit(bool(wrong))
