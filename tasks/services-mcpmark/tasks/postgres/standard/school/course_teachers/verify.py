"""Checks the new table, the teachers, the courses and the view."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import attempt, finish, owner, refuse_other_changes, rows

TEACHERS = [
    ("1", "Lind"),
    ("2", "Obi"),
    ("3", "van Dam"),
    ("7", "Petrova"),
    ("8", "Quist"),
    ("9", "Moreau"),
    ("10", "Sato"),
]
COURSES = [
    ("10", "Algebra", "4"),
    ("11", "Chemistry", "3"),
    ("12", "Drama", "2"),
    ("13", "Economics", "2"),
    ("14", "French", "4"),
    ("15", "Geography", "2"),
]
PAIRS = {"10": "1", "11": "1 2", "12": "10 3 7", "13": "7", "14": "10 9", "15": "3"}
PROGRAMME = [
    ("Algebra", "4", "Lind"),
    ("Chemistry", "3", "Lind; Obi"),
    ("Drama", "2", "Petrova; Sato; van Dam"),
    ("Economics", "2", "Petrova"),
    ("French", "4", "Moreau; Sato"),
    ("Geography", "2", "van Dam"),
]
READ = "SELECT * FROM public.programme"
ADD = "INSERT INTO public.course_teachers (course, teacher) VALUES "

refuse_other_changes(
    "school.sql",
    tables=[r"public\.(course_teachers|teachers|courses)"],
    definitions=[
        r"(constraint|index) public\.course_teachers.*",
        r"(view|column) public\.programme(\..*)?",
    ],
)
wrong = []
if (seen := rows("SELECT id, name FROM public.teachers ORDER BY id")) != TEACHERS:
    wrong.append(f"the teachers are {seen}")
if (seen := rows("SELECT * FROM public.courses ORDER BY id")) != COURSES:
    wrong.append(f"the courses are {seen}")
pairs = [(course, teacher) for course, ids in PAIRS.items() for teacher in ids.split()]
seen = rows("SELECT course, teacher FROM public.course_teachers")
if sorted(seen) != sorted(pairs):
    wrong.append(f"the pairs are {seen}")
keys = rows(
    "SELECT conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint"
    " WHERE contype IN ('p', 'u') AND connamespace = 'public'::regnamespace"
)
for key in (
    ("public.teachers", "PRIMARY KEY (id)"),
    ("public.teachers", "UNIQUE (name)"),
    ("public.courses", "PRIMARY KEY (id)"),
):
    if key not in keys:
        wrong.append(f"lost: {key}")
for values in ("(10, 1)", "(99, 1)", "(10, 99)"):
    if attempt(owner(), ADD + values) is not None:
        wrong.append(f"the pair {values} is accepted")
if attempt(owner(), ADD + "(10, 8)") != 1:
    wrong.append("a new pair is refused")
if (seen := attempt(owner(), READ)) != PROGRAMME:
    wrong.append(f"the view has {seen}")
seen = attempt(owner(), ADD + "(10, 8)", READ)
if seen != [("Algebra", "4", "Lind; Quist"), *PROGRAMME[1:]]:
    wrong.append(f"with another teacher of a course, the view has {seen}")
finish(wrong)
