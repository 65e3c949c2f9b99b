"""A person's orders to a running trial: `orders.jsonl` in the trial's directory.

The control room appends orders and the runner reads them between steps, so the two can be separate
processes.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from ambidex.evaluators.bounded import parse_expression
from ambidex.evaluators.strict import Strict

__all__ = ["Act", "Order", "OrderName", "Orders", "now", "post", "read_call", "written"]

NAME = "orders.jsonl"

OrderName = Literal["pause", "resume", "step", "hint", "stop", "take", "act", "do", "give"]
"""`pause` before the next step; `resume`; take one `step` and pause again; give the agent a `hint`;
`stop` the episode; `take` over; `act` as the person did; `do` a call that the person typed; `give`
control back, and let the agent resume."""


class Act(Strict):
    """One action of a person, as the call an agent would have made."""

    call: str
    arguments: dict[str, Any] = Field(default_factory=dict)


def now() -> str:
    """The current time in UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Order(Strict):
    """One order: a line of the file."""

    order: OrderName
    text: Annotated[str, Field(max_length=4000)] = ""
    """For `hint`: the text of the hint. For `stop` with end void: the reason."""
    end: Literal["done", "infeasible", "void"] | None = None
    """For `stop`: how the episode ends. A void trial is run again."""
    acts: tuple[Act, ...] = ()
    by: str = ""
    at: str = Field(default_factory=now)

    @model_validator(mode="after")
    def _is_whole(self) -> Order:
        if self.order == "hint" and not self.text.strip():
            raise ValueError("a hint needs a text")
        if (self.order == "stop") is (self.end is None):
            raise ValueError("stop needs an end (done, infeasible or void); other orders take none")
        if self.order == "do" and len(self.acts) != 1:
            raise ValueError("do needs exactly one call")
        return self


def written(call: str, arguments: Mapping[str, Any]) -> str:
    """A call as one line of text: `computer_click(x=640, y=360)`."""
    return f"{call}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"


def read_call(line: str) -> Act:
    """Parse a line in the format of `written`; `ValueError` explains the format."""
    expected = "a call is written like computer_click(x=640, y=360)"
    try:
        match parse_expression(line):
            case ast.Call(func=ast.Name(id=name), args=[], keywords=keywords):
                arguments = {
                    str(keyword.arg): ast.literal_eval(keyword.value)
                    for keyword in keywords
                    if keyword.arg
                }
                if len(arguments) == len(keywords):
                    return Act(call=name, arguments=arguments)
    except (ValueError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError(f"{expected}: {error}") from None
    raise ValueError(expected)


def post(folder: Path, order: Order) -> None:
    """Append an order for the trial in that directory, in a single write."""
    line = order.model_dump_json().encode() + b"\n"
    file = os.open(folder / NAME, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(file, line)
    finally:
        os.close(file)


class Orders:
    """Reads the orders of a trial, each once, oldest first."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._read = 0

    def new(self) -> list[Order]:
        """The orders that arrived since the last call. Invalid lines are skipped: they must not end
        a trial."""
        try:
            if self._path.stat().st_size <= self._read:
                return []
        except FileNotFoundError:
            return []
        with self._path.open("rb") as file:
            file.seek(self._read)
            content = file.read()
        complete = content[: content.rfind(b"\n") + 1]
        self._read += len(complete)
        orders = []
        for line in complete.splitlines():
            try:
                orders.append(Order.model_validate_json(line))
            except ValidationError:
                continue
        return orders
