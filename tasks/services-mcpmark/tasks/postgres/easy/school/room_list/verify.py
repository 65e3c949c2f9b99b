"""Checks the rows of the new table."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import finish, refuse_other_changes, rows

CHOICES = [("10", "A1"), ("10", "A2"), ("14", "A1"), ("14", "A2")]

refuse_other_changes(
    "school.sql",
    tables=[r"public\.room_choices"],
    definitions=[r"(constraint|index) public\.room_choices.*"],
)
seen = rows("SELECT course, room FROM public.room_choices")
finish([f"the choices are {seen}"] if sorted(seen) != CHOICES else [])
