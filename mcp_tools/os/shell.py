"""A terminal window for whoever wants to type commands, and a calculator."""

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
NAMED_WITHIN = 3.0
"""Seconds a shell gets to put its own title on the window."""


@dataclass(frozen=True)
class Shell:
    """The terminal window in front; what is typed goes there."""

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
    folder = files.folder(directory)
    before = {each.id for each in windows.list_windows()}
    argv = [TERMINAL, "--window", f"--working-directory={folder}"]
    ran = commands.run(argv, STARTS_WITHIN)
    if ran.code:
        raise ToolError(f"The terminal did not start: {ran.errors.strip()}", code="not_started")

    def opened() -> Optional[Window]:
        new = (each for each in windows.list_windows() if each.id not in before)
        return next((each for each in new if each.app.lower() == TERMINAL), None)

    window = wait_for(opened, STARTS_WITHIN)
    if window is None:
        raise ToolError("The terminal shows no window.", code="no_window")
    windows.bring_to_front(window)

    def named() -> Optional[Window]:
        now = opened()
        return now if now and now.title != "Terminal" else None

    seen = wait_for(named, NAMED_WITHIN) or opened() or window
    return Shell(seen.title, seen.x, seen.y, seen.width, seen.height, str(folder))


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
        return arithmetic.work_out(expression)
    except arithmetic.ExpressionError as error:
        raise ToolError(f"{expression!r}: {error}", code=error.code) from None
