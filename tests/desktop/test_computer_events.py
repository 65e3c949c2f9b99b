"""Mouse, keys and windows, checked with programs that have a window of their own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pytest

from ambidex.host.client.guest import Guest
from tests.desktop.proofs import proves
from tests.desktop.tool_calls import done, read, refused

NOTES = """
import sys, tkinter
root = tkinter.Tk()
root.title(sys.argv[1])
root.geometry("700x500+300+200")
notes = open(sys.argv[2], "a", buffering=1)
def note(name):
    def noted(event):
        number = event.num if "utton" in name else "-"
        key = event.keysym if "Key" in name else "-"
        x, y = event.x_root, event.y_root
        print(name, number, key, x, y, event.state, sep="|", file=notes)
    root.bind(f"<{name}>", noted)
for name in ("Motion", "ButtonPress", "ButtonRelease", "KeyPress", "KeyRelease"):
    note(name)
for number in (1, 2, 3):
    note(f"Double-Button-{number}")
    note(f"Triple-Button-{number}")
root.bind("<Map>", lambda event: print("Mapped|-|-|0|0|0", file=notes))
root.mainloop()
"""
SHIFT, CONTROL = 1, 4
"""The bits of an X event's state that say which keys were down."""


@dataclass(frozen=True)
class Event:
    """One event that the program received."""

    name: str
    button: str
    key: str
    x: int
    y: int
    state: int


class Noted:
    """The program, with the events recorded since the last query."""

    def __init__(self, guest: Guest) -> None:
        self.guest = guest
        self.read = 0

    def events(self) -> list[Event]:
        """The new events, up to an otherwise unused key that marks their end: X keeps the order."""
        done(self.guest, "computer_key", keys=["f12"])
        wait = 'until tail -n +$1 "$0" | grep -q "KeyRelease|-|F12"; do sleep 0.05; done'
        wait += '; tail -n +$1 "$0"'
        ran = self.guest.run(
            ["sh", "-c", wait, "/home/user/events.txt", str(self.read + 1)], timeout=90
        )
        assert ran.returncode == 0, ran
        lines = ran.stdout.splitlines()
        self.read += len(lines)
        split = [line.split("|") for line in lines]
        result = [Event(a, b, c, int(x), int(y), int(s)) for a, b, c, x, y, s in split]
        return [item for item in result if item.key != "F12"]

    def buttons(self) -> list[tuple[str, str, int, int]]:
        """The new button events: name, number, position."""
        result = [event for event in self.events() if "utton" in event.name]
        return [(item.name, item.button, item.x, item.y) for item in result]


@pytest.fixture(scope="module")
def noted(guest: Guest) -> Noted:
    """The program, active, with its name in the window list."""
    guest.put("~/notes.py", NOTES.encode())
    for title, file in (("Behind", "/dev/null"), ("Notes", "/home/user/events.txt")):
        guest.run(["python3", "/home/user/notes.py", title, file], background=True)
        guest.wait_window(title, timeout=60)
    done(guest, "computer_activate_window", title="notes")
    guest.screenshot(settle=20, still=0.5)
    program = Noted(guest)
    program.events()
    return program


def pressed(button: str, x: int, y: int) -> list[tuple[str, str, int, int]]:
    return [("ButtonPress", button, x, y), ("ButtonRelease", button, x, y)]


@proves(
    "a program notes the events of its window",
    computer_click="button 1 at the point, with the keys held",
    computer_right_click="button 3 at the point",
    computer_middle_click="button 2 at the point",
    computer_double_click="a double click",
    computer_triple_click="a triple click",
)
def test_clicks_use_the_right_button_at_the_right_point(noted: Noted) -> None:
    guest = noted.guest
    done(guest, "computer_click", x=400, y=300)
    done(guest, "computer_right_click", x=500, y=350)
    done(guest, "computer_middle_click", x=600, y=400)
    assert noted.buttons() == [
        *pressed("1", 400, 300), *pressed("3", 500, 350), *pressed("2", 600, 400)
    ]  # fmt: skip
    done(guest, "computer_click", x=450, y=420, keys=["ctrl"])
    events = noted.events()
    [press] = [event for event in events if event.name == "ButtonPress"]
    assert press.state & CONTROL
    assert [event.key for event in events if event.name == "KeyRelease"] == ["Control_L"]
    done(guest, "computer_double_click", x=520, y=460)
    double = [button[0] for button in noted.buttons()]
    assert double.count("Double-Button-1") == 1
    assert double.count("Triple-Button-1") == 0
    done(guest, "computer_triple_click", x=620, y=520)
    assert [button[0] for button in noted.buttons()].count("Triple-Button-1") == 1


