"""The catalogs of cua-auto-harness, played through our tools and judged by its own probes, which
run in the desktop."""

from __future__ import annotations

import tempfile
import tomllib
import uuid
from collections.abc import Collection, Mapping
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from typing import Any

from autoharness.adapters import SutExecutionError, UnsupportedActionError
from autoharness.backend import Adapter, GenericProbeAdapter
from autoharness.contracts import (
    Action,
    ButtonPress,
    ButtonRelease,
    CatalogEntry,
    Click,
    Drag,
    KeyChord,
    Move,
    Scroll,
    TypeText,
    load_catalog,
)
from autoharness.driver import run_catalog
from rich.console import Console
from rich.table import Table

from ambidex.host import ToolCall
from ambidex.host.client.guest import Guest
from ambidex.host.errors import GuestError
from ambidex.host.runs.machines import MachineOptions, open_machines
from ambidex.vm import Machine

__all__ = ["EXCEPTIONS", "autoharness", "catalog", "exceptions", "play"]

LIBRARIES = "/opt/ambidex/site"
"""Libraries of the guest's server: the probe of raw events needs python-xlib."""
CLICKS = {
    ("left", 1): "computer_click",
    ("left", 2): "computer_double_click",
    ("left", 3): "computer_triple_click",
    ("middle", 1): "computer_middle_click",
    ("right", 1): "computer_right_click",
}
KEYPAD = {
    "kp_add": "add",
    "kp_subtract": "subtract",
    "kp_multiply": "multiply",
    "kp_divide": "divide",
}
"""Keys with another name in our tools, which have PyAutoGUI's."""
NO_KEYS = ("kp_enter",)
SCREEN = "1920x1080"
"""The screen that the catalogs are written for."""
EXCEPTIONS = Path(__file__).parent / "autoharness.toml"
"""Entries that do not pass, with the reason."""

Call = tuple[str, dict[str, Any]]


def calls_of(action: Action) -> list[Call]:
    """The calls of our tools that carry out an action; `UnsupportedActionError` if none do."""
    match action:
        case Click():
            name = CLICKS.get((action.button, action.count))
            if name is None:
                raise UnsupportedActionError(f"no tool clicks {action.button} {action.count} times")
            return [(name, {"x": action.x, "y": action.y, **_held(action.modifiers)})]
        case ButtonPress() | ButtonRelease():
            _known(action.button)
            name = "computer_mouse_down" if isinstance(action, ButtonPress) else "computer_mouse_up"
            return [(name, {"x": action.x, "y": action.y, "button": action.button})]
        case Move():
            return [("computer_move", {"x": action.x, "y": action.y})]
        case Drag():
            return _drag(action)
        case Scroll():
            amount = {"dx": action.dx_ticks, "dy": action.dy_ticks}
            where = {"x": action.x, "y": action.y}
            return [("computer_scroll", {**where, **amount, **_held(action.modifiers)})]
        case KeyChord():
            if missing := [key for key in action.keys if key in NO_KEYS]:
                raise UnsupportedActionError(f"no tool presses {missing[0]}")
            return [("computer_key", {"keys": [KEYPAD.get(key, key) for key in action.keys]})]
        case TypeText():
            return [("computer_type", {"text": action.text})]
    raise UnsupportedActionError(f"no tool for {action.kind}")


def _drag(action: Drag) -> list[Call]:
    _known(action.button)
    (x, y), *between, (to_x, to_y) = action.path
    if not between:
        ends = {"x": x, "y": y, "to_x": to_x, "to_y": to_y, "button": action.button}
        return [("computer_drag", {**ends, **_held(action.modifiers)})]
    if action.modifiers:
        raise UnsupportedActionError("no tool holds keys while a drag follows a path")
    return [
        ("computer_mouse_down", {"x": x, "y": y, "button": action.button}),
        *(("computer_move", {"x": px, "y": py}) for px, py in between),
        ("computer_mouse_up", {"x": to_x, "y": to_y, "button": action.button}),
    ]


