"""Resources used over a long episode in one sandbox: X clients, memory, files, processes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path

from openpyxl import Workbook
from rich.console import Console
from rich.table import Table

from ambidex.host import ToolCall
from ambidex.host.client.guest import Guest
from ambidex.vm.building.image import open_image
from ambidex.vm.machines.machine import OwnedMachine
from ambidex.vm.sandbox.instance import Sandbox
from ambidex.vm.sandbox.provider import SandboxProvider

__all__ = ["DesktopUsage", "soak", "soaked", "table"]

SHEET = "~/soak.xlsx"
MIB = 1 << 20
WARM = 100
"""Number of actions after which everything is loaded."""


@dataclass(frozen=True)
class DesktopUsage:
    """The resources that a desktop uses at one moment."""

    x_clients: int
    processes: int
    threads: int
    open_files: int
    """Open descriptors of all its processes."""
    private: int
    """Private dirty memory of its processes, in MiB."""
    display: int
    """The X server's part of it, in MiB."""
    guest: int
    """The part of the guest server and its workers, in MiB."""
    written: int
    """Size of its file system in memory, in KiB."""
    host_files: int
    """Open descriptors of this process."""


CLIENTS = """
import sys
sys.path.insert(0, "/opt/ambidex/site")
from Xlib.display import Display
print(len(Display().res_query_clients().clients) - 1)
"""


def desktop_usage(machine: OwnedMachine[Sandbox], guest: Guest) -> DesktopUsage:
    """Measure the desktop from this host; X clients are counted by the desktop's server."""
    first = machine.instance.pid()
    space = os.readlink(f"/proc/{first}/ns/pid")
    processes = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(path / "ns" / "pid") == space:
                processes.append(path)
        except OSError:
            continue  # it has just ended
    private = {path: _private(path) for path in processes}
    names = {path: _read(path / "cmdline").replace("\0", " ") for path in processes}
    clients = guest.run(["python3", "-c", CLIENTS])
    assert clients.returncode == 0, clients.stderr
    usage = os.statvfs(f"/proc/{machine.instance.process.pid}/root/tmp")
    return DesktopUsage(
        x_clients=int(clients.stdout),
        processes=len(processes),
        threads=sum(len(_listed(path / "task")) for path in processes),
        open_files=sum(len(_listed(path / "fd")) for path in processes),
        private=sum(private.values()) // MIB,
        display=sum(size for path, size in private.items() if "Xtigervnc" in names[path]) // MIB,
        guest=sum(size for path, size in private.items() if " -m ambidex.guest" in names[path])
        // MIB,
        written=(usage.f_blocks - usage.f_bfree) * usage.f_frsize // 1024,
        host_files=len(os.listdir("/proc/self/fd")),
    )


def _private(path: Path) -> int:
    lines = _read(path / "smaps_rollup").splitlines()
    # Only dirty pages: clean pages of a file are private if no other desktop runs that program.
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Private_Dirty:"))


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def _listed(path: Path) -> list[str]:
    try:
        return os.listdir(path)
    except OSError:
        return []


def act_for(guest: Guest, actions: int, first: int = 0) -> None:
    """Perform GUI and tool actions on an open spreadsheet and the desktop, each followed by a
    screenshot. Raises `RuntimeError` if one fails.
    """
    width, height = guest.screenshot().size
    for number in range(first, first + actions):
        row = number % 40 + 1
        calls: list[tuple[str, dict[str, object]]] = [
            ("computer_click", {"x": width // 2 + number % 90, "y": height // 2}),
            ("computer_type", {"text": f"{number} é你\n"}),
            ("calc_set_cell_value", {"cell": f"C{row}", "value": number}),
            ("calc_get_range_values", {"range_str": "A1:D20"}),
            ("computer_scroll", {"x": width // 2, "y": height // 2, "dy": 2 - 4 * (number % 2)}),
            (
                "files_write_text",
                {"path": "~/soak.txt", "content": f"{number}\n" * 50, "overwrite": True},
            ),
            ("computer_key", {"keys": ["ctrl", "home"]}),
            ("computer_window_list", {}),
            ("computer_screenshot", {}),
            ("calc_save", {}),
        ]
        name, arguments = calls[number % len(calls)]
        result = guest.call(ToolCall(f"soak-{number}", name, arguments))
        if result.error:
            raise RuntimeError(f"action {number}, {name}: {result.error}: {result.text}")
        guest.screenshot()


def soaked(
    machine: OwnedMachine[Sandbox], guest: Guest, actions: int, looks: int
) -> Iterator[tuple[int, DesktopUsage]]:
    """The desktop's usage after `WARM` actions, and after each further part of one episode."""
    opened(guest)
    done = 0
    for look in range(looks + 1):
        until = WARM + (actions - WARM) * look // looks
        act_for(guest, until - done, done)
        done = until
        yield done, desktop_usage(machine, guest)


def soak(*, image: str = "debian-12", actions: int = 2000, looks: int = 5) -> None:
    """Perform `actions` actions in one episode and print the desktop's usage over time."""
    desktop = open_image(image, say=lambda line: print(line, file=sys.stderr))
    with SandboxProvider(spares=0) as provider, closing(provider.machine(desktop)) as machine:
        machine.boot()
        with Guest(machine.endpoint, machine.token) as guest:
            start = time.perf_counter()
            seen = list(soaked(machine, guest, actions, looks))
            wall = time.perf_counter() - start
    Console(width=110).print(table(seen))
    print(f"{actions} actions, each with a screenshot, in {wall:.0f} s")


def table(seen: list[tuple[int, DesktopUsage]]) -> Table:
    """A row per resource, a column per number of actions."""
    result = Table("resource", *(str(number) for number, _ in seen), title="after N actions")
    for name in asdict(seen[0][1]):
        result.add_row(name, *(str(asdict(usage)[name]) for _, usage in seen))
    return result


def opened(guest: Guest) -> None:
    """Open a new spreadsheet and wait for its window."""
    content = BytesIO()
    Workbook().save(content)
    guest.put(SHEET, content.getvalue())
    answer = guest.call(ToolCall("soak-open", "calc_open_workbook", {"path": SHEET}))
    if answer.error:
        raise RuntimeError(answer.text)
    guest.screenshot(settle=20)
