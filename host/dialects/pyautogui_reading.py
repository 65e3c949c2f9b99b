"""Parse a block of Python into calls of tools, without executing it. Each statement must be a call
of a known function with literal arguments. Signatures are those of pyautogui 0.9.54.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ambidex.evaluators.bounded import BoundsError, parse_python
from ambidex.host import Decision, Stop, ToolSpec
from ambidex.host.dialects import MalformedReplyError
from ambidex.host.dialects.pyautogui_calls import CALLS, InputState
from ambidex.host.dialects.reading import Arguments, GuiCall, Pointer

__all__ = ["Block", "parse_block"]

LONGEST = 50_000
"""Maximum characters of a block."""
PAUSE = 2
"""Seconds of a `WAIT` without a duration."""
ENDS = ("DONE", "FAIL")


@dataclass
class Block:
    """The content of a block: calls, and optionally the end of the episode."""

    calls: list[GuiCall] = field(default_factory=list)
    end: Decision | None = None


def parse_block(
    code: str, tools: Mapping[str, ToolSpec], pointer: Pointer, extent: tuple[int, int]
) -> Block:
    """Parse a block. `MalformedReplyError` names the first line that is not allowed. `tools` are
    those on offer, by name and by alias."""
    if len(code) > LONGEST:
        raise MalformedReplyError(f"the code has more than {LONGEST} characters.")
    try:
        statements = parse_python(code).body
    except BoundsError as error:
        raise MalformedReplyError(f"the code is not valid Python: {error.__cause__}.") from None
    state = InputState(pointer, extent)
    block = Block()
    for statement in statements:
        if block.end:
            raise MalformedReplyError(f"line {statement.lineno}: nothing can follow DONE or FAIL.")
        try:
            _statement(statement, tools, state, block)
        except MalformedReplyError as malformed:
            raise MalformedReplyError(f"line {statement.lineno}: {malformed}") from None
    state.require_released()
    if not statements:
        raise MalformedReplyError("the code block is empty.")
    return block


def _statement(
    node: ast.stmt, tools: Mapping[str, ToolSpec], state: InputState, block: Block
) -> None:
    match node:
        case ast.Import(names=names):
            for alias in names:
                if alias.name not in ("pyautogui", "time") or alias.asname:
                    raise MalformedReplyError(
                        "only pyautogui and time can be imported, by their own names."
                    )
        case ast.Expr(value=ast.Name(id="DONE" | "FAIL" | "WAIT" as name)):
            _word(name, Arguments(name, {}), tools, block)
        case ast.Expr(value=ast.Call() as call):
            _call(call, tools, state, block)
        case _:
            kind = type(node.value if isinstance(node, ast.Expr) else node).__name__
            raise MalformedReplyError(
                f"{kind} is not allowed. Only calls are, one per line: functions of pyautogui, "
                "tools by their names, WAIT, DONE and FAIL, with literal arguments."
            )


def _call(node: ast.Call, tools: Mapping[str, ToolSpec], state: InputState, block: Block) -> None:
    name = _dotted(node.func)
    module, _, function = name.rpartition(".")
    if module in ("pyautogui", "time"):
        known = CALLS.get(function) if module == "pyautogui" or function == "sleep" else None
        if known is None:
            raise MalformedReplyError(
                f"{name:.100} is not allowed. The pyautogui functions are {', '.join(CALLS)}."
            )
        parameters, convert = known
        calls = convert(state, _bind(function, node, parameters))
        _check_offered(name, calls, tools)
        block.calls += calls
    elif name in ("DONE", "FAIL", "WAIT"):
        parameter = {"DONE": "answer", "FAIL": "reason", "WAIT": "seconds"}[name]
        _word(name, _bind(name, node, parameter), tools, block)
    elif name in tools:
        state.require_no_keys(name)
        if node.args:
            raise MalformedReplyError(f"{name} takes its arguments by name.")
        block.calls.append((name, {key: _json_literal(key, value) for key, value in _named(node)}))
    else:
        raise MalformedReplyError(f"there is no function {name:.100} here.")


def _word(name: str, arguments: Arguments, tools: Mapping[str, ToolSpec], block: Block) -> None:
    """Read `WAIT`, `DONE` or `FAIL`."""
    if name == "WAIT":
        seconds = arguments.maybe_number("seconds")
        calls: list[GuiCall] = [
            ("computer_wait", {"seconds": PAUSE if seconds is None else seconds})
        ]
        _check_offered(name, calls, tools)
        block.calls += calls
    else:
        done = name == "DONE"
        value = arguments.take("answer" if done else "reason", "a text", str, int, float, bool)
        answer = None if value is None else str(value)
        stop = Stop.DONE if done else Stop.INFEASIBLE
        block.end = Decision(stop=stop, answer=answer)
    arguments.end()


def _check_offered(name: str, calls: list[GuiCall], tools: Mapping[str, ToolSpec]) -> None:
    if any(tool not in tools for tool, _ in calls):
        raise MalformedReplyError(f"{name} is not available here.")


def _bind(name: str, node: ast.Call, parameters: str) -> Arguments:
    """Bind a call's arguments to parameters; `*` takes all positional arguments as `keys`."""
    names = parameters.split()
    values = [_literal(name, argument) for argument in node.args]
    if names[:1] == ["*"]:
        keys = values[0] if len(values) == 1 and isinstance(values[0], list | tuple) else values
        bound: dict[str, Any] = {"keys": list(keys)}
    elif len(values) > len(names):
        raise MalformedReplyError(f"{name} takes at most {len(names)} arguments.")
    else:
        bound = dict(zip(names, values, strict=False))
    for key, value in _named(node):
        if key in bound:
            raise MalformedReplyError(f"{name} got `{key}` twice.")
        bound[key] = _literal(name, value)
    # The guest decides how long a movement takes.
    ignored = ("interval", "duration", "_pause")
    return Arguments(name, {key: value for key, value in bound.items() if key not in ignored})


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
            f"an argument of {name} is not a literal (no variables, no arithmetic)."
        ) from None


def _json_literal(name: str, node: ast.expr) -> Any:
    """A literal that JSON can represent."""
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
            return [_as_json(name, item) for item in value]
        case dict() if all(isinstance(key, str) for key in value):
            return {key: _as_json(name, item) for key, item in value.items()}
    raise MalformedReplyError(f"`{name}` has a value that JSON cannot represent.")
