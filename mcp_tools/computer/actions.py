"""Tools for keyboard, mouse and screenshots: what a person at the desktop has."""

from __future__ import annotations

import functools
import io
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import Picture, ToolError
from ambidex.mcp_tools.computer import app

if TYPE_CHECKING:
    from ambidex.mcp_tools.display.keyboard import Keyboard

X = Annotated[int, Field(description="pixels from the left edge of the screen")]
Y = Annotated[int, Field(description="pixels from the top edge of the screen")]
Button = Annotated[Literal["left", "middle", "right"], Field(description="mouse button")]
Keys = Annotated[
    list[str],
    Field(
        min_length=1,
        max_length=6,
        description='keys pressed together, such as ["ctrl", "s"] or ["enter"]',
    ),
]
Held = Annotated[
    Optional[list[str]],
    Field(max_length=4, description='modifier keys to hold, such as ["ctrl"]'),
]
Seconds = Annotated[float, Field(gt=0, le=10, description="at most 10")]
Clicks = Annotated[int, Field(ge=-100, le=100)]
DRAG_SECONDS = 0.4
"""Duration of a drag. Applications recognise one by a movement that takes some time."""

ALIASES = {
    "control": "ctrl", "super": "win", "meta": "win", "cmd": "win", "page_up": "pageup",
    "page_down": "pagedown", "arrowup": "up", "arrowdown": "down", "arrowleft": "left",
    "arrowright": "right", "menu": "apps", "del": "delete", "esc": "escape", "return": "enter",
    "caps_lock": "capslock", "num_lock": "numlock", "scroll_lock": "scrolllock",
    "ctrl_l": "ctrlleft", "ctrl_r": "ctrlright", "alt_l": "altleft", "alt_r": "altright",
    "shift_l": "shiftleft", "shift_r": "shiftright", "print": "printscreen",
}  # fmt: skip
"""Other names that models use for pyautogui's keys."""


@functools.cache
def gui() -> Any:
    """pyautogui, without its pauses and fail-safe corner, which are meant for scripts that a person
    watches.
    """
    import pyautogui

    pyautogui.PAUSE = 0
    pyautogui.FAILSAFE = False
    return pyautogui


@functools.cache
def keyboard() -> Keyboard:
    """This process's keyboard, which can type any character."""
    from ambidex.mcp_tools.display import x11
    from ambidex.mcp_tools.display.keyboard import Keyboard

    return Keyboard(x11.display())


def prepare() -> str:
    """Initialise everything that the first call would otherwise wait for."""
    # Otherwise pyautogui asks the shell for this during the first click.
    gui().platformModule._mouse_is_swapped_setting = False
    keyboard().claim_layout()
    return f"pyautogui on {os.environ['DISPLAY']}"


def check_on_screen(x: int, y: int) -> tuple[int, int]:
    """Return the point if it is on the screen; otherwise `ToolError` with the screen's size."""
    from ambidex.mcp_tools.display import x11

    width, height = x11.size(x11.display())
    if not (0 <= x < width and 0 <= y < height):
        raise ToolError(
            f"({x}, {y}) is outside the screen, which is {width}x{height}.",
            code="off_screen",
            hint=f"x ranges from 0 to {width - 1}, y from 0 to {height - 1}.",
        )
    return x, y


@functools.cache
def key_names() -> dict[str, str]:
    """Accepted key names, each with pyautogui's name for the key."""
    codes = gui().platformModule.keyboardMapping
    names = {
        name: name for name, code in codes.items() if code and len(name) > 1 and name.isalnum()
    }
    return {**names, **{alias: name for alias, name in ALIASES.items() if name in names}}


def normalize_keys(keys: list[str]) -> list[str]:
    """Translate keys into pyautogui's names or single characters; `ToolError` names an unknown key
    and lists those that are allowed.
    """
    names = key_names()
    normalized = []
    for key in keys:
        if len(key) == 1 and (key.isprintable() or key in "\n\t"):
            normalized.append({" ": "space", "\n": "enter", "\t": "tab"}.get(key, key))
        elif key.lower() in names:
            normalized.append(names[key.lower()])
        else:
            allowed = ", ".join(sorted(set(names.values())))
            hint = f"Allowed: single characters, {allowed}. A combination is a list: ['ctrl', 's']."
            raise ToolError(f"Unknown key: {key!r}.", code="bad_key", hint=hint)
    return normalized


@contextmanager
def holding(keys: Optional[list[str]], repeat: bool = False) -> Iterator[None]:
    """Press the keys in order and hold them while the block runs; they are always released."""
    from ambidex.mcp_tools.display.keyboard import keysym

    codes = gui().platformModule.keyboardMapping
    with ExitStack() as stack:
        for number, key in enumerate(normalize_keys(keys or [])):
            if number:
                keyboard().wait_for_shortcuts()
            if len(key) == 1:
                # A combination names shift itself, so an upper-case letter means the bare key.
                symbol = keysym(key.lower() if keys and len(keys) > 1 else key)
                stack.enter_context(keyboard().held(symbol, repeat))
            else:
                keyboard().disable_repeat()
                if repeat:
                    stack.enter_context(keyboard().repeating(codes[key]))
                stack.callback(gui().keyUp, key)
                gui().keyDown(key)
        yield


def press(x: int, y: int, keys: Optional[list[str]], button: str, times: int = 1) -> None:
    """Click `times` times at a point while holding the keys."""
    check_on_screen(x, y)
    with holding(keys):
        gui().click(x, y, clicks=times, button=button)


