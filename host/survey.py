"""What there is on a desktop, and what is another way than it was."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from host.errors import GuestError
from host.guest import Guest
from host.inside import SURVEY
from host.terminal import visible_json

__all__ = ["LASTING", "PARTS", "Change", "Survey", "as_evidence", "changes", "survey"]

Survey = Mapping[str, Mapping[str, str]]
"""By part, see `PARTS`: the state of each thing by its name."""

LASTING = ("files", "settings")
"""What is still there when every program has ended."""
PARTS = (*LASTING, "windows", "processes")

TAKES = 120.0
"""Seconds."""
NOISE = re.compile(
    r"/\.config/(libreoffice|dconf|pulse|gtk-3\.0|ibus|evolution|goa-1\.0|vlc/vlc-qt-interface)"
    r"|/\.local/share/(recently-used|gvfs-metadata|vlc/|sounds|xorg|ibus|gnome-shell)"
    r"|/\.lock$|/\.~lock\.|/\.dbus/|/\.local/state/"
    r"|^/tmp/(ambidex-foundry|\.X|\.ICE|OSL_PIPE|lu\w+\.tmp|dbus-|pulse-|ssh-|tmp\w+/$)"
)
"""Files that applications write of themselves whenever they run."""


@dataclass(frozen=True)
class Change:
    """A thing that is another than before."""

    kind: str
    """`file`, `setting`, `window` or `process`; `document` for what is said in a file."""
    what: str
    how: str
    """`made`, `changed` or `gone`; of a setting or a window's title both values."""

    def __str__(self) -> str:
        return f"{self.kind} {self.what}: {self.how}"


def survey(guest: Guest, parts: tuple[str, ...] = PARTS) -> Survey:
    """These parts of a desktop as they are now; nothing is written there."""
    ran = guest.run(["python3", "-", *parts], input=SURVEY, timeout=TAKES)
    if ran.returncode or ran.truncated or ran.timed_out:
        raise GuestError(f"the survey of the guest failed: {ran.stderr.strip()[-500:]}")
    found: Survey = json.loads(ran.stdout)
    return found


def changes(before: Survey, after: Survey) -> list[Change]:
    """All of them in the parts that both have, what applications write of themselves left out."""
    kinds = {"files": "file", "settings": "setting", "windows": "window", "processes": "process"}
    return [
        change
        for part, kind in kinds.items()
        if part in before and part in after
        for change in _changes(kind, before[part], after[part])
    ]


def as_evidence(found: Sequence[Change], home: str) -> str:
    """The changes as a file for `evaluators.changes`; `home` is the desktop user's folder."""
    said = {"home": home, "changes": [asdict(each) for each in found]}
    return visible_json(said) + "\n"


def _changes(kind: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    for name in sorted(old.keys() | new.keys()):
        before, after = old.get(name), new.get(name)
        if before == after or (kind == "file" and NOISE.search(name)):
            continue
        how = "gone" if after is None else "made" if before is None else "changed"
        if kind == "setting" or (kind == "window" and how == "changed"):
            how = f"{before} -> {after}"
        elif kind != "file":
            how = f"{how}: {before or after}"
        yield Change(kind, name, how)
