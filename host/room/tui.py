"""The control room in a terminal: the running trials as a table, the steps of the selected trial as
they happen, and the same orders.
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

COLUMNS = ("task", "run", "state", "step", "last action", "elapsed", "cost", "alarms")
ERROR, HUMAN = "red", "magenta"
ME = "terminal"
InputMode = Literal["hint", "do"]
PLACEHOLDERS: dict[InputMode, str] = {
    "hint": "A hint to the model; Enter sends it, Escape cancels",
    "do": "A call, such as computer_click(x=640, y=360); Enter runs it, Escape ends",
}


class Terminal(App[None]):
    """The terminal application; it reads the runs of a wall every `every` seconds."""

    TITLE = "Ambidex"
    CSS = """
    DataTable { height: 40%; }
    RichLog { height: 1fr; border-top: solid $accent; padding: 0 1; }
    Input { display: none; }
    Input.asked { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "pause", "Pause / resume"),
        Binding("s", "order('step')", "One step"),
        Binding("h", "hint", "Hint"),
        Binding("t", "take", "Take over / hand back"),
        Binding("c", "call", "Call"),
        Binding("d", "end('done')", "End: done"),
        Binding("i", "end('infeasible')", "End: infeasible"),
        Binding("v", "end('void')", "End: void"),
        Binding("q", "quit", "Quit"),
        Binding("escape", "cancel_input", show=False),
    ]

    def __init__(self, wall: Wall, every: float = 0.5) -> None:
        super().__init__()
        self._wall = wall
        self._leases = Leases()
        self._input_mode: InputMode = "hint"
        self._every = every
        self._live: dict[str, Live] = {}
        self._selected = ""
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
        """Set up the table and the refresh timer."""
        table = self.query_one(DataTable)
        for name in COLUMNS:
            table.add_column(name, key=name)
        self.look()
        self.set_interval(self._every, self.look)

    def look(self) -> None:
        """Read the runs, and update the table and the steps."""
        self._live = {trial.name: trial for trial in self._wall.live()}
        table = self.query_one(DataTable)
        for key in [str(key.value) for key in table.rows]:
            if key not in self._live:
                table.remove_row(key)
        for name, trial in self._live.items():
            cells = _cells(trial)
            if name not in table.rows:
                table.add_row(*cells, key=name)
                continue
            for column, cell in zip(COLUMNS, cells, strict=True):
                table.update_cell(name, column, cell)
        self.sub_title = f"{len(self._live)} running"
        self._show_steps()

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Show the steps of the highlighted trial."""
        name = str(event.row_key.value) if event.row_key else ""
        if name != self._selected:
            self._selected, self._shown = name, 0
            self.query_one(RichLog).clear()
            self._show_steps()

    def _show_steps(self) -> None:
        live = self._live.get(self._selected)
        if live is None:
            return
        log = self.query_one(RichLog)
        if not self._shown and live.trajectory.start:
            log.write(Text(visible(str(live.trajectory.start["instruction"])), style="bold"))
        for line in live.trajectory.steps[self._shown :]:
            log.write(_line_text(line))
        self._shown = len(live.trajectory.steps)

    def action_pause(self) -> None:
        """Pause or resume the selected trial."""
        live = self._live.get(self._selected)
        self._post("resume" if live and live.trajectory.state == "paused" else "pause")

    def action_order(self, order: OrderName) -> None:
        """Give an order without text."""
        self._post(order)

    def action_end(self, end: Literal["done", "infeasible", "void"]) -> None:
        """End the selected trial."""
        self._post("stop", end=end)

    def action_hint(self) -> None:
        """Prompt for a hint."""
        self._prompt("hint")

    def action_take(self) -> None:
        """Take over the selected trial, or hand it back. Only one person at a time can hold it."""
        if (live := self._live.get(self._selected)) is None:
            self._post("take")
        elif self._mine(live):
            self._post("give")
            self._leases.give(live.trajectory.folder, ME)
        else:
            try:
                self._leases.take(live.trajectory.folder, ME)
            except UsageError as error:
                self.notify(visible(str(error)), severity="error", markup=False)
            else:
                self._post("take")

    def action_call(self) -> None:
        """Prompt for a call to run."""
        live = self._live.get(self._selected)
        if live and self._mine(live):
            self._prompt("do")
        else:
            self.notify("Take over first (t).", severity="warning")

    def action_cancel_input(self) -> None:
        """Close the input field."""
        box = self.query_one(Input)
        box.value = ""
        box.remove_class("asked")
        self.query_one(DataTable).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Send the hint, or run the call that was typed."""
        if not event.value.strip():
            self.action_cancel_input()
        elif self._input_mode == "hint":
            self._post("hint", text=event.value)
            self.action_cancel_input()
        else:
            try:
                self._post("do", acts=(read_call(event.value),))
            except ValueError as error:
                self.notify(visible(str(error)), severity="error", markup=False)
            else:
                event.input.value = ""  # ready for the next call

    def on_unmount(self) -> None:
        """Hand back all trials taken over from this terminal."""
        for live in self._live.values():
            if self._mine(live):
                post(live.trajectory.folder, Order(order="give", by=ME))
        self._leases.close()

    def _mine(self, live: Live) -> bool:
        return self._leases.holder(live.trajectory.folder) == ME

    def _prompt(self, what: InputMode) -> None:
        self._input_mode = what
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
        live = self._live.get(self._selected)
        if live is None:
            self.notify("No trial is selected.", severity="warning")
            return
        post(live.trajectory.folder, Order(order=order, text=text, end=end, acts=acts, by=ME))
        self.notify(one_line(f"{order}: {live.name}"), markup=False)


