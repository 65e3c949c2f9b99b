"""What a tool call costs, by the class of what it does: in one sandbox, over the endpoint."""

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
class Class:
    """Calls of one kind: made ready once, then timed with what changes from call to call."""

    name: str
    call: Callable[[int], tuple[str, dict[str, object]]]
    before: tuple[tuple[str, dict[str, object]], ...] = ()
    target: str = ""


CLASSES = (
    Class("no work: where the pointer is", lambda _: ("computer_cursor_position", {})),
    Class("files: look at one", lambda _: ("files_get_info", {"path": SHEET})),
    Class(
        "files: write one",
        lambda n: ("files_write_text", {"path": LETTER, "content": f"{n}", "overwrite": True}),
    ),
    Class(
        "filesystem server: read a file", lambda _: ("filesystem_read_text_file", {"path": NOTE})
    ),
    Class(
        "UNO: read 1,000 cells",
        lambda _: ("calc_get_range_values", {"range_str": "A1:J100"}),
        before=(("calc_open_workbook", {"path": SHEET}),),
        target="<= 50",
    ),
    Class("UNO: write one cell", lambda n: ("calc_set_cell_value", {"cell": "L1", "value": n})),
    Class("UNO: save a workbook", lambda _: ("calc_save", {})),
    Class(
        "GNOME: change a setting",
        lambda n: ("os_change_text_scale", {"new_scale": 1 + n % 2 / 10}),
        target="<= 50",
    ),
    Class(
        "VS Code: change a setting",
        lambda n: ("code_set_word_wrap_column", {"column": 80 + n % 2}),
        target="<= 50",
    ),
    Class("GNOME: set the volume", lambda n: ("os_set_volume", {"percent": 40 + n % 20})),
    Class(
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
            for each in CLASSES:
                for name, given in each.before:
                    call(guest, next(numbers), name, given)
                guest.screenshot(settle=20)
                call(guest, next(numbers), *each.call(0))
                asked = (each.call(number) for number in range(1, count + 1))
                times = [timed(partial(call, guest, next(numbers), *one)) for one in asked]
                column.add(each.name, times, each.target)
    Console(width=130).print(ledger.table(f"{image}: a tool call, milliseconds"))


def call(guest: Guest, number: int, name: str, given: dict[str, object]) -> None:
    """Call a tool, which must succeed."""
    answer = guest.call(ToolCall(f"bench-tools-{number}", name, given))
    if answer.error:
        raise SystemExit(f"bench: {name}: {answer.text}")


def prepare(guest: Guest) -> None:
    """The files that the calls work on."""
    book = Workbook()
    for row in rows():
        book.active.append(row)
    content = BytesIO()
    book.save(content)
    guest.put(SHEET, content.getvalue())
    guest.put(NOTE, b"A note.\n")


def rows() -> Iterator[list[object]]:
    """A hundred rows of ten cells: texts, numbers, formulas."""
    for row in range(1, 101):
        yield [f"row {row}", *range(row, row + 7), f"=SUM(B{row}:H{row})", row / 7]
