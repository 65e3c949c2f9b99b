"""The control room for people on a terminal: the wall as a table, the steps of the chosen trial as
they come, and the same orders.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import DataTable, Footer, Header, Input, RichLog

from ambidex.host.errors import UsageError
from ambidex.host.records.orders import Act, Order, OrderName, post, read_call
from ambidex.host.room.lease import Leases
from ambidex.host.room.wall import Live, Wall
from ambidex.host.terminal import one_line, visible

__all__ = ["Terminal"]

COLUMNS = ("task", "run", "state", "step", "last action", "elapsed", "cost", "wants a person")
ERROR, HUMAN = "red", "magenta"
ME = "terminal"
Asked = Literal["hint", "do"]
PLACEHOLDERS: dict[Asked, str] = {
    "hint": "What the model is told; Enter sends it, Escape leaves it",
    "do": "A call, such as computer_click(x=640, y=360); Enter does it, Escape ends",
}


class Terminal(App[None]):
    """Looks at the runs of a wall every so often."""

    TITLE = "Ambidex"
    CSS = """
    DataTable { height: 40%; }
    RichLog { height: 1fr; border-top: solid $accent; padding: 0 1; }
    Input { display: none; }
    Input.asked { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "hold", "Hold / go on"),
        Binding("s", "order('step')", "One step"),
        Binding("h", "hint", "Tell the model"),
        Binding("t", "take", "Take over / hand back"),
        Binding("c", "call", "Do something"),
        Binding("d", "end('done')", "End: done"),
        Binding("i", "end('infeasible')", "End: infeasible"),
        Binding("v", "end('void')", "End: void"),
        Binding("q", "quit", "Leave"),
        Binding("escape", "ask_no_more", show=False),
    ]

    def __init__(self, wall: Wall, every: float = 0.5) -> None:
        super().__init__()
        self._wall = wall
        self._leases = Leases()
        self._asked: Asked = "hint"
        self._every = every
        self._live: dict[str, Live] = {}
        self._chosen = ""
        self._shown = 0

    def compose(self) -> ComposeResult:
        """See textual."""
        yield Header()
        with Vertical():
            yield DataTable(cursor_type="row", zebra_stripes=True)
            yield RichLog(wrap=True, highlight=False)
            yield Input()
        yield Footer()

    def on_mount(self) -> None:
        """Begin to look."""
        table = self.query_one(DataTable)
        for name in COLUMNS:
            table.add_column(name, key=name)
        self.look()
        self.set_interval(self._every, self.look)

    def look(self) -> None:
        """Read the runs, and show what is new."""
        self._live = {each.name: each for each in self._wall.live()}
        table = self.query_one(DataTable)
        for key in [str(key.value) for key in table.rows]:
            if key not in self._live:
                table.remove_row(key)
        for name, each in self._live.items():
            cells = _cells(each)
            if name not in table.rows:
                table.add_row(*cells, key=name)
                continue
            for column, cell in zip(COLUMNS, cells, strict=True):
                table.update_cell(name, column, cell)
        self.sub_title = f"{len(self._live)} under way"
        self._tell()

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Another trial is looked at."""
        name = str(event.row_key.value) if event.row_key else ""
        if name != self._chosen:
            self._chosen, self._shown = name, 0
            self.query_one(RichLog).clear()
            self._tell()

    def _tell(self) -> None:
        live = self._live.get(self._chosen)
        if live is None:
            return
        log = self.query_one(RichLog)
        if not self._shown and live.reel.start:
            log.write(Text(visible(str(live.reel.start["instruction"])), style="bold"))
        for line in live.reel.steps[self._shown :]:
            log.write(_said(line))
        self._shown = len(live.reel.steps)

    def action_hold(self) -> None:
        """Hold the chosen trial, or let it go on."""
        live = self._live.get(self._chosen)
        self._post("resume" if live and live.reel.state == "paused" else "pause")

    def action_order(self, order: OrderName) -> None:
        """Give an order that needs no words."""
        self._post(order)

    def action_end(self, end: Literal["done", "infeasible", "void"]) -> None:
        """End the chosen trial."""
        self._post("stop", end=end)

    def action_hint(self) -> None:
        """Ask for the words."""
        self._ask("hint")

    def action_take(self) -> None:
        """Take over the chosen trial, or hand it back: one person at a time has it."""
        if (live := self._live.get(self._chosen)) is None:
            self._post("take")
        elif self._mine(live):
            self._post("give")
            self._leases.give(live.reel.folder, ME)
        else:
            try:
                self._leases.take(live.reel.folder, ME)
            except UsageError as error:
                self.notify(visible(str(error)), severity="error", markup=False)
            else:
                self._post("take")

    def action_call(self) -> None:
        """Ask which call is to be carried out."""
        live = self._live.get(self._chosen)
        if live and self._mine(live):
            self._ask("do")
        else:
            self.notify("Take over first (t).", severity="warning")

    def action_ask_no_more(self) -> None:
        """Ask no more."""
        box = self.query_one(Input)
        box.value = ""
        box.remove_class("asked")
        self.query_one(DataTable).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Tell the model, or do what was typed."""
        if not event.value.strip():
            self.action_ask_no_more()
        elif self._asked == "hint":
            self._post("hint", text=event.value)
            self.action_ask_no_more()
        else:
            try:
                self._post("do", acts=(read_call(event.value),))
            except ValueError as error:
                self.notify(visible(str(error)), severity="error", markup=False)
            else:
                event.input.value = ""  # and the next one

    def on_unmount(self) -> None:
        """Hand back what was taken: nobody is at the keyboard any more."""
        for live in self._live.values():
            if self._mine(live):
                post(live.reel.folder, Order(order="give", by=ME))
        self._leases.close()

    def _mine(self, live: Live) -> bool:
        return self._leases.holder(live.reel.folder) == ME

    def _ask(self, what: Asked) -> None:
        self._asked = what
        box = self.query_one(Input)
        box.placeholder = PLACEHOLDERS[what]
        box.add_class("asked")
        box.focus()

    def _post(
        self,
        order: OrderName,
        text: str = "",
        end: Literal["done", "infeasible", "void"] | None = None,
        acts: tuple[Act, ...] = (),
    ) -> None:
        live = self._live.get(self._chosen)
        if live is None:
            self.notify("No trial is chosen.", severity="warning")
            return
        post(live.reel.folder, Order(order=order, text=text, end=end, acts=acts, by=ME))
        self.notify(one_line(f"{order}: {live.name}"), markup=False)


