"""Checks which ticket is in which folder."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import finish, originals

CLOSED = ("101.txt", "103.txt")

expected = originals()
for name in CLOSED:
    expected[f"closed/{name}"] = expected.pop(f"tickets/{name}")
finish(expected)
