"""What a setup has left on a machine, and whether two setups left the same.

Files are those that the desktop user can change: below the home folder, `/tmp` and `/var/tmp`, by
content. Beside them, the session's settings, the windows by class and title, and what the task's
services hold, as their own programs export it.

Applications write some files whenever they run, and differently each time. By rule, these are not
compared: the files in `host.client.survey.WRITTEN_BY_APPS`, which a task's check for changes leaves
out as well, and those in `VARYING`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

from ambidex.host.client.answers import GuestRefusalError
from ambidex.host.client.guest import Guest
from ambidex.host.client.survey import LASTING, REFUSED, Survey, changes, survey

__all__ = ["VARYING", "differences", "take_inventory"]

SERVICES = "services"
NO_EXPORT, INCOMPLETE = "no export", "incomplete"

HOME = r"^/home/[^/]+/"
VARYING = {
    "private folders of system services": r"^/(?:var/)?tmp/systemd-private-[^/]+(?:/|$)",
    "the file manager's own databases": rf"{HOME}\.local/share/nautilus(?:/|$)",
    "a browser's profile, except what a user puts there": HOME
    + r"\.config/(?:chromium|google-chrome)/"
    r"(?!.*/(?:Bookmarks|Cookies|Extensions|Login Data)(?:/|$))",
    "a browser's scratch folders": r"^/tmp/(?:org\.chromium\.Chromium|com\.google\.Chrome)\.\w{6}/",
    "the profile of the browser that shows VS Code": rf"{HOME}\.config/code-window(?:/|$)",
    "VS Code's identifiers and locks": rf"{HOME}\.cache/Microsoft/|{HOME}\.config/Code/User/"
    r"(?:machineid|workspaceStorage/[^/]+/(?:meta\.json|vscode\.lock))$",
    "VS Code's logs and caches": rf"{HOME}\.config/Code/(?:logs/|CachedProfilesData/"
    r"|User/snippets/$|User/caches/|User/globalStorage/vscode\.json-language-features/)",
    "files that our extension of VS Code names by its process": HOME
    + r"\.config/Code/User/globalStorage/ambidex\.ambidex/\d+\.code-workspace$",
    "git's index and logs, which hold times": rf"{HOME}(?:.*/)?\.git/(?:index$|logs/)",
    "logs": rf"{HOME}(?:.*/)?[^/]+\.log(?:\.\d+)?$|{HOME}\.xsession-errors(?:\.old)?$",
}
"""By kind, patterns of more files that differ between two setups that are otherwise the same."""
_PATTERNS = tuple(re.compile(pattern) for pattern in VARYING.values())


def take_inventory(guest: Guest, services: Sequence[str]) -> dict[str, dict[str, str]]:
    """The inventory after a setup, by part and name. A service's state is a hash of its export."""
    surveyed = survey(guest, (*LASTING, "windows"))
    parts = {part: dict(states) for part, states in surveyed.items()}
    if services:
        guest.freeze()
        parts[SERVICES] = {service: _state(guest, service) for service in services}
        guest.thaw()
    return parts


def _state(guest: Guest, service: str) -> str:
    try:
        content, whole = guest.export(service)
    except GuestRefusalError:  # one that only serves others
        return NO_EXPORT
    return blake2b(content, digest_size=16).hexdigest() if whole else INCOMPLETE


def differences(first: Survey, second: Survey) -> tuple[str, ...]:
    """The names of what differs between two inventories, in order; empty if they are equal."""
    return tuple(_differences(first, second))


def _differences(first: Survey, second: Survey) -> Iterator[str]:
    for inventory in (first, second):
        if refused := inventory.get(REFUSED):
            yield f"the list of files: {refused['files']}"
            return
    lasting = ({part: one[part] for part in LASTING} for one in (first, second))
    for change in changes(*lasting):
        if change.kind != "file" or not _varies(change.what):
            yield change.what
    yield from _windows(first, second)
    before, after = first.get(SERVICES, {}), second.get(SERVICES, {})
    for service in sorted(before.keys() | after.keys()):
        if before.get(service) != after.get(service) or before[service] == INCOMPLETE:
            yield f"the service {service}"


def _windows(first: Survey, second: Survey) -> Iterable[str]:
    before, after = (
        Counter(_window(*item) for item in one["windows"].items()) for one in (first, second)
    )
    return sorted(f"the window {title}" for title in (before - after) + (after - before))


def _window(name: str, title: str) -> str:
    """A window without its number, which differs each time."""
    return f"{title!r} of {name.rpartition(' ')[0]}"


def _varies(path: str) -> bool:
    return any(pattern.search(path) for pattern in _PATTERNS)