def _held(modifiers: list[str]) -> dict[str, Any]:
    return {"keys": modifiers} if modifiers else {}


def _known(button: str) -> None:
    if button not in ("left", "middle", "right"):
        raise UnsupportedActionError(f"no tool presses the button {button}")


class OurTools(Adapter):
    """A desktop of ours, as the harness drives one."""

    guest_display = ":0"
    supports_raw_tap = True

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._guest: Guest | None = None

    def boot(self) -> None:
        """Revert the machine."""
        self.teardown()
        self._machine.revert("ready")
        self._guest = Guest(self._machine.endpoint, self._machine.token)

    def exec(self, cmd: str, timeout: int = 120) -> tuple[int, str]:
        """Run a shell command in the guest."""
        result = self.guest.run(["bash", "-c", cmd], timeout=timeout, env={"PYTHONPATH": LIBRARIES})
        return result.returncode or 0, result.stdout

    def inject(self, action: Action) -> None:
        """Carry out an action with our tools."""
        for name, arguments in calls_of(action):
            try:
                result = self.guest.call(ToolCall(uuid.uuid4().hex, name, arguments))
            except GuestError as error:
                raise SutExecutionError(str(error)) from error
            if result.error:
                raise SutExecutionError(f"{name}: {result.text}")

    def supports(self, action: Action) -> str | None:
        """Why no tool can carry out an action; None if one can."""
        try:
            calls_of(action)
        except UnsupportedActionError as error:
            return str(error)
        return None

    def screenshot(self, dst_path: str) -> None:
        """Our screenshot, as PNG."""
        Path(dst_path).write_bytes(self.guest.screenshot().png())

    def teardown(self) -> None:
        """Close the connection."""
        if self._guest is not None:
            self._guest.close()
        self._guest = None

    @property
    def guest(self) -> Guest:
        """The connection to the guest."""
        assert self._guest is not None, "not booted"
        return self._guest


def catalog() -> list[CatalogEntry]:
    """All entries of the harness's catalogs for input."""
    entries: list[CatalogEntry] = load_catalog(str(files("autoharness") / "catalogs" / "runner"))
    return entries


def exceptions() -> dict[str, str]:
    """The reason why an entry does not pass, by its id."""
    listed: dict[str, str] = tomllib.loads(EXCEPTIONS.read_text(encoding="utf-8"))
    return listed


def play(
    machine: Machine, entries: list[CatalogEntry], out: Path, times: int | None = None
) -> Mapping[str, str]:
    """The harness's verdict on each entry, each played `times` times (by default as often as the
    catalog says). Logs and screenshots are in `out`."""
    adapter = GenericProbeAdapter(OurTools(machine), name="ambidex")
    report = run_catalog(adapter, entries, out, reps_override=times)
    return {entry["entry_id"]: entry["final"] for entry in report["entries"]} | {
        entry["entry_id"]: f"not measurable: {entry['reason']}"
        for entry in report["not_measurable"]
    }


def autoharness(
    *,
    provider: str = "sandbox",
    image: str = "debian-12",
    times: int = 5,
    only: Collection[str] = (),
) -> None:
    """Play the catalogs of cua-auto-harness and print what does not pass. `only` names entries."""
    entries = [entry for entry in catalog() if not only or entry.id in only]
    options = MachineOptions(provider=provider, image=image, screen=SCREEN)
    with (
        tempfile.TemporaryDirectory(prefix="autoharness-") as scratch,
        open_machines(options, print) as source,
        closing(source.make()) as machine,
    ):
        verdicts = play(machine, entries, Path(scratch), times)
    listed = exceptions()
    passed = sum(verdict == "pass" for verdict in verdicts.values())
    table = Table("entry", "verdict", "listed reason")
    for name, verdict in verdicts.items():
        if verdict != "pass" or name in listed:
            table.add_row(name, verdict, listed.get(name, ""))
    console = Console(width=150)
    console.print(
        f"{passed} of {len(verdicts)} entries pass {times} times of {times} on {provider}"
    )
    console.print(table)
