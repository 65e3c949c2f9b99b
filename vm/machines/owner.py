"""Owners of machines, each with a tag, a working folder and a reaper process that cleans up."""

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

from ambidex.vm.machines.account import choose_account, work_folder
from ambidex.vm.machines.hypervisor import connect, qemu_version
from ambidex.vm.machines.reaper import IN_ORDER
from ambidex.vm.store import cache_folder

__all__ = ["LibvirtOwner", "Owner"]

PROJECT = Path(__file__).parents[2]


@functools.cache
def embedded_root() -> Path:
    """The folder of libvirt's embedded driver, which a process can open only once.

    Its path is short, since a socket's path is limited to 107 characters. It is removed when this
    process has ended.
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
    """Owns the machines of one process: a tag for their processes, and a folder for their files.

    Nothing of it outlives the process, even if that is killed with SIGKILL.
    """

    def __init__(self, *, parent: Path | None = None, mode: int = 0o700) -> None:
        self.tag = f"ambidex-{secrets.token_hex(6)}"
        self.work = (parent or cache_folder() / "machines") / self.tag
        self._mode = mode
        self._make_folder(self.work)
        self._numbers = itertools.count()
        # In its own session: Ctrl-C is for the owner, which then closes its machines in order.
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
        """The folders that the reaper removes."""
        return [self.work]

    def folder(self) -> Path:
        """Create an empty folder for one machine; its name is also the machine's."""
        folder = self.work / f"{self.tag}-{next(self._numbers)}"
        self._make_folder(folder)
        return folder

    def _make_folder(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        folder.chmod(self._mode)  # regardless of the umask

    def close(self) -> None:
        """Have the reaper end any remaining machine and remove the folders."""
        self._reaper.communicate(IN_ORDER)
        shutil.rmtree(self.work, ignore_errors=True)


class LibvirtOwner(Owner):
    """An owner with a libvirt connection."""

    def __init__(self, uri: str = "") -> None:
        self.runtime = embedded_root()
        self.connection: Any = connect(uri, self.runtime)
        self.qemu = qemu_version(self.connection)
        self.account = choose_account(self.qemu, embedded=not uri)
        """The account that its QEMU processes run as."""
        parent = work_folder(cache_folder() / "machines", self.account)
        # QEMU under another id must reach its disk; the system's libvirt also lists the folder.
        super().__init__(parent=parent, mode=0o755 if uri else 0o711 if self.account.id else 0o700)

    def close(self) -> None:
        """Close the connection, then do as `Owner.close`."""
        self.connection.close()
        super().close()