@proves(
    "a program notes the events of its window",
    computer_move="the pointer is at the point",
    computer_cursor_position="the point where the program sees the pointer",
    computer_drag="pressed at one point, moved, released at the other",
    computer_mouse_down="pressed and not released",
    computer_mouse_up="released where it was said",
    computer_scroll="clicks of the wheel, down, up and sideways",
)
def test_the_pointer_moves_drags_and_scrolls(noted: Noted) -> None:
    guest = noted.guest
    done(guest, "computer_move", x=432, y=321)
    last = noted.events()[-1]
    assert (last.name, last.x, last.y) == ("Motion", 432, 321)
    assert done(guest, "computer_cursor_position") == {"x": 432, "y": 321}
    done(guest, "computer_drag", x=400, y=300, to_x=700, to_y=500, button="right")
    events = noted.events()
    names = [event.name for event in events]
    press, release = names.index("ButtonPress"), names.index("ButtonRelease")
    assert (events[press].button, events[press].x, events[press].y) == ("3", 400, 300)
    assert (events[release].button, events[release].x, events[release].y) == ("3", 700, 500)
    assert names[press:release].count("Motion") > 3
    done(guest, "computer_mouse_down", x=450, y=350)
    assert [button[0] for button in noted.buttons()] == ["ButtonPress"]
    done(guest, "computer_mouse_up", x=550, y=450)
    assert noted.buttons() == [("ButtonRelease", "1", 550, 450)]
    done(guest, "computer_scroll", x=500, y=400, dy=3)
    done(guest, "computer_scroll", x=500, y=400, dy=-2)
    # Tk reports horizontal scrolling as scrolling with the shift key.
    done(guest, "computer_scroll", x=500, y=400, dx=2)
    done(guest, "computer_scroll", x=500, y=400, dx=-1)
    wheel = [(e.button, e.state & SHIFT) for e in noted.events() if e.name == "ButtonPress"]
    assert wheel == [("5", 0)] * 3 + [("4", 0)] * 2 + [("5", SHIFT)] * 2 + [("4", SHIFT)]


@proves(
    "a program notes the events of its window",
    computer_key="the chord, pressed in order and released",
    computer_hold_key="down for so long that it repeats",
    computer_type="each character in its turn",
)
def test_keys_go_down_in_order_and_come_up_again(noted: Noted) -> None:
    guest = noted.guest
    done(guest, "computer_key", keys=["ctrl", "shift", "a"])
    events = noted.events()
    assert [event.key.lower() for event in events if event.name == "KeyPress"] == [
        *("control_l", "shift_l", "a")
    ]
    assert len([event for event in events if event.name == "KeyRelease"]) == 3
    done(guest, "computer_key", keys=["down"], times=3)
    assert [event.key for event in noted.events() if event.name == "KeyPress"] == ["Down"] * 3
    done(guest, "computer_hold_key", keys=["h"], seconds=3)
    assert [event.key for event in noted.events() if event.name == "KeyPress"].count("h") > 2
    done(guest, "computer_type", text="hé")
    typed = [event.key for event in noted.events() if event.name == "KeyPress"]
    assert typed == ["h", "eacute"]


def test_a_slow_program_that_answers_no_ping_gets_a_character_the_layout_lacks(
    noted: Noted,
) -> None:
    guest = noted.guest
    done(guest, "computer_activate_window", title="notes")
    noted.events()
    stopped = "pkill -STOP -f '[n]otes.py Notes'; sleep 1.5; pkill -CONT -f '[n]otes.py Notes'"
    guest.run(["sh", "-c", stopped], background=True)
    guest.run(["sh", "-c", "until ps -eo stat,args | grep -q '^T.*[n]otes.py Notes'; do :; done"])
    done(guest, "computer_type", text="é")
    assert [event.key for event in noted.events() if event.name == "KeyPress"] == ["eacute"]


def in_front(guest: Guest) -> str:
    """The title of the active window according to xprop."""
    answer = read(guest, "xprop", "-root", "_NET_ACTIVE_WINDOW")
    number = re.search(r"0x[0-9a-f]+", answer)
    assert number is not None, answer
    name = read(guest, "xprop", "-id", number[0], "_NET_WM_NAME")
    return name.partition(" = ")[2].strip('"')


