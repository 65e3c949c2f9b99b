"""Typing into a window that handles each key slowly, as Calc does on an emulated machine."""

from __future__ import annotations

from ambidex.host.client.guest import Guest
from tests.desktop.tool_calls import done

WINDOW = """
import time
from Xlib import X
from Xlib.display import Display
display = Display()
screen = display.screen()
protocols, ping = display.get_atom("WM_PROTOCOLS"), display.get_atom("_NET_WM_PING")
window = screen.root.create_window(
    300, 200, 400, 300, 0, screen.root_depth, event_mask=X.KeyPressMask | X.FocusChangeMask
)
window.set_wm_name("slow window")
window.set_wm_class("slow", "Slow")
window.set_wm_protocols([ping])
window.map()
while True:
    event = display.next_event()
    if event.type == X.KeyPress:
        handled = time.monotonic() + 0.06
        while time.monotonic() < handled:
            pass
    elif event.type == X.ClientMessage and event.client_type == protocols:
        event.window = screen.root
        screen.root.send_event(event, event_mask=X.SubstructureNotifyMask)
        display.flush()
"""
TYPE = """
import sys
from Xlib.display import Display
from ambidex.mcp_tools.display import keyboard
keyboard.ANSWER_WITHIN = float(sys.argv[1])
try:
    keyboard.Keyboard(Display()).type("x" * 100)
except keyboard.KeyboardBusyError as error:
    print(error)
"""
CODE = {"PYTHONPATH": "/opt:/opt/ambidex/site"}


def test_a_window_that_is_slow_but_keeps_handling_keys_is_not_taken_for_hung(guest: Guest) -> None:
    guest.run(["python3", "-c", WINDOW], env=CODE, background=True)
    guest.wait_window("slow window")
    done(guest, "computer_activate_window", title="slow window")
    within_four_seconds, within_one = (
        guest.run(["python3", "-c", TYPE, seconds], env=CODE) for seconds in ("4", "1")
    )
    assert (within_four_seconds.returncode, within_four_seconds.stdout) == (0, "")
    assert within_one.stdout == "0 characters have certainly arrived\n"
