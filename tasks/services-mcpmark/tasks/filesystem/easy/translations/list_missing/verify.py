"""Compares the list with the expected one."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import finish, originals

MISSING = """\
de bed.new
de bye
de menu.print
fr bed.new
fr bed.size
"""

finish({**originals(), "missing.txt": MISSING})
