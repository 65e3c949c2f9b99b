"""Who machines belong to: one process, one tag, one reaper that outlives it by a moment."""

from __future__ import annotations

import itertools
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from vm.hypervisor import connect
from vm.reaper import IN_ORDER
from vm.store import cache_folder

__all__ = ["Owner"]


class Owner:
    """A libvirt connection with folders of its own; nothing of it survives the process, kill -9
    included.

    `runtime` holds sockets (its path is short: a socket's may have 107 characters), `work` holds
    disks.
    """

    def __init__(self, uri: str = "") -> None:
        self.tag = f"ambidex-{secrets.token_hex(6)}"
        self.work = cache_folder() / "machines" / self.tag
        self.work.mkdir(parents=True)
        home = os.environ.get("XDG_RUNTIME_DIR", "")
        parent = home if home and os.access(home, os.W_OK) else None
        self.runtime = Path(tempfile.mkdtemp(prefix="ambidex-", dir=parent))
        self._numbers = itertools.count()
        # In its own session: a Ctrl-C on the terminal is for the owner, who closes things in order.
        self._reaper = subprocess.Popen(
            [sys.executable, "-m", "vm.reaper", self.tag, str(self.work), str(self.runtime)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=Path(__file__).parent.parent,
            start_new_session=True,
        )
        self.connection: Any = connect(uri, self.runtime)

    def folder(self) -> Path:
        """A new empty folder for one machine; its name is the machine's."""
        made = self.work / f"{self.tag}-{next(self._numbers)}"
        made.mkdir()
        return made

    def close(self) -> None:
        """Close the connection; the reaper ends any machine left and removes the folders."""
        self.connection.close()
        self._reaper.communicate(IN_ORDER)
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.rmtree(self.runtime, ignore_errors=True)
