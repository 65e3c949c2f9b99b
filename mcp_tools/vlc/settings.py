"""Tools for VLC's settings in ~/.config/vlc/vlcrc, which a running VLC may rewrite on exit."""

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
from ambidex.mcp_tools.vlc.player import ROOT, call, is_running, status
from ambidex.mcp_tools.vlc.playlist import entries, reopen
from ambidex.mcp_tools.waiting import wait_for

__all__ = ["app"]

ENDS_WITHIN = 20.0
MAX_LISTED = 200


@dataclass(frozen=True)
class Setting:
    """A setting; `is_set` is false if it has VLC's default."""

    field: str
    value: str
    default: str
    kind: str
    about: str
    is_set: bool


@dataclass(frozen=True)
class Settings:
    """Settings in VLC's order; `left_out` counts those beyond the limit."""

    settings: list[Setting]
    left_out: int


@dataclass(frozen=True)
class ChangedSetting:
    """A setting before and after; `reopened` is true if a running VLC was restarted."""

    field: str
    before: str
    after: str
    reopened: bool


def config_file() -> Path:
    """Path of the settings file."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "vlc" / "vlcrc"


def read_config() -> str:
    """Text of the settings file; empty if it does not exist."""
    with suppress(FileNotFoundError):
        return config_file().read_text(encoding="utf-8", errors="surrogateescape")
    return ""


def _run_vlc(*arguments: str, config: str) -> str:
    """Output of VLC without a window and D-Bus, with its settings in the folder `config`."""
    result = subprocess.run(
        ["vlc", "-I", "dummy", "--no-dbus", *arguments],
        env={**os.environ, "XDG_CONFIG_HOME": config},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=30,
        check=False,
    )
    return result.stdout.decode(errors="replace")


@functools.cache
def known_settings() -> dict[str, vlcrc.KnownSetting]:
    """All settings of VLC, read from a file of defaults that VLC writes into a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        _run_vlc("--reset-config", "vlc://quit", config=folder)
        settings = vlcrc.parse_defaults(
            (Path(folder) / "vlc" / "vlcrc").read_text(encoding="utf-8")
        )
    if not settings:
        raise ToolError("VLC did not list its settings.", code="failed")
    return settings


@functools.cache
def allowed_ranges() -> dict[str, vlcrc.Range]:
    """Allowed ranges of numeric settings."""
    with tempfile.TemporaryDirectory() as folder:
        return vlcrc.parse_ranges(_run_vlc("--no-color", "--advanced", "-H", config=folder))


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
    file, known = vlcrc.parse_values(read_config()), known_settings()
    settings = []
    for setting in known.values():
        if search is None:
            matches = setting.name in file
        else:
            matches = search.lower() in f"{setting.name} {setting.about}".lower()
        if matches:
            value = file.get(setting.name, setting.default)
            settings.append(
                Setting(
                    setting.name,
                    value,
                    setting.default,
                    setting.kind,
                    setting.about,
                    setting.name in file,
                )
            )
    return Settings(settings[:MAX_LISTED], max(0, len(settings) - MAX_LISTED))


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
    setting = known_settings().get(field)
    if setting is None:
        similar = [
            name for name in known_settings() if field.lower() in name or name in field.lower()
        ]
        hint = "Search with vlc_get_settings."
        if similar:
            hint = f"Similar names: {', '.join(similar[:10])}."
        raise ToolError(f"Unknown setting of VLC: {field!r}.", code="no_setting", hint=hint)
    new_value = vlcrc.to_value(setting, _to_text(value), allowed_ranges().get(field))
    before = vlcrc.parse_values(read_config()).get(field, setting.default)
    if before == new_value and field in vlcrc.parse_values(read_config()):
        return ChangedSetting(field, before, new_value, False)
    state = (status(), entries()) if is_running() else None
    if state:
        call(ROOT, "Quit")
    if not wait_for(lambda: not connection.processes("vlc"), ENDS_WITHIN if state else 1.0):
        message = "VLC is still running and would undo the change on exit, so nothing was changed."
        raise ToolError(message, code="busy", hint="Close its windows and dialogs first.")
    _write(vlcrc.with_setting(read_config(), setting, new_value))
    if state:
        reopen(*state)
    return ChangedSetting(
        field, before, vlcrc.parse_values(read_config())[field], state is not None
    )


def _to_text(value: str | int | float | bool) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def _write(content: str) -> None:
    """Replace the settings file atomically, following a link."""
    file = config_file().resolve()
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_name(f"{file.name}.{os.getpid()}")
    partial.write_text(content, encoding="utf-8", errors="surrogateescape")
    if file.exists():
        partial.chmod(file.stat().st_mode & 0o777)
    partial.replace(file)
