"""Prints the content of all databases as one JSON object, for the evidence.

Tables are read by COPY, which runs no code of their owner: no function, view, policy or cast.

    {"databases": {NAME: {"tables": {"SCHEMA.TABLE": {"columns": [...], "rows": [[text or null]]}},
                          "definitions": [[kind, name, text]]}},
     "roles": [[name, attributes, memberships]]}
"""

import io
import json
import sys

import psycopg2
from psycopg2 import sql

ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
TABLES = """
SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'm') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
ORDER BY 1, 2
"""
DEFINITIONS = """
WITH own AS (
    SELECT oid, nspname FROM pg_namespace
    WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
)
SELECT 'column', format('%I.%I.%I', nspname, relname, attname),
       format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN ' not null' ELSE '' END
FROM pg_attribute JOIN pg_class c ON c.oid = attrelid JOIN own ON own.oid = relnamespace
WHERE attnum > 0 AND NOT attisdropped AND relkind IN ('r', 'm', 'p', 'v')
UNION ALL
SELECT 'default', format('%I.%I.%I', nspname, relname, attname), pg_get_expr(adbin, adrelid)
FROM pg_attrdef JOIN pg_class c ON c.oid = adrelid JOIN own ON own.oid = relnamespace
JOIN pg_attribute ON attrelid = c.oid AND attnum = adnum
UNION ALL
SELECT 'constraint', format('%I.%I', nspname, conname), pg_get_constraintdef(c.oid)
FROM pg_constraint c JOIN own ON own.oid = connamespace
UNION ALL
SELECT 'index', format('%I.%I', nspname, relname), pg_get_indexdef(c.oid)
FROM pg_class c JOIN own ON own.oid = relnamespace WHERE relkind = 'i'
UNION ALL
SELECT 'view', format('%I.%I', nspname, relname), pg_get_viewdef(c.oid)
FROM pg_class c JOIN own ON own.oid = relnamespace WHERE relkind IN ('v', 'm')
UNION ALL
SELECT 'function', format('%I.%s', nspname, p.oid::regprocedure), pg_get_functiondef(p.oid)
FROM pg_proc p JOIN own ON own.oid = pronamespace
WHERE prokind IN ('f', 'p')
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
UNION ALL
SELECT 'trigger', format('%I.%I', relname, tgname), pg_get_triggerdef(t.oid)
FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid WHERE NOT tgisinternal
UNION ALL
SELECT 'policy', format('%I.%I.%I', schemaname, tablename, policyname),
       concat_ws(' | ', permissive, roles, cmd, qual, with_check) FROM pg_policies
UNION ALL
SELECT 'row security', format('%I.%I', nspname, relname), relrowsecurity::text
FROM pg_class c JOIN own ON own.oid = relnamespace WHERE relrowsecurity
UNION ALL
SELECT 'privileges', format('%I.%I', nspname, relname), relacl::text
FROM pg_class c JOIN own ON own.oid = relnamespace WHERE relacl IS NOT NULL
UNION ALL
SELECT 'extension', extname, extversion FROM pg_extension
ORDER BY 1, 2, 3
"""
ROLES = """
SELECT rolname,
       concat_ws(' ', CASE WHEN rolsuper THEN 'superuser' END,
                 CASE WHEN rolcanlogin THEN 'login' END,
                 CASE WHEN rolcreatedb THEN 'createdb' END,
                 CASE WHEN rolcreaterole THEN 'createrole' END,
                 CASE WHEN rolbypassrls THEN 'bypassrls' END),
       ARRAY(SELECT b.rolname::text FROM pg_auth_members m JOIN pg_roles b ON b.oid = m.roleid
             WHERE m.member = r.oid ORDER BY 1)
FROM pg_roles r WHERE rolname !~ '^pg_' ORDER BY 1
"""


def connect(database):
    """A connection that finds the system's own functions only."""
    connection = psycopg2.connect(
        host="/run/postgresql",
        user="ambidex_export",
        dbname=database,
        options="-c search_path=pg_catalog -c statement_timeout=60s"
        " -c default_transaction_read_only=on",
    )
    connection.autocommit = True
    return connection


def value(field):
    """A field of COPY's text format as text; None for NULL."""
    if field == "\\N":
        return None
    parts = field.split("\\\\")
    return "\\".join(
        "".join(
            ESCAPES.get(piece[0], piece[0]) + piece[1:] if index and piece else piece
            for index, piece in enumerate(part.split("\\"))
        )
        for part in parts
    )


def table(cursor, schema, name):
    """The columns and rows of a table."""
    out = io.StringIO()
    copy = sql.SQL("COPY {} TO STDOUT").format(sql.Identifier(schema, name))
    cursor.copy_expert(copy.as_string(cursor), out)
    cursor.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = format('%%I.%%I', %s, %s)::regclass"
        " AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum",
        (schema, name),
    )
    columns = [column for (column,) in cursor.fetchall()]
    lines = out.getvalue().split("\n")[:-1]
    return {"columns": columns, "rows": [[value(f) for f in line.split("\t")] for line in lines]}


def database(name):
    """Everything in one database."""
    connection = connect(name)
    cursor = connection.cursor()
    cursor.execute(TABLES)
    names = cursor.fetchall()
    cursor.execute(DEFINITIONS)
    definitions = cursor.fetchall()
    tables = {f"{schema}.{name}": table(cursor, schema, name) for schema, name in names}
    connection.close()
    return {"tables": tables, "definitions": definitions}


def main():
    """Print the export."""
    cursor = connect("postgres").cursor()
    cursor.execute("SELECT datname FROM pg_database WHERE NOT datistemplate ORDER BY 1")
    names = [name for (name,) in cursor.fetchall() if name != "postgres"]
    cursor.execute(ROLES)
    roles = cursor.fetchall()
    json.dump({"databases": {name: database(name) for name in names}, "roles": roles}, sys.stdout)


if __name__ == "__main__":
    main()
