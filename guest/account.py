"""The accounts that the door's workers act as: the desktop user's, and two of our own."""

from __future__ import annotations

import os
import pwd
from dataclasses import dataclass
from typing import Optional

from ambidex.guest import COLLECTOR, FREEZER, HARNESS, SUITE, THAWER
from ambidex.guest.credentials import Credentials

__all__ = ["Account", "MissingAccountError"]

WORKER_ACCOUNT, COLLECTOR_ACCOUNT = "ambidex-worker", "ambidex-collector"


class MissingAccountError(Exception):
    """The guest lacks an account that its server needs."""


@dataclass(frozen=True)
class Account:
    """The desktop user, and whom workers are besides."""

    name: str
    uid: int
    gid: int
    groups: tuple[int, ...]
    home: str
    shell: str
    worker: Optional[int] = None
    """The user behind the harness worker, whom the desktop user cannot stop. None where the door
    runs as the desktop user itself, as in tests: then all workers do, and nothing is protected."""
    collector: Optional[int] = None
    """The user who reads the evidence."""

    @staticmethod
    def named(name: str) -> Account:
        """The account; `MissingAccountError` names the one that is not there."""
        entry = _entry(name)
        groups = tuple(os.getgrouplist(name, entry.pw_gid))
        account = (name, entry.pw_uid, entry.pw_gid, groups, entry.pw_dir)
        shell = entry.pw_shell or "/bin/sh"
        if os.geteuid() == entry.pw_uid:
            return Account(*account, shell)
        worker, collector = (_entry(each).pw_uid for each in (WORKER_ACCOUNT, COLLECTOR_ACCOUNT))
        return Account(*account, shell, worker, collector)

    def credentials(self, worker: str) -> Optional[Credentials]:
        """Those of the worker of that name; None where they are not changed."""
        if self.worker is None or self.collector is None:
            return None
        if worker == COLLECTOR:
            own = self.collector
            return Credentials(own, own, own, own, keeps=("DAC_READ_SEARCH",))
        if worker == SUITE:
            own = self.collector
            return Credentials(own, own, own, own)
        behind = self.worker if worker in (HARNESS, FREEZER, THAWER) else self.uid
        return Credentials(behind, self.uid, behind, self.gid, self.groups)

    @property
    def environment(self) -> dict[str, str]:
        """What a process of this account gets before anything is known of its session."""
        own = {"HOME": self.home, "USER": self.name, "LOGNAME": self.name, "SHELL": self.shell}
        path = "/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"
        return {"PATH": path, "LANG": os.environ.get("LANG", "C.UTF-8"), **own}


def _entry(name: str) -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        hint = "An image built or a machine provisioned with this version has it."
        raise MissingAccountError(f"This machine has no account {name!r}. {hint}") from None
