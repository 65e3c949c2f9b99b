"""Checks the fines, the view and everything else."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import finish, refuse_other_changes, rows

FINES = {"1": "2.50", "2": "0.00", "3": "5.00", "4": "0.00", "5": "0.25", "6": "0.00"}
LOANS = [
    ("1", "1", "1", "2026-11-10", None),
    ("2", "1", "2", "2026-11-25", None),
    ("3", "2", "3", "2026-08-01", None),
    ("4", "2", "1", "2026-10-01", "2026-10-20"),
    ("5", "3", "4", "2026-11-19", None),
    ("6", "4", "2", "2026-11-20", None),
]
DEBTORS = [("Bela Farkas", "5.00"), ("Ada Brandt", "2.50"), ("Chidi Obi", "0.25")]

refuse_other_changes(
    "library.sql",
    tables=["public.loans"],
    definitions=[r"(view|column|privileges) public\.debtors(\..*)?"],
)
wrong = []
fines = dict(rows("SELECT id, fine FROM public.loans"))
if fines != FINES:
    wrong.append(f"the fines are {fines}")
loans = rows("SELECT id, member, book, due, returned FROM public.loans ORDER BY id")
if loans != LOANS:
    wrong.append(f"the loans are {loans}")
column = rows(
    "SELECT format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid)"
    " FROM pg_attribute JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum"
    " WHERE attrelid = 'public.loans'::regclass AND attname = 'fine'"
)
if [(kind, needed) for kind, needed, default in column] != [("numeric(6,2)", "True")]:
    wrong.append(f"the column fine is {column}")
elif column[0][2].split("::")[0].strip("'()") not in ("0", "0.0", "0.00"):
    wrong.append(f"the default of fine is {column[0][2]}")
columns = rows(
    "SELECT attname FROM pg_attribute"
    " WHERE attrelid = 'public.debtors'::regclass AND attnum > 0 ORDER BY attnum"
)
if columns != [("name",), ("total",)]:
    wrong.append(f"the columns of the view are {columns}")
else:
    debtors = rows("SELECT * FROM public.debtors")
    if debtors != DEBTORS:
        wrong.append(f"the view has {debtors}")
finish(wrong)
