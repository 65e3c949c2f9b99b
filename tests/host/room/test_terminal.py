"""The control room on a terminal."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from textual.widgets import DataTable, Input, RichLog

from ambidex.host import Decision, Observation, Stop
from ambidex.host.errors import UsageError
from ambidex.host.records.orders import Orders
from ambidex.host.room.lease import Leases
from ambidex.host.room.tui import Terminal
from ambidex.host.room.wall import Wall
from ambidex.tasks import Suite
from tests.support.suites import config_of, run_in, suite

__all__ = ["suite"]


class Waits:
    """Stops when it is told to."""

    def __init__(self) -> None:
        self.at_work, self.go = threading.Event(), threading.Event()

    def step(self, observation: Observation) -> Decision:
        self.at_work.set()
        assert self.go.wait(30)
        return Decision(stop=Stop.DONE)


def test_it_shows_running_trials_and_gives_orders(suite: Suite, tmp_path: Path) -> None:
    agent, run = Waits(), tmp_path / "live"
    thread = threading.Thread(
        target=run_in, args=(run, suite, config_of(suite)), kwargs={"make_agent": lambda *_: agent}
    )
    thread.start()
    try:
        assert agent.at_work.wait(30)
        asyncio.run(_used(Terminal(Wall([tmp_path]), every=60), run / "cell.1"))
        given = [(each.order, each.text, each.end) for each in Orders(run / "cell.1").new()]
        assert given == [
            ("pause", "", None),
            ("step", "", None),
            ("hint", "look up", None),
            ("take", "", None),
            ("do", "", None),
            ("give", "", None),
            ("take", "", None),
            ("stop", "", "void"),
            ("give", "", None),
        ]
    finally:
        agent.go.set()
        thread.join(60)


async def _used(terminal: Terminal, live: Path) -> None:
    async with terminal.run_test() as pilot:
        table = terminal.query_one(DataTable)
        [row] = [table.get_row_at(0)]
        assert [*map(str, row[:4])] == ["cell", "live", "running", "0/5"]
        await pilot.pause()
        assert "Set B2 to 42" in str(terminal.query_one(RichLog).lines[0])
        for key in ("p", "s", "h"):
            await pilot.press(key)
        assert terminal.query_one(Input).has_class("asked")
        await pilot.press(*"look", "space", *"up", "enter")
        await pilot.press("c")  # nothing: who has not taken over does nothing
        assert not terminal.query_one(Input).has_class("asked")
        await pilot.press("t", "c")
        assert terminal.query_one(Input).has_class("asked")
        await pilot.press(*"nonsense", "enter")
        assert terminal.query_one(Input).value == "nonsense"
        terminal.query_one(Input).value = "computer_click(x=3, y=4)"
        await pilot.press("enter", "escape", "t", "t")
        with pytest.raises(UsageError, match="another control room"):
            Leases().take(live, "somebody")
        await pilot.press("v")
