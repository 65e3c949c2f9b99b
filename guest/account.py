"""The accounts that workers run as: the desktop user's, and two system accounts."""

from __future__ import annotations

import os
import pwd
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from ambidex.guest import AS_ACCOUNT, COLLECTOR, FREEZER, HARNESS, SUITE, THAWER, VERIFIER
from ambidex.guest.credentials import Credentials

__all__ = ["Account", "MissingAccountError"]

WORKER_ACCOUNT, COLLECTOR_ACCOUNT = "ambidex-worker", "ambidex-collector"
VERIFIER_ACCOUNT = "ambidex-verifier"


class MissingAccountError(Exception):
    """The guest lacks an account that its server needs."""


@dataclass(frozen=True)
class Account:
    """The desktop user's account, and the ids of the workers' system accounts."""

    name: str
    uid: int
    gid: int
    groups: tuple[int, ...]
    home: str
    shell: str
    worker: Optional[int] = None
    """The real user id of the harness worker, which the desktop user cannot stop. None if the door
    runs as the desktop user itself, as in tests: then all workers do, and nothing is protected.
    """
    collector: Optional[int] = None
    """The user id of the worker that reads the evidence."""

    @staticmethod
    def named(name: str) -> Account:
        """Look up the account; `MissingAccountError` names one that does not exist."""
        entry = _entry(name)
        groups = tuple(os.getgrouplist(name, entry.pw_gid))
        account = (name, entry.pw_uid, entry.pw_gid, groups, entry.pw_dir)
        shell = entry.pw_shell or "/bin/sh"
        if os.geteuid() == entry.pw_uid:
            return Account(*account, shell)
        system_accounts = (WORKER_ACCOUNT, COLLECTOR_ACCOUNT)
        worker, collector = (_entry(system_name).pw_uid for system_name in system_accounts)
        return Account(*account, shell, worker, collector)

    def credentials(self, worker: str) -> Optional[Credentials]:
        """The credentials of the worker of that name; None if they are not changed."""
        if self.worker is None or self.collector is None:
            return None
        if worker == COLLECTOR:
            own = self.collector
            return Credentials(own, own, own, own, keeps=("DAC_READ_SEARCH",))
        if worker == SUITE:
            own = self.collector
            return Credentials(own, own, own, own)
        if worker == VERIFIER:
            # To copy the folders to verify; the program itself has no capabilities.
            return _own_credentials(VERIFIER_ACCOUNT, keeps=("DAC_READ_SEARCH",))
        if worker.startswith(AS_ACCOUNT):
            return _own_credentials(worker.removeprefix(AS_ACCOUNT))
        real = self.worker if worker in (HARNESS, FREEZER, THAWER) else self.uid
        return Credentials(real, self.uid, real, self.gid, self.groups)

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a process of this account before its session is known."""
        own = {"HOME": self.home, "USER": self.name, "LOGNAME": self.name, "SHELL": self.shell}
        path = "/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"
        return {"PATH": path, "LANG": os.environ.get("LANG", "C.UTF-8"), **own}

    @property
    def runtime(self) -> dict[str, str]:
        """What is added to `environment` where there is no session to take it from."""
        folder = Path(f"/run/user/{self.uid}")
        return {"XDG_RUNTIME_DIR": str(folder)} if folder.is_dir() else {}


def _own_credentials(name: str, keeps: tuple[str, ...] = ()) -> Credentials:
    entry = _entry(name)
    own, groups = entry.pw_uid, tuple(os.getgrouplist(name, entry.pw_gid))
    return Credentials(own, own, own, entry.pw_gid, groups, keeps)


def _entry(name: str) -> pwd.struct_passwd:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        hint = "Build the image or provision the machine with this version."
        raise MissingAccountError(f"This machine has no account {name!r}. {hint}") from None
