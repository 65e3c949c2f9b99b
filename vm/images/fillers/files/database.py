"""Puts a firm's customers, invoices and staff into the database `work`."""

import csv
import io
import json
import pwd
import subprocess
import sys

TABLES = """
CREATE TABLE customers (
    id text PRIMARY KEY, name text NOT NULL UNIQUE, city text NOT NULL, contact text NOT NULL,
    account_manager text NOT NULL, terms_days integer NOT NULL
);
CREATE TABLE invoices (
    number text PRIMARY KEY, customer text NOT NULL REFERENCES customers, issued date NOT NULL,
    due date NOT NULL, paid date
);
CREATE TABLE invoice_lines (
    invoice text NOT NULL REFERENCES invoices, line integer NOT NULL, description text NOT NULL,
    quantity integer NOT NULL, price numeric(10, 2) NOT NULL, PRIMARY KEY (invoice, line)
);
CREATE TABLE staff (
    login text PRIMARY KEY, name text NOT NULL, team text NOT NULL, title text NOT NULL
);
"""


def copied(table, rows):
    """A command that adds rows."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return f"COPY {table} FROM STDIN (FORMAT csv);\n{text.getvalue()}\\.\n"


def main(firm):
    """Make the tables and fill them."""
    invoices = firm["invoices"]
    commands = [
        TABLES,
        copied(
            "customers",
            [
                [c["id"], c["name"], c["city"], c["contact"], c["manager"], c["terms"]]
                for c in firm["customers"]
            ],
        ),
        copied(
            "invoices",
            [[i["number"], i["customer"], i["issued"], i["due"], i["paid"]] for i in invoices],
        ),
        copied(
            "invoice_lines",
            [
                [i["number"], n, one["text"], one["quantity"], f"{one['cents'] / 100:.2f}"]
                for i in invoices
                for n, one in enumerate(i["lines"], 1)
            ],
        ),
        copied("staff", [[p["login"], p["name"], p["team"], p["title"]] for p in firm["people"]]),
    ]
    user = pwd.getpwnam("user")
    subprocess.run(
        ["psql", "--host=/run/postgresql", "--dbname=work", "--quiet", "--set=ON_ERROR_STOP=1"],
        input="".join(commands).encode(),
        user=user.pw_uid,
        group=user.pw_gid,
        extra_groups=[],
        env={"PATH": "/usr/bin:/bin", "HOME": user.pw_dir},
        check=True,
    )


if __name__ == "__main__":
    main(json.load(sys.stdin))