@proves(
    "xprop and xwininfo",
    computer_activate_window="the window is in front",
    computer_window_list="place and size of the window, and which is active",
    computer_wait="the window is in front when the wait ends",
)
def test_windows_are_listed_activated_and_waited_for(noted: Noted) -> None:
    guest = noted.guest
    assert done(guest, "computer_activate_window", title="behind")["active"] is True
    assert in_front(guest) == "Behind"
    windows: dict[str, Any] = {
        window["title"]: window for window in done(guest, "computer_window_list")
    }
    assert windows["Behind"]["active"]
    assert not windows["Notes"]["active"]
    answer = read(guest, "xwininfo", "-name", "Notes")
    reported = {
        name: int(result[1])
        for name, words in (
            ("x", "Absolute upper-left X"), ("y", "Absolute upper-left Y"),
            ("width", "Width"), ("height", "Height"),
        )
        if (result := re.search(rf"{words}:\s+(\d+)", answer))
    }  # fmt: skip
    assert reported == {name: windows["Notes"][name] for name in ("x", "y", "width", "height")}
    argv = ["sh", "-c", "sleep 1; exec python3 /home/user/notes.py Later /dev/null"]
    guest.run(argv, background=True)
    done(guest, "computer_wait", seconds=20, window="later")
    assert in_front(guest) == "Later"
    done(guest, "computer_activate_window", title="Notes")
    assert in_front(guest) == "Notes"


WRONG: dict[str, tuple[str, dict[str, object]]] = {
    **{
        name: ("off_screen", {"x": 99_999, "y": 5})
        for name in ("click", "double_click", "triple_click", "right_click", "middle_click")
    },
    "move": ("off_screen", {"x": 5, "y": -1}),
    "drag": ("off_screen", {"x": 5, "y": 5, "to_x": 5, "to_y": 99_999}),
    "scroll": ("off_screen", {"x": -1, "y": 5, "dy": 1}),
    "mouse_down": ("off_screen", {"x": 5, "y": 99_999}),
    "mouse_up": ("off_screen", {"x": 99_999, "y": 5}),
    "type": ("bad_text", {"text": "a\x07b"}),
    "key": ("bad_key", {"keys": ["warp"]}),
    "hold_key": ("bad_key", {"keys": ["warp"], "seconds": 1}),
    "screenshot": ("bad_arguments", {"area": "left"}),
    "cursor_position": ("bad_arguments", {"of": "me"}),
    "wait": ("no_window", {"seconds": 0.2, "window": "never"}),
    "window_list": ("bad_arguments", {"title": "x"}),
    "activate_window": ("no_window", {"title": "never"}),
}


def test_invalid_input_is_refused_and_nothing_is_pressed(noted: Noted) -> None:
    done(noted.guest, "computer_activate_window", title="Notes")
    noted.events()
    for verb, (code, arguments) in WRONG.items():
        assert refused(noted.guest, f"computer_{verb}", **arguments)[0] == code, verb
    assert [event for event in noted.events() if event.name != "Motion"] == []


READ_A_CHANGING_TITLE = """
import os, signal
from Xlib import Xatom
from Xlib.display import Display
from ambidex.mcp_tools.display import x11

own = x11.display()
window = own.screen().root.create_window(0, 0, 10, 10, 0, own.screen().root_depth)
window.change_property(Xatom.WM_NAME, Xatom.STRING, 8, b"short")
own.sync()
writer = os.fork()
if writer == 0:
    other = Display()
    same = other.create_resource_object("window", window.id)
    while True:
        for title in (b"long" * 100, b"short"):
            same.change_property(Xatom.WM_NAME, Xatom.STRING, 8, title)
            other.sync()
seen, reads = set(), 0
try:
    while reads < 5000 or len(seen) < 2:
        seen.add(len(x11.title_of(window)))
        reads += 1
    print(sorted(seen))
finally:
    os.kill(writer, signal.SIGKILL)
"""


def test_a_title_can_be_read_while_it_changes(guest: Guest) -> None:
    environment = {"PYTHONPATH": "/opt:/opt/ambidex/site"}
    output = guest.run(["python3", "-c", READ_A_CHANGING_TITLE], env=environment)
    assert output.stdout == "[5, 400]\n", output.stderr
