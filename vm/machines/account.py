"""The account that QEMU runs as where root starts it: an id that is nobody's.

A guest that broke out of QEMU would be that account: it may write to its own machine's disk, and to
nothing else of this host. QEMU opens what it is given as root and changes its id before the guest
runs its first instruction. What it opens later, a machine's disk once more and the state that it
saves or loads, lies in the machine's folder, and is handed over file by file: the folder itself is
root's, so no file in it can be replaced by a link.
"""

from __future__ import annotations

import os
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

from ambidex.vm.namespace import IDS, ROOTS_RANGE

__all__ = ["VARIABLE", "Account", "account", "work_folder"]

OWNERS = 1 << 24
RUN_WITH = (9, 1)
"""The first QEMU whose option is called `-run-with`."""
SANDBOX = "on,obsolete=deny,elevateprivileges=allow,spawn=deny,resourcecontrol=deny"
"""As libvirt has it, but that QEMU may change its id; it can start no program, setuid or not."""
VARIABLE = Path("/var/tmp")
"""Where machines of root lie that nobody would reach in the cache: on a disk, for they are big."""


@dataclass(frozen=True)
class Account:
    """Who QEMU runs as: root's choice, or whoever starts it."""

    id: int | None
    """None where QEMU stays who started it."""
    qemu: tuple[int, int, int] = (0, 0, 0)

    @property
    def arguments(self) -> tuple[str, ...]:
        """What QEMU is told."""
        if self.id is None:
            return ()
        who = f"{self.id}:{self.id}"
        change = ("-run-with", f"user={who}") if self.qemu >= RUN_WITH else ("-runas", who)
        return (*change, "-sandbox", SANDBOX)

    def given(self, file: Path) -> Path:
        """That file, which QEMU may read and write from now on; an empty one if there is none."""
        if not file.exists():
            file.touch(mode=0o600)
        if self.id is not None:
            os.chown(file, self.id, self.id, follow_symlinks=False)
        return file

    def lent(self, file: Path, folder: Path) -> Path:
        """What QEMU may read of that file: a copy in the machine's folder, if it lies elsewhere."""
        if self.id is None:
            return file
        if file.parent != folder:
            file = Path(shutil.copyfile(file, folder / f"{file.name}.lent"))
        return self.given(file)


def account(qemu: tuple[int, int, int], *, embedded: bool) -> Account:
    """The account of one process's machines. The system's own libvirt has a user for them, and an
    ordinary user has no other id to give.
    """
    if not embedded or os.geteuid() != 0:
        return Account(None)
    return Account(ROOTS_RANGE + IDS + secrets.randbelow(OWNERS), qemu)


def work_folder(machines: Path, who: Account) -> Path:
    """Where folders of machines lie: in `machines`, unless nobody but root finds the way there."""
    if who.id is None:
        return machines
    machines.mkdir(parents=True, exist_ok=True)
    reachable = all(path.stat().st_mode & 0o001 for path in (machines, *machines.parents))
    return machines if reachable else VARIABLE
