"""Checks the fines, the view and everything else."""

import os
import sys
from decimal import Decimal

import psycopg2

FINES = {1: "2.50", 2: "0", 3: "5.00", 4: "0", 5: "0.25", 6: "0"}
LOANS = [
    (1, 1, 1, "2026-11-10", None),
    (2, 1, 2, "2026-11-25", None),
    (3, 2, 3, "2026-08-01", None),
    (4, 2, 1, "2026-10-01", "2026-10-20"),
    (5, 3, 4, "2026-11-19", None),
    (6, 4, 2, "2026-11-20", None),
]


def main():
    connection = psycopg2.connect(
        host=os.environ["POSTGRES_HOST"],
        port=os.environ["POSTGRES_PORT"],
        dbname=os.environ["POSTGRES_DATABASE"],
        user=os.environ["POSTGRES_USERNAME"],
        password=os.environ["POSTGRES_PASSWORD"],
        options="-c search_path=pg_catalog",
    )
    cursor = connection.cursor()
    cursor.execute("SELECT id, fine FROM public.loans")
    fines = dict(cursor.fetchall())
    if fines != {loan: Decimal(fine) for loan, fine in FINES.items()}:
        return f"the fines are {fines}"
    cursor.execute("SELECT id, member, book, due, returned FROM public.loans ORDER BY id")
    loans = [(*row[:3], str(row[3]), row[4] and str(row[4])) for row in cursor.fetchall()]
    if loans != LOANS:
        return f"the loans are {loans}"
    cursor.execute(
        "SELECT data_type, numeric_precision, numeric_scale, is_nullable"
        " FROM information_schema.columns"
        " WHERE table_schema = 'public' AND table_name = 'loans' AND column_name = 'fine'"
    )
    if cursor.fetchone() != ("numeric", 6, 2, "NO"):
        return "the column fine has another type"
    cursor.execute("SELECT * FROM public.debtors")
    columns = [column.name for column in cursor.description]
    debtors = cursor.fetchall()
    expected = [
        ("Bela Farkas", Decimal(5)),
        ("Ada Brandt", Decimal("2.5")),
        ("Chidi Obi", Decimal("0.25")),
    ]
    if columns != ["name", "total"] or debtors != expected:
        return f"the view has {columns} {debtors}"
    return ""


if __name__ == "__main__":
    problem = main()
    print(problem or "all right")
    sys.exit(bool(problem))
