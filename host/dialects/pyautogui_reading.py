"""A block of Python as calls of tools. It is parsed and never executed: statement by statement,
each a call from a list, with literals for arguments. Signatures are those of pyautogui 0.9.54.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ambidex.host import Decision, Stop, ToolSpec
from ambidex.host.dialects import MalformedReplyError
from ambidex.host.dialects.pyautogui_calls import CALLS, Hands
from ambidex.host.dialects.reading import Given, Made, Pointer

__all__ = ["Reading", "read"]

LONGEST = 50_000
"""Characters of a block."""
PAUSE = 2
"""Seconds of a `WAIT` that names none."""
ENDS = ("DONE", "FAIL")


@dataclass
class Reading:
    """What a block comes to."""

    calls: list[Made] = field(default_factory=list)
    end: Decision | None = None


def read(
    code: str, tools: Mapping[str, ToolSpec], pointer: Pointer, extent: tuple[int, int]
) -> Reading:
    """The calls of a block, and the end if there is one; `MalformedReplyError` names the line that
    is none of what is allowed. `tools` are those on offer, by every name by which they may be
    called."""
    if len(code) > LONGEST:
        raise MalformedReplyError(f"the code has more than {LONGEST} characters.")
    try:
        statements = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise MalformedReplyError(f"the code is no Python: {error}.") from None
    hands = Hands(pointer, extent)
    found = Reading()
    for statement in statements:
        if found.end:
            raise MalformedReplyError(f"line {statement.lineno}: nothing can follow DONE or FAIL.")
        try:
            _statement(statement, tools, hands, found)
        except MalformedReplyError as malformed:
            raise MalformedReplyError(f"line {statement.lineno}: {malformed}") from None
    hands.released()
    if not statements:
        raise MalformedReplyError("the code block is empty.")
    return found


def _statement(node: ast.stmt, tools: Mapping[str, ToolSpec], hands: Hands, found: Reading) -> None:
    match node:
        case ast.Import(names=names):
            for alias in names:
                if alias.name not in ("pyautogui", "time") or alias.asname:
                    raise MalformedReplyError(
                        "only pyautogui and time can be imported, by their own names."
                    )
        case ast.Expr(value=ast.Name(id="DONE" | "FAIL" | "WAIT" as name)):
            _word(name, Given(name, {}), tools, found)
        case ast.Expr(value=ast.Call() as call):
            _call(call, tools, hands, found)
        case _:
            kind = type(node.value if isinstance(node, ast.Expr) else node).__name__
            raise MalformedReplyError(
                f"a {kind} is not allowed. Only calls are, one a line: functions of pyautogui, "
                "tools by their names, WAIT, DONE and FAIL, with literals for arguments."
            )


def _call(node: ast.Call, tools: Mapping[str, ToolSpec], hands: Hands, found: Reading) -> None:
    name = _dotted(node.func)
    module, _, function = name.rpartition(".")
    if module in ("pyautogui", "time"):
        known = CALLS.get(function) if module == "pyautogui" or function == "sleep" else None
        if known is None:
            raise MalformedReplyError(
                f"{name:.100} is not allowed. Of pyautogui there is {', '.join(CALLS)}."
            )
        parameters, make = known
        calls = make(hands, _bound(function, node, parameters))
        _offered(name, calls, tools)
        found.calls += calls
    elif name in ("DONE", "FAIL", "WAIT"):
        parameter = {"DONE": "answer", "FAIL": "reason", "WAIT": "seconds"}[name]
        _word(name, _bound(name, node, parameter), tools, found)
    elif name in tools:
        hands.free(name)
        if node.args:
            raise MalformedReplyError(f"{name} takes its arguments by name.")
        found.calls.append((name, {key: _plain(key, value) for key, value in _named(node)}))
    else:
        raise MalformedReplyError(f"there is no function {name:.100} here.")


def _word(name: str, given: Given, tools: Mapping[str, ToolSpec], found: Reading) -> None:
    if name == "WAIT":
        seconds = given.maybe_number("seconds")
        calls: list[Made] = [("computer_wait", {"seconds": PAUSE if seconds is None else seconds})]
        _offered(name, calls, tools)
        found.calls += calls
    else:
        done = name == "DONE"
        said = given.take("answer" if done else "reason", "a text", str, int, float, bool)
        answer = None if said is None else str(said)
        stop = Stop.DONE if done else Stop.INFEASIBLE
        found.end = Decision(stop=stop, answer=answer)
    given.end()


def _offered(name: str, calls: list[Made], tools: Mapping[str, ToolSpec]) -> None:
    if any(tool not in tools for tool, _ in calls):
        raise MalformedReplyError(f"{name} is not available here.")


def _bound(name: str, node: ast.Call, parameters: str) -> Given:
    """Arguments by their parameters' names; `*` takes all positional ones as `keys`."""
    names = parameters.split()
    values = [_literal(name, each) for each in node.args]
    if names[:1] == ["*"]:
        keys = values[0] if len(values) == 1 and isinstance(values[0], list | tuple) else values
        given: dict[str, Any] = {"keys": list(keys)}
    elif len(values) > len(names):
        raise MalformedReplyError(f"{name} takes {len(names)} arguments at most.")
    else:
        given = dict(zip(names, values, strict=False))
    for key, value in _named(node):
        if key in given:
            raise MalformedReplyError(f"{name} got `{key}` twice.")
        given[key] = _literal(name, value)
    # How long a movement takes is the guest's to say.
    ignored = ("interval", "duration", "_pause")
    return Given(name, {key: value for key, value in given.items() if key not in ignored})


def _named(node: ast.Call) -> list[tuple[str, ast.expr]]:
    if any(keyword.arg is None for keyword in node.keywords):
        raise MalformedReplyError("arguments cannot be unpacked with **.")
    return [(str(keyword.arg), keyword.value) for keyword in node.keywords]


def _dotted(node: ast.expr) -> str:
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        raise MalformedReplyError("only functions can be called, by their plain names.")
    return ".".join([node.id, *reversed(names)])


def _literal(name: str, node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise MalformedReplyError(
            f"an argument of {name} is no literal: no variables, no sums."
        ) from None


def _plain(name: str, node: ast.expr) -> Any:
    """A literal that JSON has too."""
    return _as_json(name, _literal(name, node))


def _as_json(name: str, value: Any) -> Any:
    match value:
        case None | bool() | str():
            return value
        case int() if -(2**63) <= value < 2**63:
            return value
        case float() if abs(value) < float("inf"):
            return value
        case list() | tuple():
            return [_as_json(name, each) for each in value]
        case dict() if all(isinstance(key, str) for key in value):
            return {key: _as_json(name, each) for key, each in value.items()}
    raise MalformedReplyError(f"`{name}` has a value that JSON does not have.")
