"""Tools for common desktop settings: text scale, notifications, screen lock, terminal size.

The tools of the app `gnome` read and change any other setting.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.gnome import settings as gnome
from ambidex.mcp_tools.os import app

NOTIFICATIONS = "org.gnome.desktop.notifications"
SESSION = "org.gnome.desktop.session"
SCREENSAVER = "org.gnome.desktop.screensaver"
LOCKDOWN = "org.gnome.desktop.lockdown"
PROFILES = "org.gnome.Terminal.ProfilesList"
PROFILE = "org.gnome.Terminal.Legacy.Profile"
PROFILE_AT = "/org/gnome/terminal/legacy/profiles:/:{}/"


@dataclass(frozen=True)
class ChangedSetting:
    """A setting with its value before and after the call."""

    schema: str
    key: str
    old: Any
    new: Any


@dataclass(frozen=True)
class DoNotDisturb:
    """Whether notification pop-ups are suppressed."""

    enabled: bool


def change(settings: Any, key: str, value: object) -> ChangedSetting:
    """Store a value; return the setting before and after."""
    old = settings.get_value(key).unpack()
    gnome.store(settings, key, value)
    new = settings.get_value(key).unpack()
    return ChangedSetting(settings.props.schema_id, key, old, new)


@app.tool(reads_only=True)
def get_text_scale() -> float:
    """Get the desktop's text scaling factor: how large text is; 1 is normal, 1.25 is Large Text."""
    scale: float = gnome.settings_of(gnome.INTERFACE).get_double("text-scaling-factor")
    return scale


@app.tool()
def change_text_scale(
    new_scale: Annotated[float, Field(ge=0.5, le=3, description="1 is normal, 1.25 is large")],
) -> ChangedSetting:
    """Set the text scaling factor of the whole desktop: make all text (fonts, letters) larger or
    smaller, at once and permanently. Returns the factor before and after.
    """
    return change(gnome.settings_of(gnome.INTERFACE), "text-scaling-factor", new_scale)


@app.tool(reads_only=True)
def get_do_not_disturb_status() -> DoNotDisturb:
    """Check whether Do Not Disturb is on: whether notifications (banners) are silenced or muted."""
    shown = gnome.settings_of(NOTIFICATIONS).get_boolean("show-banners")
    return DoNotDisturb(not shown)


@app.tool()
def set_do_not_disturb(
    enable: Annotated[bool, Field(description="true silences notifications")],
) -> ChangedSetting:
    """Turn Do Not Disturb on (silence notifications, mute banners) or off (show them again).
    Returns show-banners, its opposite, before and after.
    """
    return change(gnome.settings_of(NOTIFICATIONS), "show-banners", not enable)


@app.tool()
def configure_auto_lock(
    idle_delay_seconds: Annotated[
        int,
        Field(
            ge=0,
            le=86_400,
            description="seconds without input until the screen goes blank; 0 is never",
        ),
    ],
    lock_delay_seconds: Annotated[
        int, Field(ge=0, le=86_400, description="seconds from blank to locked; 0 is at once")
    ] = 0,
    enable_lock: Annotated[bool, Field(description="whether a blank screen locks at all")] = True,
) -> list[ChangedSetting]:
    """Configure the automatic screen lock: after how much inactivity the screen blanks and locks,
    or turn it off (privacy settings). Locking also lifts a lockdown and enables idle blanking if
    needed. Returns each setting before and after. A locked screen really asks for the password.
    """
    changes: list[tuple[str, str, object]] = [
        (SESSION, "idle-delay", idle_delay_seconds),
        (SCREENSAVER, "lock-delay", lock_delay_seconds),
        (SCREENSAVER, "lock-enabled", enable_lock),
    ]
    if enable_lock:
        changes += [
            (SCREENSAVER, "idle-activation-enabled", True),
            (LOCKDOWN, "disable-lock-screen", False),
        ]
    return [change(gnome.settings_of(schema), key, value) for schema, key, value in changes]


def default_profile() -> Any:
    """The settings of GNOME Terminal's default profile."""
    from gi.repository import Gio

    if gnome.schemas().lookup(PROFILES, True) is None:
        raise ToolError("GNOME Terminal is not installed.", code="not_installed")
    name = gnome.settings_of(PROFILES).get_string("default")
    return Gio.Settings.new_with_path(PROFILE, PROFILE_AT.format(name))


@app.tool()
def set_default_terminal_size(
    columns: Annotated[int, Field(ge=16, le=511, description="characters in a row")],
    rows: Annotated[int, Field(ge=4, le=511, description="rows of text")],
) -> list[ChangedSetting]:
    """Set the default size of new terminal windows in columns and rows, permanently (GNOME
    Terminal's default profile); open ones stay. Returns the size before and after.
    """
    profile = default_profile()
    return [
        change(profile, "default-size-columns", columns),
        change(profile, "default-size-rows", rows),
    ]
