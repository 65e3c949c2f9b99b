"""Reads the view now, and after somebody was hired."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import attempt, finish, owner, refuse_other_changes

COSTS = [
    ("Apprentices", 0, 0),
    ("Delivery", 2, 5200),
    ("Office", 2, 7450),
    ("Workshop", 2, 6050),
]
READ = "SELECT department, people, total FROM public.department_costs ORDER BY 1"
HIRE = "INSERT INTO public.employees VALUES (7, 'Gita Rao', 4, 900)"


def numbers(seen):
    """The rows with numbers for the text of people and total."""
    return seen and [(name, float(people), float(total)) for name, people, total in seen]


refuse_other_changes(
    "payroll.sql",
    definitions=[r"(view|column|privileges) public\.department_costs(\..*)?"],
    roles=["payroll_clerk"],
)
wrong = []
hired = [("Apprentices", 1, 900), *COSTS[1:]]
for role, before, expected in (
    (owner(), [], COSTS),
    ("payroll_clerk", [], COSTS),
    (owner(), [HIRE], hired),
):
    seen = attempt(role, *before, READ)
    if seen is None or None in sum(seen, ()) or numbers(seen) != expected:
        wrong.append(f"{role} reads {seen} after {before}")
finish(wrong)
