"""What there is on a desktop, and what changed between two looks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from ambidex.host.client.guest import Guest
from ambidex.host.client.inside import SURVEY
from ambidex.host.errors import GuestError
from ambidex.host.terminal import visible_json
from ambidex.host.untrusted import MalformedError
from ambidex.host.untrusted.parsing import json_value, typed

__all__ = [
    "LASTING",
    "PARTS",
    "REFUSED",
    "Change",
    "Survey",
    "as_evidence",
    "changes",
    "left_out",
    "survey",
]

Survey = Mapping[str, Mapping[str, str]]
"""By part, see `PARTS`: the state of each thing by its name."""

LASTING = ("files", "settings")
"""What is still there when every program has ended."""
PARTS = (*LASTING, "windows", "processes")

EMPTY: Mapping[str, int] = {}
TAKES = 120.0
"""Seconds."""
REFUSED = "refused"
"""A part of its own: why a look did not see all files, under `files`."""

HOME = r"^/(?:home/[^/]+|root)/"
WRITTEN_ALONE = {
    "settings and state of applications": HOME
    + r"\.config/(?:libreoffice/4|dconf|pulse|gtk-3\.0|ibus|evolution|goa-1\.0)(?:/|$)"
    rf"|{HOME}\.config/vlc/vlc-qt-interface\.conf"
    rf"|{HOME}\.local/share/(?:gvfs-metadata|vlc|sounds|xorg|ibus|gnome-shell)(?:/|$)"
    rf"|{HOME}\.local/share/recently-used\.xbel"
    rf"|{HOME}(?:\.dbus|\.local/state)(?:/|$)",
    "caches": HOME + r"\.cache/(?:chromium|dconf|evolution|event-sound-cache|fontconfig|gedit|gimp"
    r"|gnome-[a-z-]+|google-chrome|gstreamer-1\.0|ibus|libgweather|mesa_shader_cache[a-z_]*|nautilus"
    r"|pip|thumbnails|thunderbird|totem|tracker3|vlc)(?:/|$)"
    rf"|{HOME}\.cache/$|/__pycache__/(?:[^/]+\.pyc)?$",
    "locks of open documents": rf"{HOME}(?:.*/)?\.~lock\.[^/]+#$",
    "sockets and scratch files of the session": r"^/tmp/(?:ambidex-foundry(?:/|$)|\.X|\.ICE"
    r"|OSL_PIPE|lu\w+\.tmp(?:/|$)|dbus-|pulse-|ssh-|tmp\w+/$)",
}
"""Files that applications write of themselves whenever they run, by what they are. Each expression
begins at a place; how many changes it left out is counted."""
_ALONE = {name: re.compile(expression) for name, expression in WRITTEN_ALONE.items()}


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
    found: dict[str, dict[str, str]] = {}
    what = "the survey of the guest"
    if session := [part for part in parts if part != "files"]:
        ran = guest.run(["python3", "-I", "-", *session], input=SURVEY, timeout=TAKES)
        if ran.returncode or ran.truncated or ran.timed_out:
            raise GuestError(f"{what} failed: {ran.stderr.strip()[-500:]}")
        found |= typed(dict[str, dict[str, str]], json_value(ran.stdout, what), what)
        if missing := [part for part in session if part not in found]:
            raise MalformedError(f"{what} has no {', '.join(missing)}")
    if "files" in parts:
        seen = guest.inventory()
        found["files"] = seen.files
        if seen.refused:
            found[REFUSED] = {"files": seen.refused}
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


def left_out(before: Survey, after: Survey) -> dict[str, int]:
    """How many changes of files `changes` does not tell, by what they are."""
    old, new = before.get("files", {}), after.get("files", {})
    kinds = (_alone(name) for name in old.keys() | new.keys() if old.get(name) != new.get(name))
    return dict(sorted(Counter(kind for kind in kinds if kind).items()))


def as_evidence(
    found: Sequence[Change], home: str, *, refused: str = "", left_out: Mapping[str, int] = EMPTY
) -> str:
    """The changes as a file for `evaluators.changes`; `home` is the desktop user's folder.
    `refused` says why there may be others, `left_out` counts those that are not told."""
    said = {
        "home": home,
        "changes": [asdict(each) for each in found],
        "refused": refused,
        "left_out": dict(left_out),
    }
    return visible_json(said) + "\n"


def _alone(path: str) -> str:
    return next((name for name, found in _ALONE.items() if found.search(path)), "")


def _changes(kind: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    for name in sorted(old.keys() | new.keys()):
        before, after = old.get(name), new.get(name)
        if before == after or (kind == "file" and _alone(name)):
            continue
        how = "gone" if after is None else "made" if before is None else "changed"
        if kind == "setting" or (kind == "window" and how == "changed"):
            how = f"{before} -> {after}"
        elif kind != "file":
            how = f"{how}: {before or after}"
        yield Change(kind, name, how)
