"""VLC's settings: ~/.config/vlc/vlcrc, which a running VLC may rewrite when it ends."""

from __future__ import annotations

import functools
import os
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.office import connection
from ambidex.mcp_tools.vlc import app, vlcrc
from ambidex.mcp_tools.vlc.player import ROOT, call, running, status
from ambidex.mcp_tools.vlc.playlist import entries, reopen
from ambidex.mcp_tools.waiting import wait_for

__all__ = ["app"]

ENDS_WITHIN = 20.0
LISTED = 200


@dataclass(frozen=True)
class Setting:
    """A setting; `is_set` is false where it has VLC's default."""

    field: str
    value: str
    default: str
    kind: str
    about: str
    is_set: bool


@dataclass(frozen=True)
class Settings:
    """Settings in VLC's order; `left_out` were too many."""

    settings: list[Setting]
    left_out: int


@dataclass(frozen=True)
class ChangedSetting:
    """A setting before and after; `reopened` says that VLC ran and was closed and opened again."""

    field: str
    before: str
    after: str
    reopened: bool


def path() -> Path:
    """The file."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "vlc" / "vlcrc"


def text() -> str:
    """What stands in the file; nothing if there is none."""
    with suppress(FileNotFoundError):
        return path().read_text(encoding="utf-8", errors="surrogateescape")
    return ""


def _vlc(*arguments: str, config: str) -> str:
    """What VLC without a window says, with its settings in that folder and nothing on the bus."""
    ran = subprocess.run(
        ["vlc", "-I", "dummy", "--no-dbus", *arguments],
        env={**os.environ, "XDG_CONFIG_HOME": config},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=30,
        check=False,
    )
    return ran.stdout.decode(errors="replace")


@functools.cache
def known() -> dict[str, vlcrc.Known]:
    """What can be set: VLC writes all its defaults into a file of its own for us."""
    with tempfile.TemporaryDirectory() as folder:
        _vlc("--reset-config", "vlc://quit", config=folder)
        found = vlcrc.known((Path(folder) / "vlc" / "vlcrc").read_text(encoding="utf-8"))
    if not found:
        raise ToolError("VLC does not tell its settings.", code="failed")
    return found


@functools.cache
def allowed() -> dict[str, vlcrc.Range]:
    """What numbers are allowed."""
    with tempfile.TemporaryDirectory() as folder:
        return vlcrc.ranges(_vlc("--no-color", "--advanced", "-H", config=folder))


@app.tool(reads_only=True, timeout=60)
def get_settings(
    search: Annotated[
        Optional[str],
        Field(
            min_length=2,
            description="part of a name or description, such as subtitle; finds defaults too",
        ),
    ] = None,
) -> Settings:
    """Read VLC's preferences: options changed from the defaults, or all that match `search`. Finds
    the field for vlc_set_settings.
    """
    file, every = vlcrc.values(text()), known()
    found = []
    for each in every.values():
        if search is None:
            wanted = each.name in file
        else:
            wanted = search.lower() in f"{each.name} {each.about}".lower()
        if wanted:
            value = file.get(each.name, each.default)
            found.append(
                Setting(each.name, value, each.default, each.kind, each.about, each.name in file)
            )
    return Settings(found[:LISTED], max(0, len(found) - LISTED))


@app.tool(timeout=120)
def set_settings(
    field: Annotated[
        str,
        Field(
            min_length=1,
            description="such as qt-max-volume, qt-minimal-view, qt-bgcone, input-record-path; "
            "vlc_get_settings finds others",
        ),
    ],
    value: Annotated[str | int | float | bool, Field(description="0 or 1 for off or on")],
) -> ChangedSetting:
    """Change a preference (option) of VLC permanently, such as recording folder, snapshots, single
    instance, maximum volume. A running VLC is restarted and continues where it was. Returns the
    value before and after.
    """
    setting = known().get(field)
    if setting is None:
        like = [name for name in known() if field.lower() in name or name in field.lower()]
        hint = f"Like it: {', '.join(like[:10])}." if like else "vlc_get_settings searches."
        raise ToolError(f"VLC has no setting {field!r}.", code="no_setting", hint=hint)
    wanted = vlcrc.value_for(setting, _words(value), allowed().get(field))
    before = vlcrc.values(text()).get(field, setting.default)
    if before == wanted and field in vlcrc.values(text()):
        return ChangedSetting(field, before, wanted, False)
    was = (status(), entries()) if running() else None
    if was:
        call(ROOT, "Quit")
    if not wait_for(lambda: not connection.processes("vlc"), ENDS_WITHIN if was else 1.0):
        message = "VLC still runs and would undo the change when it ends; nothing was changed."
        raise ToolError(message, code="busy", hint="Close its windows and dialogs first.")
    _write(vlcrc.changed(text(), setting, wanted))
    if was:
        reopen(*was)
    return ChangedSetting(field, before, vlcrc.values(text())[field], was is not None)


def _words(value: str | int | float | bool) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def _write(content: str) -> None:
    """All or nothing, through a link if the file is one."""
    file = path().resolve()
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f"{file.name}.{os.getpid()}")
    fresh.write_text(content, encoding="utf-8", errors="surrogateescape")
    if file.exists():
        fresh.chmod(file.stat().st_mode & 0o777)
    fresh.replace(file)
