"""Fills the services of a new image with a firm.

`images/fillers/files/NAME.py` puts a firm into the service NAME. The services run for that in the
image's files, in namespaces with a network of their own. While they run, `files/browser/log_in.py`
logs the desktop user's browsers in to them.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from ambidex.vm.building.services import Service
from ambidex.vm.firm.draw import draw_firm
from ambidex.vm.namespace import COMMAND
from ambidex.vm.process import run

__all__ = ["FILLERS", "INSIDE", "fill"]

FILLERS = Path(__file__).parents[1] / "images" / "fillers" / "files"
"""The programs that fill services; they run as root and read the firm from standard input."""
INSIDE = Path(__file__).parents[1] / "firm" / "inside.py"
"""The program that starts the services, has them filled and stops them again."""
AT = "/run/filling"


def fill(staging: Path, number: int, services: Iterable[Service]) -> None:
    """Put the firm `number` into the services of the files in `staging/tree`.

    `MachineError` has the end of the log, `staging/filling.log`.
    """
    plan = {
        "firm": asdict(draw_firm(number)),
        "services": [service.model_dump() for service in services],
        "fillers": {path.stem: f"{AT}/fillers/{path.name}" for path in FILLERS.glob("*.py")},
        "browser": f"{AT}/fillers/browser/log_in.py",
    }
    given = staging / "filling"
    shutil.rmtree(given, ignore_errors=True)
    shutil.copytree(FILLERS, given / "fillers")
    shutil.copy(INSIDE, given)
    (given / "plan.json").write_text(json.dumps(plan))
    run(
        [
            *(*COMMAND, "bwrap", "--unshare-pid", "--unshare-net", "--unshare-ipc"),
            *("--bind", staging / "tree", "/", "--proc", "/proc", "--dev", "/dev"),
            *("--perms", "1777", "--tmpfs", "/dev/shm", "--perms", "1777", "--tmpfs", "/tmp"),
            *("--tmpfs", "/run"),
            *("--ro-bind", given, AT, "--cap-add", "ALL", "--die-with-parent", "--clearenv"),
            *("--setenv", "PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"),
            *("--setenv", "LANG", "C.UTF-8", "--chdir", "/"),
            *("/usr/bin/python3", "-I", "-S", f"{AT}/{INSIDE.name}", f"{AT}/plan.json"),
        ],
        what="filling the services",
        log=staging / "filling.log",
    )
    shutil.rmtree(given)
