"""Tools that open a terminal window and evaluate arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError, commands
from ambidex.mcp_tools.computer import windows
from ambidex.mcp_tools.files import files
from ambidex.mcp_tools.os import app, arithmetic
from ambidex.mcp_tools.waiting import wait_for

if TYPE_CHECKING:
    from ambidex.mcp_tools.display.x11 import Window

__all__ = ["app"]

TERMINAL = "gnome-terminal"
STARTS_WITHIN = 40.0
TITLED_WITHIN = 3.0
"""Seconds that the shell gets to set the title of the window."""


@dataclass(frozen=True)
class Shell:
    """The new terminal window, which has the keyboard focus."""

    title: str
    x: int
    y: int
    width: int
    height: int
    directory: str


@app.tool(timeout=90)
def open_shell(
    directory: Annotated[
        str, Field(min_length=1, description="the shell's working directory")
    ] = "~",
) -> Shell:
    """Open a terminal: start a new terminal window with a shell (command line) in a directory,
    focused, so that computer_type can enter commands. Returns its title and position.
    """
    folder = files.existing_folder(directory)
    before = {window.id for window in windows.list_windows()}
    argv = [TERMINAL, "--window", f"--working-directory={folder}"]
    result = commands.run(argv, STARTS_WITHIN)
    if result.code:
        raise ToolError(f"The terminal did not start: {result.errors.strip()}", code="not_started")

    def new_window() -> Optional[Window]:
        new = (window for window in windows.list_windows() if window.id not in before)
        return next((window for window in new if window.app.lower() == TERMINAL), None)

    window = wait_for(new_window, STARTS_WITHIN)
    if window is None:
        raise ToolError("The terminal's window did not open.", code="no_window")
    windows.bring_to_front(window)

    def titled() -> Optional[Window]:
        current = new_window()
        return current if current and current.title != "Terminal" else None

    latest = wait_for(titled, TITLED_WITHIN) or new_window() or window
    return Shell(latest.title, latest.x, latest.y, latest.width, latest.height, str(folder))


@app.tool(reads_only=True)
def calculator(
    expression: Annotated[
        str,
        Field(
            min_length=1,
            max_length=arithmetic.LONGEST,
            description="such as (3 + 4) * 2^10 / sqrt(2)",
        ),
    ],
) -> int | float:
    """Calculate an arithmetic (math) expression: + - * / // (floor) % (remainder) ^ or ** (power),
    parentheses, pi, e, tau; square root sqrt, exp, ln, log(x, base), log2, log10, sin, cos, tan,
    asin, acos, atan, atan2, degrees, radians, hypot, floor, ceil, round(x, digits), abs, min, max,
    gcd, factorial, comb, perm. Angles in radians; no thousands separators. Integers are exact,
    others have 15 digits.
    """
    try:
        return arithmetic.evaluate(expression)
    except arithmetic.ExpressionError as error:
        raise ToolError(f"{expression!r}: {error}", code=error.code) from None
