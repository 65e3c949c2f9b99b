"""The windows on the screen, and waiting for one."""

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
"""Seconds a window manager gets to bring a window to the front."""
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

    def there() -> bool:
        return any(each.active for each in titled(window))

    if not wait_for(there, seconds, LOOK_EVERY):
        raise _no_window(window, f" became active within {seconds:g} s")


@app.tool(reads_only=True)
def window_list() -> list[dict[str, Any]]:
    """List the windows open on the desktop: title, application, position and size in pixels, which
    one is active, which are minimized.
    """
    return [described(each) for each in listed()]


@app.tool()
def activate_window(title: Title) -> dict[str, Any]:
    """Switch to an open window by its title: bring it to the front and give it the keyboard focus.
    Returns the window.
    """
    found = titled(title)
    if not found:
        raise _no_window(title, " is open")
    wanted = max(found, key=lambda each: (each.title.lower() == title.lower(), each.active))
    return described(brought_to_front(wanted))


def brought_to_front(wanted: Window) -> Window:
    """The window as it is once it has the keyboard; `ToolError` says which has it instead."""
    from ambidex.mcp_tools.display import x11

    x11.activate(x11.display(), wanted.id)

    def active() -> Optional[Window]:
        return next((each for each in listed() if each.id == wanted.id and each.active), None)

    seen = wait_for(active, ACTIVE_WITHIN, LOOK_EVERY)
    if seen is None:
        front = next((each.title for each in listed() if each.active), "none")
        raise ToolError(
            f"{wanted.title!r} did not become active within {ACTIVE_WITHIN} s.",
            code="not_active",
            hint=f"The active window is {front!r}; a dialog keeps the keyboard until it is closed.",
        )
    return seen


def listed() -> list[Window]:
    """The open windows."""
    from ambidex.mcp_tools.display import x11

    return x11.windows(x11.display())


def titled(title: str) -> list[Window]:
    """Those whose title contains that, in any case."""
    return [each for each in listed() if title.lower() in each.title.lower()]


def described(window: Window) -> dict[str, Any]:
    """A window as JSON, without the number that means nothing to a model."""
    return {name: value for name, value in vars(window).items() if name != "id"}


def _no_window(title: str, seen: str) -> ToolError:
    titles = ", ".join(repr(each.title) for each in listed()) or "none"
    return ToolError(
        f"No window whose title contains {title!r}{seen}.",
        code="no_window",
        hint=f"Open windows: {titles}.",
    )