def _cells(trial: Live) -> list[Text]:
    summary = trial.summary()
    last = summary["last"]
    cost = (
        "unknown"
        if summary["cost"] is None
        else f"${summary['cost']:.4f}"
        if summary["cost"]
        else ""
    )
    # As `Text`: a plain string would be read as markup.
    return [
        Text(one_line(summary["task"])),
        Text(one_line(trial.run)),
        Text(summary["state"], style=HUMAN if summary["state"] == "human" else ""),
        Text(f"{summary['step']}/{summary['cap']}"),
        Text(one_line(last["name"]) if last else ""),
        Text(f"{summary['seconds'] // 60}:{summary['seconds'] % 60:02}"),
        Text(cost),
        Text(one_line("; ".join(summary["alarms"])), style="yellow"),
    ]


def _line_text(line: dict[str, object]) -> Text:
    if line["kind"] == "person":
        return Text(visible(f"   a person: {line['order']} {line.get('text', '')}"), style=HUMAN)
    if line["kind"] == "colleague":
        return Text(visible(f"    {line['login']} answers: {line['answer']}"[:300]), style="dim")
    calls: list[dict[str, object]] = line["calls"]  # type: ignore[assignment]
    results: list[dict[str, str]] = line["results"]  # type: ignore[assignment]
    text = Text(f"{line['number']:>3} ", style=HUMAN if line["actor"] == "human" else "dim")
    text.append(visible(str(line["thought"])[:300]), style="italic")
    for at, call in enumerate(calls):
        text.append(visible(f"\n    {call['name']} {call['arguments']}"[:300]), style="cyan")
        result = results[at] if at < len(results) else {"error": "", "text": ""}
        if result["error"]:
            text.append(visible(f"\n    {result['error']}: {result['text']}"[:300]), style=ERROR)
        elif line["actor"] == "human":
            text.append(visible(f"\n    {result['text']}"[:300]), style="dim")
    if line["malformed"]:
        text.append(visible(f"\n    could not be read: {line['malformed']}"), style=ERROR)
    if line["stop"]:
        text.append(visible(f"\n    ends: {line['stop']}"), style="bold")
    return text
