"""Whom the hands of the door are: the desktop user's account."""

from __future__ import annotations

import os
import pwd
from dataclasses import dataclass
from typing import Any

__all__ = ["Account"]


@dataclass(frozen=True)
class Account:
    """The desktop user, and whether the door must change identity to act as them."""

    name: str
    uid: int
    gid: int
    groups: tuple[int, ...]
    home: str
    shell: str

    @staticmethod
    def named(name: str) -> Account:
        """The account; KeyError if there is none."""
        entry = pwd.getpwnam(name)
        groups = tuple(os.getgrouplist(name, entry.pw_gid))
        return Account(
            name, entry.pw_uid, entry.pw_gid, groups, entry.pw_dir, entry.pw_shell or "/bin/sh"
        )

    @property
    def change(self) -> dict[str, Any]:
        """Arguments that make a new process this account; none when we already are it."""
        if os.geteuid() == self.uid:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": list(self.groups)}

    @property
    def environment(self) -> dict[str, str]:
        """What a process of this account gets before anything is known of its session."""
        own = {"HOME": self.home, "USER": self.name, "LOGNAME": self.name, "SHELL": self.shell}
        path = "/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"
        return {"PATH": path, "LANG": os.environ.get("LANG", "C.UTF-8"), **own}
