"""Compares the timeline with the expected one."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import finish, originals

TIMELINE = """\
09:57:30 database WARNING disk is 98 % full
09:58:03 web WARNING answer took 4.1 s
09:59:58 database ERROR disk is full
09:59:58 mail WARNING clock was set back by 90 seconds
10:00:00 web ERROR no connection to the database
10:00:01 mail WARNING web has not answered
10:00:02 web ERROR no connection to the database
10:06:30 mail ERROR alarm could not be sent
10:12:40 web ERROR picture not found
"""

finish({**originals(), "timeline.txt": TIMELINE})