@app.tool()
def click(x: X, y: Y, keys: Held = None) -> None:
    """Left-click a point on the screen with the mouse: press a button, icon, checkbox, link, cell
    or menu item.
    """
    press(x, y, keys, "left")


@app.tool()
def double_click(x: X, y: Y, keys: Held = None) -> None:
    """Double-click a point: two quick left clicks that open a file, folder or icon, or select a
    word.
    """
    press(x, y, keys, "left", 2)


@app.tool()
def triple_click(x: X, y: Y, keys: Held = None) -> None:
    """Triple-click a point: three left clicks that select a line, a paragraph or all text of a
    field or address bar.
    """
    press(x, y, keys, "left", 3)


@app.tool()
def right_click(x: X, y: Y, keys: Held = None) -> None:
    """Right-click a point: the secondary mouse button opens the context menu there."""
    press(x, y, keys, "right")


@app.tool()
def middle_click(x: X, y: Y, keys: Held = None) -> None:
    """Middle-click a point with the mouse wheel button: open a link in a new tab, close a tab, or
    paste the primary selection.
    """
    press(x, y, keys, "middle")


@app.tool()
def move(x: X, y: Y) -> None:
    """Move the mouse pointer to a point without clicking: hover over an item to show its tooltip or
    submenu.
    """
    gui().moveTo(*check_on_screen(x, y))


@app.tool()
def drag(x: X, y: Y, to_x: X, to_y: Y, button: Button = "left", keys: Held = None) -> None:
    """Drag and drop with the mouse: hold a button at one point, move to another and release. Moves
    icons and windows, draws, drags a slider, or marks a selection box or range.
    """
    check_on_screen(x, y)
    check_on_screen(to_x, to_y)
    with holding(keys):
        gui().moveTo(x, y)
        gui().mouseDown(button=button)
        try:
            gui().moveTo(to_x, to_y, duration=DRAG_SECONDS)
        finally:
            gui().mouseUp(button=button)


@app.tool()
def scroll(
    x: X,
    y: Y,
    dx: Annotated[Clicks, Field(description="wheel notches to the right; negative: left")] = 0,
    dy: Annotated[Clicks, Field(description="wheel notches down; negative: up")] = 0,
    keys: Held = None,
) -> None:
    """Scroll with the mouse wheel at a point: down, up, left or right. One notch moves about three
    lines.
    """
    gui().moveTo(*check_on_screen(x, y))
    with holding(keys):
        gui().vscroll(-dy)
        gui().hscroll(dx)


@app.tool(timeout=300)
def type(
    text: Annotated[str, Field(min_length=1, max_length=20_000, description="any characters")],
) -> None:
    """Type text on the keyboard into the focused field or window, at the caret. Any character can
    be entered; a newline presses Enter, a tab presses Tab.
    """
    from ambidex.mcp_tools.display.keyboard import KeyboardBusyError, UntypableError

    try:
        keyboard().type(text)
    except UntypableError as error:
        raise ToolError(
            f"The text contains a character that cannot be typed: {error}.",
            code="bad_text",
            hint="Use computer_key for keys such as escape, backspace or the arrow keys.",
        ) from error
    except KeyboardBusyError as error:
        raise ToolError(
            f"The active window stopped responding to keys: {error}.",
            code="hung",
            hint="Look at the screen before you type the rest.",
        ) from error


@app.tool()
def key(
    keys: Keys,
    times: Annotated[int, Field(ge=1, le=100, description="how often to press")] = 1,
) -> None:
    """Press and release a key or a key combination: keyboard shortcuts such as Ctrl+C or Alt+Tab,
    Enter, Escape, arrow and function keys; `times` repeats it.
    """
    for _ in range(times):
        with holding(keys):
            pass


@app.tool()
def hold_key(keys: Keys, seconds: Seconds) -> None:
    """Hold keys down for some seconds (a long press), then release them. They auto-repeat as on a
    keyboard that is kept pressed.
    """
    with holding(keys, repeat=True):
        time.sleep(seconds)


@app.tool()
def mouse_down(x: X, y: Y, button: Button = "left") -> None:
    """Press a mouse button at a point and keep holding it, to start a drag; release it with
    computer_mouse_up.
    """
    check_on_screen(x, y)
    gui().mouseDown(x, y, button=button)


@app.tool()
def mouse_up(x: X, y: Y, button: Button = "left") -> None:
    """Release a held mouse button at a point: let go of it, to drop what computer_mouse_down began
    to drag.
    """
    check_on_screen(x, y)
    gui().mouseUp(x, y, button=button)


@app.tool(reads_only=True)
def screenshot() -> Picture:
    """Take a screenshot: capture a picture of the whole screen as it is now. Every step shows one
    anyway, once the screen is still.
    """
    from PIL import Image

    from ambidex.mcp_tools.display import x11

    size = x11.size(x11.display())
    pixels = grabber().grab(0, 0, *size)
    png = io.BytesIO()
    picture = Image.frombuffer("RGB", size, pixels, "raw", "BGRX", 0, 1)
    picture.save(png, "PNG", compress_level=1)
    return Picture(png.getvalue())


@functools.cache
def grabber() -> Any:
    """This process's screen grabber."""
    from ambidex.mcp_tools.display import x11

    return x11.Grabber(x11.display())


@dataclass(frozen=True)
class Point:
    """A point on the screen, in pixels from its top left corner."""

    x: int
    y: int


@app.tool(reads_only=True)
def cursor_position() -> Point:
    """Find out where the mouse pointer is: x and y coordinates of the cursor on the screen."""
    x, y = gui().position()
    return Point(x, y)
