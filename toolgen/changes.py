"""What a tool changed on the machine beside its purpose: two surveys of a guest, compared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

__all__ = ["Change", "changes", "outside"]

Survey = Mapping[str, Mapping[str, str]]

NOISE = re.compile(
    r"/\.config/(libreoffice|dconf|pulse|gtk-3\.0|ibus|evolution|goa-1\.0|vlc/vlc-qt-interface)"
    r"|/\.local/share/(recently-used|gvfs-metadata|vlc/|sounds|xorg|ibus|gnome-shell)"
    r"|/\.lock$|/\.~lock\.|/\.dbus/|/\.local/state/"
    r"|^/tmp/(ambidex-foundry|\.X|\.ICE|OSL_PIPE|lu\w+\.tmp|dbus-|pulse-|ssh-|tmp\w+/$)"
)
"""What applications write of themselves whenever they run."""
SETTINGS_OF = {
    "gnome": ("org.gnome.",),
    "os": ("org.gnome.",),
    "files": ("org.gnome.nautilus", "org.gtk."),
}
"""Schemas whose keys the tools of an app are there to change."""


@dataclass(frozen=True)
class Change:
    """A file or a setting that is another than before."""

    kind: str
    """`file` or `setting`."""
    what: str
    how: str
    """`made`, `changed`, `gone`, or a setting's values."""

    def __str__(self) -> str:
        return f"{self.kind} {self.what}: {self.how}"


def changes(before: Survey, after: Survey) -> list[Change]:
    """All of them, what applications write of themselves left out."""
    return [*_files(before["files"], after["files"]), *_settings(before, after)]


def outside(found: list[Change], app: str, allowed: frozenset[str], home: str) -> list[Change]:
    """Those that are not the tool's business: files that neither the case nor the call names, and
    settings of other apps."""
    named = {path.replace("~", home, 1) if path.startswith("~") else path for path in allowed}
    schemas = SETTINGS_OF.get(app, ())
    return [
        each
        for each in found
        if (each.kind == "file" and not _within(each.what, named))
        or (each.kind == "setting" and not each.what.startswith(schemas or ("\0",)))
    ]


def _within(path: str, named: set[str]) -> bool:
    """Whether it is one of these, a folder above one, or beside one under a name made of it."""
    return any(
        path == each or each.startswith(path) or (len(each) > 1 and path.startswith(each))
        for each in named
    )


def _files(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Change]:
    for path in sorted(before.keys() | after.keys()):
        if before.get(path) == after.get(path) or NOISE.search(path):
            continue
        how = "gone" if path not in after else "made" if path not in before else "changed"
        yield Change("file", path, how)


def _settings(before: Survey, after: Survey) -> Iterator[Change]:
    old, new = before["settings"], after["settings"]
    for key in sorted(old.keys() | new.keys()):
        if old.get(key) != new.get(key):
            yield Change("setting", key, f"{old.get(key)} -> {new.get(key)}")
