"""The account that QEMU runs as if root starts it: a user id that belongs to nobody.

A guest that escaped from QEMU would have that account: it could write to its own machine's disk and
to nothing else on this host. QEMU opens its files as root and changes its id before the guest runs
its first instruction. Files that it opens later (the machine's disk again, and states that it saves
or loads) are in the machine's folder, and access is granted file by file. The folder itself belongs
to root, so no file in it can be replaced by a link.
"""

from __future__ import annotations

import os
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

from ambidex.vm.namespace import IDS, ROOTS_RANGE

__all__ = ["VAR_TMP", "Account", "choose_account", "work_folder"]

OWNERS = 1 << 24
RUN_WITH = (9, 1)
"""The first version of QEMU that has the option `-run-with`; earlier ones have `-runas`."""
SANDBOX = "on,obsolete=deny,elevateprivileges=allow,spawn=deny,resourcecontrol=deny"
"""libvirt's setting, except that QEMU may change its id. It can start no program, setuid or not."""
VAR_TMP = Path("/var/tmp")
"""Where root's machines are stored if other accounts cannot reach the cache; not in memory."""


@dataclass(frozen=True)
class Account:
    """The user id that QEMU runs as."""

    id: int | None
    """None if QEMU keeps the user id of the process that starts it."""
    qemu: tuple[int, int, int] = (0, 0, 0)
    """The version of QEMU."""

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments that make QEMU change to this account."""
        if self.id is None:
            return ()
        user = f"{self.id}:{self.id}"
        change = ("-run-with", f"user={user}") if self.qemu >= RUN_WITH else ("-runas", user)
        return (*change, "-sandbox", SANDBOX)

    def grant(self, file: Path) -> Path:
        """Let QEMU read and write that file, which is created if it does not exist; return it."""
        if not file.exists():
            file.touch(mode=0o600)
        if self.id is not None:
            os.chown(file, self.id, self.id, follow_symlinks=False)
        return file

    def lend(self, file: Path, folder: Path) -> Path:
        """A path at which QEMU may read that file: a copy in the machine's `folder` if the file is
        elsewhere and QEMU has an account of its own.
        """
        if self.id is None:
            return file
        if file.parent != folder:
            file = Path(shutil.copyfile(file, folder / f"{file.name}.lent"))
        return self.grant(file)


def choose_account(qemu: tuple[int, int, int], *, embedded: bool) -> Account:
    """An account for the machines of one process: an unused id if root starts QEMU itself.

    The system's libvirt has its own user for machines, and an ordinary user cannot change ids.
    """
    if not embedded or os.geteuid() != 0:
        return Account(None)
    return Account(ROOTS_RANGE + IDS + secrets.randbelow(OWNERS), qemu)


def work_folder(machines: Path, account: Account) -> Path:
    """The folder for machines' files: `machines`, or `VAR_TMP` if the account cannot reach that."""
    if account.id is None:
        return machines
    machines.mkdir(parents=True, exist_ok=True)
    reachable = all(path.stat().st_mode & 0o001 for path in (machines, *machines.parents))
    return machines if reachable else VAR_TMP
