"""Settings that people ask for by name: text scale, notifications, lock, size of terminals.

Any other setting is read and changed by the tools of `gnome`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from mcp_tools import ToolError
from mcp_tools.gnome import settings as gnome
from mcp_tools.os import app

NOTIFICATIONS = "org.gnome.desktop.notifications"
SESSION = "org.gnome.desktop.session"
SCREENSAVER = "org.gnome.desktop.screensaver"
LOCKDOWN = "org.gnome.desktop.lockdown"
PROFILES = "org.gnome.Terminal.ProfilesList"
PROFILE = "org.gnome.Terminal.Legacy.Profile"
PROFILE_AT = "/org/gnome/terminal/legacy/profiles:/:{}/"


@dataclass(frozen=True)
class Changed:
    """A setting: its value before the call, and the one stored now."""

    schema: str
    key: str
    old: Any
    new: Any


@dataclass(frozen=True)
class DoNotDisturb:
    """Whether notifications are kept from popping up."""

    enabled: bool


def change(settings: Any, key: str, value: object) -> Changed:
    """Store a value; what it was and what is stored then."""
    old = settings.get_value(key).unpack()
    gnome.store(settings, key, value)
    new = settings.get_value(key).unpack()
    return Changed(settings.props.schema_id, key, old, new)


@app.tool(reads_only=True)
def get_text_scale() -> float:
    """See how large text is on the desktop: 1 is normal, 1.25 is large."""
    scale: float = gnome.settings_of(gnome.INTERFACE).get_double("text-scaling-factor")
    return scale


@app.tool()
def change_text_scale(
    new_scale: Annotated[float, Field(ge=0.5, le=3, description="1 is normal, 1.25 is large")],
) -> Changed:
    """Make text larger or smaller everywhere on the desktop, at once and for good. Returns the
    scale before and now.
    """
    return change(gnome.settings_of(gnome.INTERFACE), "text-scaling-factor", new_scale)


@app.tool(reads_only=True)
def get_do_not_disturb_status() -> DoNotDisturb:
    """See whether notifications are kept from popping up (Do Not Disturb)."""
    shown = gnome.settings_of(NOTIFICATIONS).get_boolean("show-banners")
    return DoNotDisturb(not shown)


@app.tool()
def set_do_not_disturb(
    enable: Annotated[bool, Field(description="true keeps notifications away")],
) -> Changed:
    """Switch Do Not Disturb on (notifications no longer pop up) or off. Returns the setting
    show-banners, which is its opposite, before and now.
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
) -> list[Changed]:
    """Set when an unused screen goes blank and is locked. To lock, a ban on locking the screen is
    lifted as well and going blank when idle is switched on, or the delays would do nothing. Returns
    each setting before and now. The lock is real: a locked screen asks for the user's password.
    """
    wanted: list[tuple[str, str, object]] = [
        (SESSION, "idle-delay", idle_delay_seconds),
        (SCREENSAVER, "lock-delay", lock_delay_seconds),
        (SCREENSAVER, "lock-enabled", enable_lock),
    ]
    if enable_lock:
        wanted += [
            (SCREENSAVER, "idle-activation-enabled", True),
            (LOCKDOWN, "disable-lock-screen", False),
        ]
    return [change(gnome.settings_of(schema), key, value) for schema, key, value in wanted]


def default_profile() -> Any:
    """The settings of the terminal's default profile."""
    from gi.repository import Gio

    if gnome.schemas().lookup(PROFILES, True) is None:
        raise ToolError("GNOME Terminal is not installed.", code="not_installed")
    name = gnome.settings_of(PROFILES).get_string("default")
    return Gio.Settings.new_with_path(PROFILE, PROFILE_AT.format(name))


@app.tool()
def set_default_terminal_size(
    columns: Annotated[int, Field(ge=16, le=511, description="characters in a row")],
    rows: Annotated[int, Field(ge=4, le=511, description="rows of text")],
) -> list[Changed]:
    """Make every terminal window that is opened from now on this large, also after a restart
    (GNOME Terminal's default profile). Windows that are open stay as they are. Returns the size
    before and now.
    """
    profile = default_profile()
    return [
        change(profile, "default-size-columns", columns),
        change(profile, "default-size-rows", rows),
    ]
