"""Who machines belong to: one process, one tag, one reaper that outlives it by a moment."""

from __future__ import annotations

import functools
import itertools
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from ambidex.vm.machines.account import account, work_folder
from ambidex.vm.machines.hypervisor import connect, qemu_version
from ambidex.vm.machines.reaper import IN_ORDER
from ambidex.vm.store import cache_folder

__all__ = ["LibvirtOwner", "Owner"]

PROJECT = Path(__file__).parents[2]


@functools.cache
def embedded_root() -> Path:
    """The folder of libvirt's embedded driver, which a process opens once and under one path only.

    Its path is short, for a socket's may have 107 characters. It goes when this process has ended.
    """
    home = os.environ.get("XDG_RUNTIME_DIR", "")
    parent = home if home and os.access(home, os.W_OK) else None
    root = Path(tempfile.mkdtemp(prefix="ambidex-", dir=parent))
    read, _held = os.pipe()
    arguments = [
        sys.executable,
        "-m",
        "ambidex.vm.machines.reaper",
        f"ambidex-root-{secrets.token_hex(6)}",
        str(root),
    ]
    paths = [str(PROJECT.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.posix_spawn(
        sys.executable,
        arguments,
        {**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        file_actions=[(os.POSIX_SPAWN_DUP2, read, 0)],
        setsid=True,
    )
    os.close(read)
    return root


class Owner:
    """A tag for everything that is one process's, and a place for its files: none of it survives
    that process, kill -9 included.
    """

    def __init__(self, *, parent: Path | None = None, mode: int = 0o700) -> None:
        self.tag = f"ambidex-{secrets.token_hex(6)}"
        self.work = (parent or cache_folder() / "machines") / self.tag
        self._mode = mode
        self._made(self.work)
        self._numbers = itertools.count()
        # In its own session: a Ctrl-C on the terminal is for the owner, who closes things in order.
        self._reaper = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "ambidex.vm.machines.reaper",
                self.tag,
                *map(str, self.folders()),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=PROJECT.parent,
            start_new_session=True,
        )

    def folders(self) -> list[Path]:
        """What the reaper removes."""
        return [self.work]

    def folder(self) -> Path:
        """A new empty folder for one machine; its name is the machine's."""
        made = self.work / f"{self.tag}-{next(self._numbers)}"
        self._made(made)
        return made

    def _made(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        folder.chmod(self._mode)  # whatever the umask is

    def close(self) -> None:
        """The reaper ends any machine left and removes the folders."""
        self._reaper.communicate(IN_ORDER)
        shutil.rmtree(self.work, ignore_errors=True)


class LibvirtOwner(Owner):
    """An owner with a libvirt connection."""

    def __init__(self, uri: str = "") -> None:
        self.runtime = embedded_root()
        self.connection: Any = connect(uri, self.runtime)
        self.qemu = qemu_version(self.connection)
        self.account = account(self.qemu, embedded=not uri)
        """Who its machines run as."""
        parent = work_folder(cache_folder() / "machines", self.account)
        # QEMU under another id has to reach its disk; the system's libvirt looks around as well.
        super().__init__(parent=parent, mode=0o755 if uri else 0o711 if self.account.id else 0o700)

    def close(self) -> None:
        """Close the connection, then as every owner."""
        self.connection.close()
        super().close()
