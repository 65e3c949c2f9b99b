"""Tries what the role can do."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import attempt, finish, refuse_other_changes, rows

REFUSED = [
    "SELECT diagnosis FROM public.patients",
    "SELECT notes FROM public.patients",
    "SELECT * FROM public.patients",
    "UPDATE public.patients SET name = 'X'",
    "DELETE FROM public.visits",
    "INSERT INTO public.wards VALUES ('W', 'West', 'postgres')",
    "UPDATE public.wards SET title = 'x'",
    "UPDATE public.visits SET remark = 'x'",
    "TRUNCATE public.visits",
]

refuse_other_changes(
    "clinic.sql",
    definitions=[r"privileges public\.(patients|visits|wards)"],
    roles=["auditor", "ward_north", "ward_south"],
)
wrong = []
role = rows(
    "SELECT rolcanlogin, rolsuper, rolcreatedb, rolcreaterole, rolbypassrls FROM pg_roles"
    " WHERE rolname = 'auditor'"
)
if role != [("True", "False", "False", "False", "False")]:
    wrong.append(f"the attributes of the role are {role}")
for query, count in (
    ("SELECT id, name, ward FROM public.patients", 5),
    ("SELECT * FROM public.visits", 5),
    ("SELECT * FROM public.wards", 2),
):
    seen = attempt("auditor", query)
    if seen is None or len(seen) != count:
        wrong.append(f"the auditor sees {seen} by {query}")
wrong += [f"the auditor may: {one}" for one in REFUSED if attempt("auditor", one) is not None]
if attempt("ward_north", "SELECT id FROM public.patients") is not None:
    wrong.append("ward_north can read patients")
finish(wrong)
