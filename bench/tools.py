"""Time of tool calls by class, in one sandbox, over the endpoint."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from io import BytesIO

from openpyxl import Workbook
from rich.console import Console

from ambidex.host import ToolCall
from ambidex.host.client.guest import Guest
from ambidex.vm.building.image import open_image
from ambidex.vm.sandbox.provider import SandboxProvider
from bench.ledger import Column, Ledger, timed

__all__ = ["tools"]

SHEET = "~/bench/thousand.xlsx"
NOTE = "~/bench/note.txt"
LETTER = "~/bench/letter.txt"


@dataclass(frozen=True)
class CallClass:
    """A class of calls: `before` is run once, then `call(n)` is timed for each n."""

    name: str
    call: Callable[[int], tuple[str, dict[str, object]]]
    before: tuple[tuple[str, dict[str, object]], ...] = ()
    target: str = ""


CLASSES = (
    CallClass("no work: where the pointer is", lambda _: ("computer_cursor_position", {})),
    CallClass("files: look at one", lambda _: ("files_get_info", {"path": SHEET})),
    CallClass(
        "files: write one",
        lambda n: ("files_write_text", {"path": LETTER, "content": f"{n}", "overwrite": True}),
    ),
    CallClass(
        "filesystem server: read a file", lambda _: ("filesystem_read_text_file", {"path": NOTE})
    ),
    CallClass(
        "UNO: read 1,000 cells",
        lambda _: ("calc_get_range_values", {"range_str": "A1:J100"}),
        before=(("calc_open_workbook", {"path": SHEET}),),
        target="<= 50",
    ),
    CallClass("UNO: write one cell", lambda n: ("calc_set_cell_value", {"cell": "L1", "value": n})),
    CallClass("UNO: save a workbook", lambda _: ("calc_save", {})),
    CallClass(
        "GNOME: change a setting",
        lambda n: ("os_change_text_scale", {"new_scale": 1 + n % 2 / 10}),
        target="<= 50",
    ),
    CallClass(
        "VS Code: change a setting",
        lambda n: ("code_set_word_wrap_column", {"column": 80 + n % 2}),
        target="<= 50",
    ),
    CallClass("GNOME: set the volume", lambda n: ("os_set_volume", {"percent": 40 + n % 20})),
    CallClass(
        "Chromium: list the tabs",
        lambda _: ("chrome_list_tabs", {}),
        before=(("chrome_open_tabs_setup", {"url": NOTE}),),
    ),
)


def tools(*, image: str = "debian-12", count: int = 40) -> None:
    """Median and p95 of each class of tool calls in a sandbox; each call must succeed."""
    desktop = open_image(image, say=lambda line: print(line, file=sys.stderr))
    ledger = Ledger(["sandbox"])
    column = Column(ledger, "sandbox")
    with SandboxProvider(spares=0) as provider, closing(provider.machine(desktop)) as machine:
        machine.boot()
        with Guest(machine.endpoint, machine.token) as guest:
            prepare(guest)
            numbers = iter(range(10**6))
            for call_class in CLASSES:
                for name, arguments in call_class.before:
                    call(guest, next(numbers), name, arguments)
                guest.screenshot(settle=20)
                call(guest, next(numbers), *call_class.call(0))
                calls = (call_class.call(number) for number in range(1, count + 1))
                times = [
                    timed(partial(call, guest, next(numbers), *arguments_of_call))
                    for arguments_of_call in calls
                ]
                column.add(call_class.name, times, call_class.target)
    Console(width=130).print(ledger.table(f"{image}: a tool call, milliseconds"))


def call(guest: Guest, number: int, name: str, arguments: dict[str, object]) -> None:
    """Call a tool; exits if it fails."""
    answer = guest.call(ToolCall(f"bench-tools-{number}", name, arguments))
    if answer.error:
        raise SystemExit(f"bench: {name}: {answer.text}")


def prepare(guest: Guest) -> None:
    """Create the files that the calls work on."""
    book = Workbook()
    for row in rows():
        book.worksheets[0].append(row)
    content = BytesIO()
    book.save(content)
    guest.put(SHEET, content.getvalue())
    guest.put(NOTE, b"A note.\n")


def rows() -> Iterator[list[object]]:
    """A hundred rows of ten cells: texts, numbers, formulas."""
    for row in range(1, 101):
        yield [f"row {row}", *range(row, row + 7), f"=SUM(B{row}:H{row})", row / 7]
