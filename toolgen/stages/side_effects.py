"""What a tool changed on the machine that is not its business."""

from __future__ import annotations

from ambidex.host.client.survey import Change

__all__ = ["outside"]

SETTINGS_OF = {
    "gnome": ("org.gnome.",),
    "os": ("org.gnome.",),
    "files": ("org.gnome.nautilus", "org.gtk."),
}
"""Schemas whose keys the tools of an app are there to change."""


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
