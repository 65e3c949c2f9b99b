"""Tools that list windows, activate one, or wait for one."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.computer import app
from ambidex.mcp_tools.waiting import wait_for

if TYPE_CHECKING:
    from ambidex.mcp_tools.display.x11 import Window

__all__ = ["app"]

Title = Annotated[str, Field(min_length=1, description="part of the title, ignoring case")]
ACTIVE_WITHIN = 5
"""Seconds that the window manager gets to activate a window."""
LOOK_EVERY = 0.05


@app.tool(reads_only=True, timeout=60)
def wait(
    seconds: Annotated[float, Field(gt=0, le=30, description="how long; with `window` at most")],
    window: Optional[Title] = None,
) -> None:
    """Wait and do nothing for some seconds, for example while a program starts or a page loads.

    With `window`, pause only until a window with that title appears and is active; error if none
    does in that time.
    """
    if window is None:
        time.sleep(seconds)
        return

    def is_active() -> bool:
        return any(candidate.active for candidate in find_by_title(window))

    if not wait_for(is_active, seconds, LOOK_EVERY):
        raise _no_window(window, f" became active within {seconds:g} s")


@app.tool(reads_only=True)
def window_list() -> list[dict[str, Any]]:
    """List the windows open on the desktop: title, application, position and size in pixels, which
    one is active, which are minimized.
    """
    return [to_json(window) for window in list_windows()]


@app.tool()
def activate_window(title: Title) -> dict[str, Any]:
    """Switch to an open window by its title: bring it to the front and give it the keyboard focus.
    Returns the window.
    """
    matches = find_by_title(title)
    if not matches:
        raise _no_window(title, " is open")
    window = max(matches, key=lambda match: (match.title.lower() == title.lower(), match.active))
    return to_json(bring_to_front(window))


def bring_to_front(window: Window) -> Window:
    """Activate a window and return its new state; `ToolError` names the window active instead."""
    from ambidex.mcp_tools.display import x11

    x11.activate(x11.display(), window.id)

    def active() -> Optional[Window]:
        return next(
            (other for other in list_windows() if other.id == window.id and other.active), None
        )

    activated = wait_for(active, ACTIVE_WITHIN, LOOK_EVERY)
    if activated is None:
        front = next((other.title for other in list_windows() if other.active), "none")
        raise ToolError(
            f"{window.title!r} did not become active within {ACTIVE_WITHIN} s.",
            code="not_active",
            hint=f"The active window is {front!r}. A dialog keeps the focus until it is closed.",
        )
    return activated


def list_windows() -> list[Window]:
    """All open windows."""
    from ambidex.mcp_tools.display import x11

    return x11.windows(x11.display())


def find_by_title(title: str) -> list[Window]:
    """Open windows whose title contains `title`, ignoring case."""
    return [window for window in list_windows() if title.lower() in window.title.lower()]


def to_json(window: Window) -> dict[str, Any]:
    """A window as JSON data, without its X id, which means nothing to a model."""
    return {name: value for name, value in vars(window).items() if name != "id"}


def _no_window(title: str, condition: str) -> ToolError:
    titles = ", ".join(repr(window.title) for window in list_windows()) or "none"
    return ToolError(
        f"No window with {title!r} in its title{condition}.",
        code="no_window",
        hint=f"Open windows: {titles}.",
    )
