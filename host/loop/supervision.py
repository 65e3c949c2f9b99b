"""The trial's side of a person who watches: orders are carried out between two steps of the agent,
and all that a person did is in the trajectory.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from ambidex.host import GUI, Decision, Frame, Stop, ToolCall, ToolResult
from ambidex.host.client.guest import Guest
from ambidex.host.errors import StoppedError
from ambidex.host.records.orders import Act, Order, Orders, written
from ambidex.host.records.trajectory import Seconds, Step, Trajectory

__all__ = ["HELPS", "HUMAN", "NOBODY", "Nobody", "Person", "Told", "Watched", "hinted"]

HUMAN = "human"
LOOK_EVERY = 0.05
"""Seconds between two looks for orders while the agent is held."""
SETTLE = 0.5
"""Seconds that the screen gets to come to rest after each thing a person did."""
HELPS = frozenset({"hint", "stop", "take"})
"""Orders after which a result is not the agent's alone."""
SHOWN = 30
"""Actions of a person that the model is told of, the last ones."""


@dataclass(frozen=True)
class Told:
    """What a person asked for before a step."""

    notes: tuple[str, ...] = ()
    """What the model is told with the next screenshot."""
    stop: Stop | None = None
    frame: Frame | None = None
    """The screen as the person left it."""
    held: float = 0.0
    """Seconds for which the agent was held: not its own."""


class Person(Protocol):
    """Asked before every step of an agent."""

    steps: int
    """Lines of the trajectory that are a person's."""

    def turn(self, done: int, before: str) -> Told:
        """Carry out what was asked for; return when the agent may go on. `done` steps are the
        agent's so far, `before` is the hash of the frame on the screen. `StoppedError` where the
        trial is to be void."""


class Nobody:
    """Nobody watches."""

    steps = 0

    def turn(self, done: int, before: str) -> Told:
        """Nothing was asked for."""
        return GO


GO = Told()
NOBODY = Nobody()


@dataclass
class Turn:
    """What was asked for so far before one step."""

    before: str
    notes: list[str] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)
    stop: Stop | None = None
    once: bool = False
    """One step, and then hold again."""


@dataclass
class Watched:
    """A trial whose directory somebody may write orders to. See `Person`."""

    folder: Path
    guest: Guest
    trajectory: Trajectory
    settle: float
    """Seconds that the screen gets when the agent goes on."""
    apps: Mapping[str, str] = field(default_factory=dict)
    """The app of each tool of the guest, by the tool's name."""
    check: Callable[[], None] = lambda: None
    """Raises where the run is being ended."""
    steps: int = 0
    assisted: bool = False
    """Whether somebody did more than look and hold: the result is not the agent's alone."""
    ended: bool = False
    """Whether somebody ended the episode."""
    _orders: Orders = field(init=False)
    _held: bool = False
    _taken: bool = False

    def __post_init__(self) -> None:
        self._orders = Orders(self.folder)

    def turn(self, done: int, before: str) -> Told:
        """See `Person`."""
        began, turn = time.monotonic(), Turn(before)
        while True:
            for order in self._orders.new():
                self._carry_out(order, turn, done)
            if turn.stop is not None or (not self._taken and (turn.once or not self._held)):
                break
            self.check()
            time.sleep(LOOK_EVERY)
        frame = None
        if turn.acts:
            frame = self.guest.screenshot(settle=self.settle)
            turn.notes.insert(0, _reported(turn.acts))
        return Told(tuple(turn.notes), turn.stop, frame, time.monotonic() - began)

    def _carry_out(self, order: Order, turn: Turn, done: int) -> None:
        match order.order:
            case "act":
                # What comes after handing back was on its way and is nobody's any more.
                for act in order.acts if self._taken else ():
                    call = ToolCall(uuid.uuid4().hex, act.call, act.arguments)
                    result = ToolResult(call.id, "Done by a person.")
                    self._did(done, turn, call, GUI, result)
                return
            case "do":
                for act in order.acts if self._taken else ():
                    call = ToolCall(uuid.uuid4().hex, act.call, act.arguments)
                    start = time.monotonic()
                    result = self.guest.call(call)
                    took = time.monotonic() - start
                    self._did(done, turn, call, self.apps.get(call.name), result, took)
                return
            case "hint":
                turn.notes.append(hinted(order.text))
            case "step":
                turn.once = True
            case "pause" | "resume":
                self._held = order.order == "pause"
            case "take" | "give":
                self._taken = order.order == "take"
        said = {"text": order.text, "end": order.end}
        kept = {name: value for name, value in said.items() if value}
        self.trajectory.person(order=order.order, by=order.by, at=order.at, **kept)
        self.assisted |= order.order in HELPS
        if order.order == "stop":
            turn.stop = _stop(order)
            self.ended = True

    def _did(
        self,
        done: int,
        turn: Turn,
        call: ToolCall,
        app: str | None,
        result: ToolResult,
        took: float = 0.0,
    ) -> None:
        start = time.monotonic()
        frame = self.guest.screenshot(settle=SETTLE)
        after = self.trajectory.frame(frame)
        seconds = Seconds(settle=frame.waited)
        seconds.guest = took + time.monotonic() - start - frame.waited
        step = Step(
            done + self.steps + 1,
            turn.before,
            Decision(calls=(call,)),
            [app],
            "",
            [result],
            after,
            frame.still,
            seconds,
        )
        self.trajectory.step(step, actor=HUMAN)
        self.steps += 1
        turn.before = after
        turn.acts.append(Act(call=call.name, arguments=dict(call.arguments)))


def hinted(text: str) -> str:
    """A hint in the words in which a model is told it."""
    return f"A person who watches says: {text}"


def _stop(order: Order) -> Stop:
    if order.end == "void":
        why = f": {order.text}" if order.text else ""
        raise StoppedError(f"a person ended the trial as void{why}")
    return Stop(str(order.end))


def _reported(acts: Sequence[Act]) -> str:
    lines = [written(act.call, act.arguments) for act in acts[-SHOWN:]]
    left = len(acts) - len(lines)
    before = f"{left} actions more before these, " if left else ""
    return f"A person took over for a while and did this: {before}{', '.join(lines)}."
