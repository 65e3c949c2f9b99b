"""What a person asks of a trial under way: `orders.jsonl` in its directory. Whoever watches appends
to it, the runner reads it between steps; so it does not matter which processes they are.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from ambidex.evaluators.strict import Strict

__all__ = ["Act", "Order", "Orders", "Verb", "now", "post", "read_call", "written"]

NAME = "orders.jsonl"

Verb = Literal["pause", "resume", "step", "hint", "stop", "take", "act", "do", "give"]
"""Hold before the next step; go on; take one step and hold again; tell the model something; end the
episode; the person takes over, has acted, wants a call carried out, and hands back."""


class Act(Strict):
    """One thing that a person did, as the call an agent would have made."""

    call: str
    arguments: dict[str, Any] = Field(default_factory=dict)


def now() -> str:
    """This moment in UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Order(Strict):
    """One line."""

    order: Verb
    text: Annotated[str, Field(max_length=4000)] = ""
    """Of `hint`: what the model is told. Of `stop` as void: why."""
    end: Literal["done", "infeasible", "void"] | None = None
    """Of `stop`: as what it ends; void is run again."""
    acts: tuple[Act, ...] = ()
    by: str = ""
    at: str = Field(default_factory=now)

    @model_validator(mode="after")
    def _is_whole(self) -> Order:
        if self.order == "hint" and not self.text.strip():
            raise ValueError("a hint needs a text")
        if (self.order == "stop") is (self.end is None):
            raise ValueError("stop, and only stop, says as what: done, infeasible or void")
        if self.order == "do" and len(self.acts) != 1:
            raise ValueError("do names one call")
        return self


def written(call: str, arguments: Mapping[str, Any]) -> str:
    """A call as a person reads it, in one line."""
    return f"{call}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"


def read_call(line: str) -> Act:
    """What `written` writes, read back; `ValueError` says how a call is written."""
    how = "a call is written like computer_click(x=640, y=360)"
    try:
        match ast.parse(line.strip(), mode="eval").body:
            case ast.Call(func=ast.Name(id=name), args=[], keywords=words):
                given = {str(word.arg): ast.literal_eval(word.value) for word in words if word.arg}
                if len(given) == len(words):
                    return Act(call=name, arguments=given)
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError(f"{how}: {error}") from None
    raise ValueError(how)


def post(folder: Path, order: Order) -> None:
    """Append an order for the trial in that directory; it is whole or absent."""
    line = order.model_dump_json().encode() + b"\n"
    file = os.open(folder / NAME, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(file, line)
    finally:
        os.close(file)


class Orders:
    """Reads the orders of a trial, each once, in the order in which they came."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._read = 0

    def new(self) -> list[Order]:
        """What has come since the last call. A line that is no order is passed over: it must not
        end a trial."""
        try:
            if self._path.stat().st_size <= self._read:
                return []
        except FileNotFoundError:
            return []
        with self._path.open("rb") as file:
            file.seek(self._read)
            content = file.read()
        whole = content[: content.rfind(b"\n") + 1]
        self._read += len(whole)
        found = []
        for line in whole.splitlines():
            try:
                found.append(Order.model_validate_json(line))
            except ValidationError:
                continue
        return found