def _cells(each: Live) -> list[Text]:
    said = each.said()
    last = said["last"]
    cost = "unknown" if said["cost"] is None else f"${said['cost']:.4f}" if said["cost"] else ""
    # As `Text`: a plain string would be read as markup.
    return [
        Text(one_line(said["task"])),
        Text(one_line(each.run)),
        Text(said["state"], style=HUMAN if said["state"] == "human" else ""),
        Text(f"{said['step']}/{said['cap']}"),
        Text(one_line(last["name"]) if last else ""),
        Text(f"{said['seconds'] // 60}:{said['seconds'] % 60:02}"),
        Text(cost),
        Text(one_line("; ".join(said["alarms"])), style="yellow"),
    ]


def _said(line: dict[str, object]) -> Text:
    if line["kind"] == "person":
        return Text(visible(f"   a person: {line['order']} {line.get('text', '')}"), style=HUMAN)
    calls: list[dict[str, object]] = line["calls"]  # type: ignore[assignment]
    results: list[dict[str, str]] = line["results"]  # type: ignore[assignment]
    said = Text(f"{line['number']:>3} ", style=HUMAN if line["actor"] == "human" else "dim")
    said.append(visible(str(line["thought"])[:300]), style="italic")
    for at, call in enumerate(calls):
        said.append(visible(f"\n    {call['name']} {call['arguments']}"[:300]), style="cyan")
        result = results[at] if at < len(results) else {"error": "", "text": ""}
        if result["error"]:
            said.append(visible(f"\n    {result['error']}: {result['text']}"[:300]), style=ERROR)
        elif line["actor"] == "human":
            said.append(visible(f"\n    {result['text']}"[:300]), style="dim")
    if line["malformed"]:
        said.append(visible(f"\n    could not be read: {line['malformed']}"), style=ERROR)
    if line["stop"]:
        said.append(visible(f"\n    ends: {line['stop']}"), style="bold")
    return said
