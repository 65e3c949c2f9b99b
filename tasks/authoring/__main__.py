"""`python -m ambidex.tasks.authoring TASK...`: make the instances of these task folders anew."""

import sys
from pathlib import Path

from ambidex.tasks.authoring.making import make_instances

for name in sys.argv[1:]:
    make_instances(Path(name).resolve(), Path(name).resolve())
