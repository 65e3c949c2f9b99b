"""Tries what each ward's role can see and do."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import attempt, finish, owner, refuse_other_changes

SEEN = {
    "ward_north": ([("1",), ("3",), ("5",)], [("1",), ("3",), ("5",)]),
    "ward_south": ([("2",), ("4",)], [("2",), ("4",)]),
}
PATIENTS = "SELECT id FROM public.patients ORDER BY id"
VISITS = "SELECT id FROM public.visits ORDER BY id"
VISIT = "INSERT INTO public.visits VALUES (9, {}, '2026-03-05', 'new')"
MOVE = "UPDATE public.patients SET ward = 'S' WHERE id = 1"
REFUSED = [
    "UPDATE public.patients SET diagnosis = 'none' WHERE id = 1",
    "UPDATE public.patients SET ward = 'S' WHERE id = 1",
    "UPDATE public.patients SET name = 'X' WHERE id = 1",
    "INSERT INTO public.patients VALUES (9, 'New', 'N', 'none', '')",
    "DELETE FROM public.patients WHERE id = 5",
    VISIT.format(2),
    VISIT.format(77),
    "UPDATE public.visits SET remark = 'x' WHERE id = 1",
    "DELETE FROM public.visits WHERE id = 1",
    "UPDATE public.wards SET title = 'x' WHERE code = 'N'",
    "INSERT INTO public.wards VALUES ('W', 'West', 'postgres')",
    "DELETE FROM public.wards WHERE code = 'N'",
]

refuse_other_changes(
    "clinic.sql",
    definitions=[
        r"policy public\.(patients|visits|wards)\..*",
        r"(row security|privileges) public\.(patients|visits|wards)",
    ],
    roles=["ward_north", "ward_south"],
)
wrong = []
for role, (patients, visits) in SEEN.items():
    for query, expected in ((PATIENTS, patients), (VISITS, visits)):
        seen = attempt(role, query)
        if seen != expected:
            wrong.append(f"{role} sees {seen} by {query}")
for query, north, south in (
    (PATIENTS, [("3",), ("5",)], [("1",), ("2",), ("4",)]),
    (VISITS, [("3",)], [("1",), ("2",), ("4",), ("5",)]),
):
    seen = attempt("ward_north", query, first=MOVE), attempt("ward_south", query, first=MOVE)
    if seen != (north, south):
        wrong.append(f"after patient 1 has moved, the wards see {seen} by {query}")
if attempt("ward_north", "UPDATE public.patients SET notes = 'seen'") != 3:
    wrong.append("ward_north cannot change the notes of its three patients only")
if attempt("ward_south", "UPDATE public.patients SET notes = 'seen' WHERE id = 4") != 1:
    wrong.append("ward_south cannot change the notes of patient 4")
if attempt("ward_south", VISIT.format(4)) != 1 or attempt("ward_north", VISIT.format(5)) != 1:
    wrong.append("a ward cannot add a visit")
if not attempt("ward_north", "SELECT 1 FROM public.wards WHERE code = 'N'"):
    wrong.append("ward_north cannot read its ward")
wrong += [f"ward_north may: {one}" for one in REFUSED if attempt("ward_north", one)]
if attempt(owner(), PATIENTS) != [(str(n),) for n in range(1, 6)]:
    wrong.append("the office does not see all patients")
if attempt(owner(), "UPDATE public.visits SET remark = 'x'") != 5:
    wrong.append("the office cannot change visits")
finish(wrong)
