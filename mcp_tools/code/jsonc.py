"""Parsing and editing JSON with comments and trailing commas, the format of VS Code's settings.

Edits are made in place: comments, order and layout of everything else stay as they were.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Optional, TypeAlias, Union

__all__ = ["MalformedJsonError", "edit", "merge", "parse", "remove"]

PathStep: TypeAlias = Union[str, int]  # noqa: UP007
"""A key of an object, or an index into an array."""

SPACE = re.compile(r"[ \t\r\n]*")
LINE_BREAK = re.compile(r"[\r\n]")
BLANK = re.compile(r"[ \t]*")
COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"')
PLAIN = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
SURROGATE = re.compile("[\ud800-\udfff]")
MAX_DEPTH = 100


class MalformedJsonError(ValueError):
    """The text is not valid JSON with comments; says what was expected and where."""

    def __init__(self, expected: str, text: str, at: int) -> None:
        self.line = text.count("\n", 0, at) + 1
        self.column = at - (text.rfind("\n", 0, at) + 1) + 1
        self.expected = expected
        super().__init__(f"line {self.line}, column {self.column}: expected {expected}")


@dataclass
class Node:
    """A value and its position; `items` are the members of an object or array."""

    start: int
    end: int
    value: Any
    opens: str = ""
    """`{`, `[`, or empty for a scalar."""
    items: list[Item] = field(default_factory=list)


@dataclass
class Item:
    """A member of an object or array: its start (the key), value, and following comma, if any."""

    key: Optional[str]
    start: int
    node: Node
    comma: Optional[int] = None


def parse(text: str, empty: Any = None) -> Any:
    """Parse a text. Like VS Code, treats a text without a value as `empty`, or an empty object. The
    last of duplicate keys wins. Raises `MalformedJsonError`.
    """
    root = _parse_tree(text)
    if root is None:
        return {} if empty is None else empty
    return root.value


def edit(text: str, path: Sequence[PathStep], value: Any) -> str:
    """Return the text with a value set at a path, creating missing objects on the way. An index one
    past the end of an array appends. Raises `MalformedJsonError`, or `TypeError` if a parent has
    the wrong type.
    """
    root = _parse_tree(text)
    if root is None:
        rendered = _wrap_in_objects(path, value)
        line_end = _line_end(text)
        prefix = text if not text.strip("\ufeff") or text.endswith("\n") else text + line_end
        return prefix + _render(rendered, "    ", "", line_end) + line_end
    node = root
    for depth, step in enumerate(path):
        item = _item(node, step)
        if item is None:
            return _insert(text, root, node, step, _wrap_in_objects(path[depth + 1 :], value))
        node = item.node
    if _same_json(node.value, value):
        return text
    indent = _indent_at(text, node.start)
    rendered = _render(value, _indent_unit(text, root), indent, _line_end(text))
    return text[: node.start] + rendered + text[node.end :]


def merge(text: str, path: Sequence[PathStep], value: Any) -> str:
    """Like `edit`, but merges an object into an existing one recursively."""
    existing = parse(text)
    for step in path:
        existing = (
            existing.get(step) if isinstance(existing, dict) and isinstance(step, str) else None
        )
    if not isinstance(value, dict) or not isinstance(existing, dict):
        return edit(text, path, value)
    for key, item in value.items():
        text = merge(text, [*path, key], item)
    return text


def remove(text: str, path: Sequence[PathStep]) -> str:
    """Return the text without the value at a path and its comma. Comments stay. Nothing changes if
    the path does not exist.
    """
    while True:
        node = _parse_tree(text)
        for step in path[:-1]:
            item = _item(node, step) if node else None
            node = item.node if item else None
        match = _item(node, path[-1]) if node and path else None
        if node is None or match is None:
            return text
        text = _remove_item(text, node, match)
        if match.key is None:
            return text


def _parse_tree(text: str) -> Optional[Node]:
    at = _skip(text, 1 if text.startswith("\ufeff") else 0)
    if at == len(text):
        return None
    root = _parse_value(text, at, 0)
    end = _skip(text, root.end)
    if end != len(text):
        raise MalformedJsonError("the end of the file", text, end)
    return root


def _skip(text: str, at: int) -> int:
    """Position after white space and comments."""
    while True:
        at = _skip_pattern(SPACE, text, at)
        comment = COMMENT.match(text, at)
        if comment is None:
            if text.startswith("/*", at):
                raise MalformedJsonError("*/ somewhere after this /*", text, at)
            return at
        at = comment.end()


def _skip_pattern(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _parse_value(text: str, at: int, depth: int) -> Node:
    if depth > MAX_DEPTH:
        raise MalformedJsonError(f"nesting of at most {MAX_DEPTH} levels", text, at)
    opens = text[at : at + 1]
    if opens in ("{", "["):
        return _parse_compound(text, at, opens, depth)
    match = (STRING if opens == '"' else PLAIN).match(text, at)
    if match is None:
        raise MalformedJsonError("a string that ends" if opens == '"' else "a value", text, at)
    return Node(at, match.end(), json.loads(match.group()))


def _parse_compound(text: str, start: int, opens: str, depth: int) -> Node:
    items: list[Item] = []
    closes = "}" if opens == "{" else "]"
    at = _skip(text, start + 1)
    while text[at : at + 1] != closes:
        if items and items[-1].comma is None:
            raise MalformedJsonError(f", or {closes}", text, at)
        first, key = at, None
        if opens == "{":
            name = STRING.match(text, at)
            if name is None:
                raise MalformedJsonError(f'a key in "" or {closes}', text, at)
            key, at = json.loads(name.group()), _skip(text, name.end())
            if text[at : at + 1] != ":":
                raise MalformedJsonError(":", text, at)
            at = _skip(text, at + 1)
        node = _parse_value(text, at, depth + 1)
        at = _skip(text, node.end)
        comma = at if text[at : at + 1] == "," else None
        items.append(Item(key, first, node, comma))
        at = at if comma is None else _skip(text, at + 1)
    if opens == "{":
        value: Any = {item.key: item.node.value for item in items}
    else:
        value = [item.node.value for item in items]
    return Node(start, at + 1, value, opens, items)


def _item(node: Node, step: PathStep) -> Optional[Item]:
    """The member at a step; None if it does not exist but could be added."""
    if isinstance(step, str) and node.opens == "{":
        return next((item for item in reversed(node.items) if item.key == step), None)
    if isinstance(step, int) and node.opens == "[":
        if not 0 <= step <= len(node.items):
            raise TypeError(f"there are {len(node.items)} items, not {step + 1}")
        return node.items[step] if step < len(node.items) else None
    kind = "an object" if isinstance(step, str) else "an array"
    raise TypeError(f"the parent of {step!r} is not {kind}: {json.dumps(node.value)[:80]}")


def _same_json(left: Any, right: Any) -> bool:
    """Whether both are equal as JSON text: 1 differs from true, and the order of keys matters."""
    return json.dumps(left) == json.dumps(right)


def _wrap_in_objects(path: Sequence[PathStep], value: Any) -> Any:
    """Wrap a value in new objects and arrays along a path."""
    for step in reversed(path):
        value = {step: value} if isinstance(step, str) else [value]
    return value


def _insert(text: str, root: Node, node: Node, step: PathStep, value: Any) -> str:
    """Return the text with a member appended to an object or array."""
    unit, line_end = _indent_unit(text, root), _line_end(text)
    base = _indent_at(text, node.start)
    last = node.items[-1] if node.items else None
    item_end = node.start + 1 if last is None else last.node.end
    after = item_end if last is None or last.comma is None else last.comma + 1
    at = _after_comments(text, after, node.end - 1)
    inline = last is not None and not LINE_BREAK.search(text[node.start : node.end])
    indent = base + unit
    if last is not None and _is_first_on_line(text, last.start):
        indent = _indent_at(text, last.start)
    key = "" if isinstance(step, int) else _render(step, None, "", "") + ": "
    rendered = key + _render(value, None if inline else unit, indent, line_end)
    separator = " " if inline else line_end + indent
    trailing_comma = "," if last is not None and last.comma is not None else ""
    comma = "," if last is not None and last.comma is None else ""
    rest = text[at:]
    if not inline and not LINE_BREAK.search(text[at : node.end - 1]):
        rest = line_end + base + text[node.end - 1 :]
    return (
        text[:item_end] + comma + text[item_end:at] + separator + rendered + trailing_comma + rest
    )


def _after_comments(text: str, at: int, end: int) -> int:
    """Position after the comments that begin on this line, which belong to the preceding member;
    unchanged if nothing but white space follows.
    """
    if not text[at:end].strip():
        return at
    last = at
    cursor = at
    while True:
        cursor = _skip_pattern(BLANK, text, cursor)
        comment = COMMENT.match(text, cursor)
        if comment is None or comment.end() > end:
            return last
        last = cursor = comment.end()


def _remove_item(text: str, node: Node, item: Item) -> str:
    """Return the text without a member."""
    index = node.items.index(item)
    cuts = [(item.start, item.node.end)]
    if item.comma is not None:
        cuts.append((item.comma, item.comma + 1))
        if not text[item.node.end : item.comma].strip():
            cuts = [(item.start, item.comma + 1)]
    start, end = cuts[0]
    after = _skip_pattern(BLANK, text, end)
    line = text[after : after + 2]
    if _is_first_on_line(text, start) and (line[:1] == "\n" or line == "\r\n"):
        start -= len(_indent_at(text, start))
        end = after + (2 if line == "\r\n" else 1)
    elif text[after : after + 1] not in ("", "/", "\r", "\n"):
        end = after
    cuts[0] = (start, end)
    before = node.items[index - 1].comma if index else None
    if before is not None and item.comma is None:
        cuts.append((before, before + 1))
    for start, end in sorted(cuts, reverse=True):
        text = text[:start] + text[end:]
    return text


def _is_first_on_line(text: str, at: int) -> bool:
    """Whether only white space precedes a position on its line."""
    return not text[text.rfind("\n", 0, at) + 1 : at].strip()


def _indent_at(text: str, at: int) -> str:
    """The indentation of the line that contains a position."""
    start = text.rfind("\n", 0, at) + 1
    return text[start : _skip_pattern(BLANK, text, start)]


def _indent_unit(text: str, root: Node) -> str:
    """The file's indentation per level; VS Code's four spaces if there is none to copy."""
    for item in root.items:
        if _is_first_on_line(text, item.start) and (indent := _indent_at(text, item.start)):
            return indent
    return "    "


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _render(value: Any, unit: Optional[str], indent: str, line_end: str) -> str:
    """Format a value as JSON with its further lines indented; on one line if `unit` is None."""
    text = json.dumps(value, indent=unit, ensure_ascii=False, allow_nan=False)
    text = SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
    return text.replace("\n", line_end + indent)
