"""Compares each chapter and the table of contents with what is expected."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))
from checks import finish, originals

WELCOME = """\
# Welcome

This handbook is for everybody who works in the bindery. Start with [safety](02-safety.md).
"""
SAFETY = """\
# Safety

Wear glasses at the guillotine. Report accidents as [forms](04-forms-and-reports.md) says.

## First aid

The box is next to the door.
"""
MACHINES = """\
# Machines

The labels are printed by a script:

```
# print all labels of today
labels --all
# Not a chapter
```

See also [first aid](02-safety.md#first-aid) and [the glue](03-machines.md).
"""
FORMS = """\
# Forms and reports

Forms are in the blue folder. Back to [welcome](01-welcome.md).
"""
CONTENTS = """\
# Handbook

1. [Welcome](chapters/01-welcome.md)
2. [Safety](chapters/02-safety.md)
3. [Machines](chapters/03-machines.md)
4. [Forms and reports](chapters/04-forms-and-reports.md)
"""

finish(
    {
        **originals(),
        "handbook.md": CONTENTS,
        "chapters/01-welcome.md": WELCOME,
        "chapters/02-safety.md": SAFETY,
        "chapters/03-machines.md": MACHINES,
        "chapters/04-forms-and-reports.md": FORMS,
    }
)
