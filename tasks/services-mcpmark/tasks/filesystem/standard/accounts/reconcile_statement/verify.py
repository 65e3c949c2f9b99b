"""Compares the differences with the expected ones."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import finish, originals

DIFFERENCES = """\
kind,reference,bank,books
other amount,R-1003,-96.10,-69.10
booked twice,R-1004,-75.00,-75.00
other amount,R-1006,940.00,-940.00
not paid,R-1008,,-1450.00
not paid,R-1009,,50.00
not booked,,-12.00,
"""

finish({**originals(), "differences.csv": DIFFERENCES})
