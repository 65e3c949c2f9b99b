"""The keyboard, the mouse and the screen: what a person has."""

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
"""How long a drag takes: applications tell it from a click by movement that lasts."""

ALIASES = {
    "control": "ctrl", "super": "win", "meta": "win", "cmd": "win", "page_up": "pageup",
    "page_down": "pagedown", "arrowup": "up", "arrowdown": "down", "arrowleft": "left",
    "arrowright": "right", "menu": "apps", "del": "delete", "esc": "escape", "return": "enter",
    "caps_lock": "capslock", "num_lock": "numlock", "scroll_lock": "scrolllock",
    "ctrl_l": "ctrlleft", "ctrl_r": "ctrlright", "alt_l": "altleft", "alt_r": "altright",
    "shift_l": "shiftleft", "shift_r": "shiftright", "print": "printscreen",
}  # fmt: skip
"""Other names that models use for keys of pyautogui."""


@functools.cache
def hands() -> Any:
    """pyautogui, without the pauses and the fail-safe corner that are meant for a person
    watching.
    """
    import pyautogui

    pyautogui.PAUSE = 0
    pyautogui.FAILSAFE = False
    return pyautogui


@functools.cache
def keyboard() -> Keyboard:
    """The keyboard that types any character."""
    from ambidex.mcp_tools.display import x11
    from ambidex.mcp_tools.display.keyboard import Keyboard

    return Keyboard(x11.display())


def ready() -> str:
    """Open what the first call would have to wait for."""
    # pyautogui would ask the shell for this once, in the middle of somebody's click.
    hands().platformModule._mouse_is_swapped_setting = False
    keyboard().come_first()
    return f"pyautogui on {os.environ['DISPLAY']}"


def on_screen(x: int, y: int) -> tuple[int, int]:
    """The point, if it is on the screen; `ToolError` names the size otherwise."""
    from ambidex.mcp_tools.display import x11

    width, height = x11.size(x11.display())
    if not (0 <= x < width and 0 <= y < height):
        raise ToolError(
            f"({x}, {y}) is outside the screen, which is {width}x{height}.",
            code="off_screen",
            hint=f"x goes from 0 to {width - 1}, y from 0 to {height - 1}.",
        )
    return x, y


@functools.cache
def key_names() -> dict[str, str]:
    """Names of keys this keyboard has, and pyautogui's name for each."""
    has = hands().platformModule.keyboardMapping
    names = {name: name for name, code in has.items() if code and len(name) > 1 and name.isalnum()}
    return {**names, **{alias: name for alias, name in ALIASES.items() if name in names}}


def checked(keys: list[str]) -> list[str]:
    """The keys by pyautogui's names or as single characters; `ToolError` names a wrong one and what
    is allowed.
    """
    names = key_names()
    found = []
    for key in keys:
        if len(key) == 1 and (key.isprintable() or key in "\n\t"):
            found.append({" ": "space", "\n": "enter", "\t": "tab"}.get(key, key))
        elif key.lower() in names:
            found.append(names[key.lower()])
        else:
            allowed = ", ".join(sorted(set(names.values())))
            hint = f"Keys are single characters and: {allowed}. A chord is a list: ['ctrl', 's']."
            raise ToolError(f"There is no key {key!r}.", code="bad_key", hint=hint)
    return found


@contextmanager
def holding(keys: Optional[list[str]], repeat: bool = False) -> Iterator[None]:
    """Hold the keys down, in their order, while the block runs; released whatever happens."""
    from ambidex.mcp_tools.display.keyboard import keysym

    codes = hands().platformModule.keyboardMapping
    with ExitStack() as stack:
        for number, key in enumerate(checked(keys or [])):
            if number:
                keyboard().settle()
            if len(key) == 1:
                # Upper case is what shift makes of a key; a chord names its shift itself.
                symbol = keysym(key.lower() if keys and len(keys) > 1 else key)
                stack.enter_context(keyboard().held(symbol, repeat))
            else:
                keyboard().let_none_repeat()
                if repeat:
                    stack.enter_context(keyboard().repeating(codes[key]))
                stack.callback(hands().keyUp, key)
                hands().keyDown(key)
        yield


def press(x: int, y: int, keys: Optional[list[str]], button: str, times: int = 1) -> None:
    """Click at a point, `times` in a row."""
    on_screen(x, y)
    with holding(keys):
        hands().click(x, y, clicks=times, button=button)


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
    hands().moveTo(*on_screen(x, y))


@app.tool()
def drag(x: X, y: Y, to_x: X, to_y: Y, button: Button = "left", keys: Held = None) -> None:
    """Drag and drop with the mouse: hold a button at one point, move to another and release. Moves
    icons and windows, draws, drags a slider, or marks a selection box or range.
    """
    on_screen(x, y)
    on_screen(to_x, to_y)
    with holding(keys):
        hands().moveTo(x, y)
        hands().mouseDown(button=button)
        try:
            hands().moveTo(to_x, to_y, duration=DRAG_SECONDS)
        finally:
            hands().mouseUp(button=button)


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
    hands().moveTo(*on_screen(x, y))
    with holding(keys):
        hands().vscroll(-dy)
        hands().hscroll(dx)


@app.tool(timeout=120)
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
            f"The text has a character that cannot be typed: {error}.",
            code="bad_text",
            hint="Use computer_key for keys such as escape, backspace or the arrows.",
        ) from error
    except KeyboardBusyError as error:
        raise ToolError(
            f"The active window has stopped taking keys: {error}.",
            code="hung",
            hint="Look at the screen before typing the rest.",
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
    on_screen(x, y)
    hands().mouseDown(x, y, button=button)


@app.tool()
def mouse_up(x: X, y: Y, button: Button = "left") -> None:
    """Release a held mouse button at a point: let go of it, to drop what computer_mouse_down began
    to drag.
    """
    on_screen(x, y)
    hands().mouseUp(x, y, button=button)


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
    """What takes pictures of the screen."""
    from ambidex.mcp_tools.display import x11

    return x11.Grabber(x11.display())


@dataclass(frozen=True)
class Point:
    """A point of the screen, in pixels from its top left corner."""

    x: int
    y: int


@app.tool(reads_only=True)
def cursor_position() -> Point:
    """Find out where the mouse pointer is: x and y coordinates of the cursor on the screen."""
    x, y = hands().position()
    return Point(x, y)
