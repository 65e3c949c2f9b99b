"""Surveys of a desktop's state (files, settings, windows, processes), and their differences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from ambidex.host.client.evidence_files import FileReader
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
    "survey_files",
]

Survey = Mapping[str, Mapping[str, str]]
"""By part (see `PARTS`) and name, the state of each item."""

LASTING = ("files", "settings")
"""The parts that remain when every program has ended."""
PARTS = (*LASTING, "windows", "processes")

EMPTY: Mapping[str, int] = {}
TAKES = 120.0
"""Seconds that a survey may take."""
REFUSED = "refused"
"""An extra part of a survey that is incomplete: the reason, under the name `files`."""

HOME = r"^/(?:home/[^/]+|root)/"
WRITTEN_BY_APPS = {
    "settings and state of applications": HOME
    + r"\.config/(?:libreoffice/4|dconf|enchant|pulse|gtk-3\.0|ibus|evolution|goa-1\.0)(?:/|$)"
    rf"|{HOME}\.config/vlc/vlc-qt-interface\.conf"
    rf"|{HOME}\.local/share/(?:gvfs-metadata|vlc|sounds|xorg|ibus|gnome-shell)(?:/|$)"
    rf"|{HOME}\.local/share/recently-used\.xbel"
    rf"|{HOME}\.local/share/nautilus/(?:tracker2-migration-complete)?$"
    rf"|{HOME}(?:\.dbus|\.local/state)(?:/|$)"
    rf"|{HOME}\.(?:xsession-errors|bash_history)$"
    rf"|{HOME}\.config/(?:[^/]+-)?xdg-terminals\.list$",
    "caches": HOME + r"\.cache/(?:chromium|code-window|dconf|evolution|event-sound-cache[^/]*"
    r"|fontconfig|gedit|gimp|gnome-[a-z-]+|google-chrome|gstreamer-1\.0|ibus|libgweather"
    r"|mesa_shader_cache[a-z_]*|nautilus|pip|thumbnails|thunderbird|totem|tracker3|vlc)(?:/|$)"
    rf"|{HOME}\.cache/$|/__pycache__/(?:[^/]+\.pyc)?$",
    "locks of open documents": rf"{HOME}(?:.*/)?\.~lock\.[^/]+#$",
    "sockets and scratch files of the session": r"^/tmp/(?:ambidex-foundry(?:/|$)|\.X|\.ICE"
    r"|OSL_PIPE|lu\w+\.tmp(?:/|$)|dbus-|pulse-|ssh-|tmp\w+/$)",
    "scratch folders of system services": r"^/(?:var/)?tmp/systemd-private-[0-9a-f]{32}-[^/]+/",
    "scratch folders of thumbnailers": r"^/tmp/gnome-desktop-thumbnailer-[A-Z0-9]{6}/",
    "the profile of the tools' browser": r"^/tmp/playwright_chromiumdev_profile-\w{6}/",
}
"""By kind, patterns of files that applications write whenever they run. Changes to them are not
reported, only counted."""
STATE_OF_WINDOWS = re.compile(
    r"org\.gnome\.gnome-panel\.run-dialog history"
    r"|org\.gtk\.(?:gtk4\.)?[Ss]ettings\.(?:FileChooser|file-chooser) .*"
    r"|org\.gnome\.nautilus\.window-state .*"
)
"""Settings in which dialogs and windows remember what was typed into them, and their size. Changes
to them are not reported."""
_PATTERNS = {name: re.compile(pattern) for name, pattern in WRITTEN_BY_APPS.items()}


@dataclass(frozen=True)
class Change:
    """A difference between two surveys."""

    kind: str
    """`file`, `setting`, `window` or `process`; `document` for a difference in a file's content."""
    what: str
    how: str
    """`made`, `changed` or `gone`; for a setting or a window's title, both values."""

    def __str__(self) -> str:
        return f"{self.kind} {self.what}: {self.how}"


def survey(guest: Guest, parts: tuple[str, ...] = PARTS) -> Survey:
    """Survey these parts of a desktop, without writing anything there."""
    state: dict[str, dict[str, str]] = {}
    what = "the survey of the guest"
    if session := [part for part in parts if part != "files"]:
        result = guest.run(["python3", "-I", "-", *session], input=SURVEY, timeout=TAKES)
        if result.returncode or result.truncated or result.timed_out:
            raise GuestError(f"{what} failed: {result.stderr.strip()[-500:]}")
        state |= typed(dict[str, dict[str, str]], json_value(result.stdout, what), what)
        if missing := [part for part in session if part not in state]:
            raise MalformedError(f"{what} has no {', '.join(missing)}")
    return {**state, **survey_files(guest)} if "files" in parts else state


def survey_files(reader: FileReader) -> Survey:
    """The part `files` of a survey, with the part `REFUSED` if it is incomplete."""
    inventory = reader.inventory()
    refused = {REFUSED: {"files": inventory.refused}} if inventory.refused else {}
    return {"files": inventory.files, **refused}


def changes(before: Survey, after: Survey) -> list[Change]:
    """All changes in the parts that both surveys have, except to files in `WRITTEN_BY_APPS`."""
    kinds = {"files": "file", "settings": "setting", "windows": "window", "processes": "process"}
    return [
        change
        for part, kind in kinds.items()
        if part in before and part in after
        for change in _changes(kind, before[part], after[part])
    ]


def left_out(before: Survey, after: Survey) -> dict[str, int]:
    """By kind, the number of changed files that `changes` does not report."""
    old, new = before.get("files", {}), after.get("files", {})
    kinds = (_app_file(name) for name in old.keys() | new.keys() if old.get(name) != new.get(name))
    return dict(sorted(Counter(kind for kind in kinds if kind).items()))


def as_evidence(
    found: Sequence[Change], home: str, *, refused: str = "", left_out: Mapping[str, int] = EMPTY
) -> str:
    """The changes as an evidence file for `evaluators.changes`. `home` is the desktop user's home,
    `refused` says why the list may be incomplete, `left_out` counts the changes not reported."""
    evidence = {
        "home": home,
        "changes": [asdict(change) for change in found],
        "refused": refused,
        "left_out": dict(left_out),
    }
    return visible_json(evidence) + "\n"


def _app_file(path: str) -> str:
    """The kind in `WRITTEN_BY_APPS` of a file; empty for any other file."""
    return next((name for name, pattern in _PATTERNS.items() if pattern.search(path)), "")


def _changes(kind: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    for name in sorted(old.keys() | new.keys()):
        before, after = old.get(name), new.get(name)
        if before == after or (kind == "file" and _app_file(name)):
            continue
        if kind == "setting" and STATE_OF_WINDOWS.fullmatch(name):
            continue
        how = "gone" if after is None else "made" if before is None else "changed"
        if kind == "setting" or (kind == "window" and how == "changed"):
            how = f"{before} -> {after}"
        elif kind != "file":
            how = f"{how}: {before or after}"
        yield Change(kind, name, how)
