"""The trial's side of the control room: executes a person's orders between two steps of the agent
and records them in the trajectory.
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

__all__ = [
    "HELPS",
    "HUMAN",
    "NOBODY",
    "Intervention",
    "Nobody",
    "Person",
    "SupervisedTrial",
    "hint_note",
]

HUMAN = "human"
POLL_EVERY = 0.05
"""Seconds between two checks for orders while the agent is paused."""
SETTLE = 0.5
"""Seconds that the screen gets to become still after each of a person's actions."""
HELPS = frozenset({"hint", "stop", "take"})
"""Orders after which a trial counts as assisted."""
SHOWN = 30
"""How many of a person's last actions the model is told about."""


@dataclass(frozen=True)
class Intervention:
    """A person's effect on the step to come."""

    notes: tuple[str, ...] = ()
    """Notes for the model, with the next screenshot."""
    stop: Stop | None = None
    frame: Frame | None = None
    """The screen after the person's actions."""


class Person(Protocol):
    """Asked before every step of an agent."""

    steps: int
    """How many steps of the trajectory are a person's."""

    def turn(self, done: int, before: str) -> Intervention:
        """Execute pending orders; return when the agent may continue. `done` counts the agent's
        steps so far, `before` is the hash of the current frame. Raises `StoppedError` where the
        person ends the trial as void."""


class Nobody:
    """A trial that nobody watches."""

    steps = 0

    def turn(self, done: int, before: str) -> Intervention:
        """Return at once."""
        return NOTHING


NOTHING = Intervention()
NOBODY = Nobody()


@dataclass
class Turn:
    """The orders received so far before one step."""

    before: str
    notes: list[str] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)
    stop: Stop | None = None
    once: bool = False
    """Run one step, then pause again."""


@dataclass
class SupervisedTrial:
    """A trial that reads orders from its directory. See `Person`."""

    folder: Path
    guest: Guest
    trajectory: Trajectory
    settle: float
    """Seconds that the screen gets to become still before the agent continues."""
    apps: Mapping[str, str] = field(default_factory=dict)
    """The app of each tool of the guest, by the tool's name."""
    check: Callable[[], None] = lambda: None
    """Raises where the run is shutting down."""
    steps: int = 0
    assisted: bool = False
    """Whether a person did more than watch and pause."""
    ended: bool = False
    """Whether a person ended the episode."""
    _orders: Orders = field(init=False)
    _held: bool = False
    _taken: bool = False

    def __post_init__(self) -> None:
        self._orders = Orders(self.folder)

    def turn(self, done: int, before: str) -> Intervention:
        """See `Person`."""
        turn = Turn(before)
        while True:
            for order in self._orders.new():
                self._execute(order, turn, done)
            if turn.stop is not None or (not self._taken and (turn.once or not self._held)):
                break
            self.check()
            time.sleep(POLL_EVERY)
        frame = None
        if turn.acts:
            frame = self.guest.observe(settle=self.settle)
            turn.notes.insert(0, _report(turn.acts))
        return Intervention(tuple(turn.notes), turn.stop, frame)

    def _execute(self, order: Order, turn: Turn, done: int) -> None:
        match order.order:
            case "act":
                # Actions that arrive after control was handed back are dropped.
                for act in order.acts if self._taken else ():
                    call = ToolCall(uuid.uuid4().hex, act.call, act.arguments)
                    result = ToolResult(call.id, "Done by a person.")
                    self._record(done, turn, call, GUI, result)
                return
            case "do":
                for act in order.acts if self._taken else ():
                    call = ToolCall(uuid.uuid4().hex, act.call, act.arguments)
                    start = time.monotonic()
                    result = self.guest.call(call)
                    took = time.monotonic() - start
                    self._record(done, turn, call, self.apps.get(call.name), result, took)
                return
            case "hint":
                turn.notes.append(hint_note(order.text))
            case "step":
                turn.once = True
            case "pause" | "resume":
                self._held = order.order == "pause"
            case "take":
                self._taken = True
            case "give":  # the agent resumes, also one that was paused before
                self._taken = self._held = False
        details = {"text": order.text, "end": order.end}
        present = {name: value for name, value in details.items() if value}
        self.trajectory.person(order=order.order, by=order.by, at=order.at, **present)
        self.assisted |= order.order in HELPS
        if order.order == "stop":
            turn.stop = _stop(order)
            self.ended = True

    def _record(
        self,
        done: int,
        turn: Turn,
        call: ToolCall,
        app: str | None,
        result: ToolResult,
        took: float = 0.0,
    ) -> None:
        start = time.monotonic()
        frame = self.guest.observe(settle=SETTLE)
        after = self.trajectory.frame(frame)
        seconds = Seconds(settle=frame.waited if frame else 0.0)
        seconds.guest = took + time.monotonic() - start - seconds.settle
        step = Step(
            done + self.steps + 1,
            turn.before,
            Decision(calls=(call,)),
            [app],
            "",
            [result],
            after,
            frame is None or frame.still,
            seconds,
        )
        self.trajectory.step(step, actor=HUMAN)
        self.steps += 1
        turn.before = after
        turn.acts.append(Act(call=call.name, arguments=dict(call.arguments)))


def hint_note(text: str) -> str:
    """The note by which a model receives a hint."""
    return f"A person who watches says: {text}"


def _stop(order: Order) -> Stop:
    if order.end == "void":
        why = f": {order.text}" if order.text else ""
        raise StoppedError(f"a person ended the trial as void{why}")
    return Stop(str(order.end))


def _report(acts: Sequence[Act]) -> str:
    lines = [written(act.call, act.arguments) for act in acts[-SHOWN:]]
    left = len(acts) - len(lines)
    earlier = f"{left} earlier actions, then " if left else ""
    return f"A person took over for a while and did this: {earlier}{', '.join(lines)}."
