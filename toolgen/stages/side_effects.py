"""Changes to the machine that a tool should not have made."""

from __future__ import annotations

from ambidex.host.client.survey import Change

__all__ = ["side_effects"]

SETTINGS_OF = {
    "gnome": ("org.gnome.",),
    "os": ("org.gnome.",),
    "files": ("org.gnome.nautilus", "org.gtk."),
}
"""Settings schemas whose keys the tools of an app may change."""


def side_effects(
    changes: list[Change], app: str, allowed: frozenset[str], home: str
) -> list[Change]:
    """The changes that the tool should not have made: files that neither the task nor the call
    names, and settings of other apps."""
    named = {path.replace("~", home, 1) if path.startswith("~") else path for path in allowed}
    schemas = SETTINGS_OF.get(app, ())
    return [
        change
        for change in changes
        if (change.kind == "file" and not _related(change.what, named))
        or (change.kind == "setting" and not change.what.startswith(schemas or ("\0",)))
    ]


def _related(path: str, named: set[str]) -> bool:
    """Whether `path` is one of these paths, a folder above one, or begins with one (such as a
    backup next to it)."""
    return any(
        path == name or name.startswith(path) or (len(name) > 1 and path.startswith(name))
        for name in named
    )
