"""JSON with comments and trailing commas, as VS Code keeps its settings: read, and changed in
place, so that comments, order and layout of everything else stay as somebody wrote them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Optional, TypeAlias, Union

__all__ = ["MalformedJsonError", "edit", "merge", "parse", "remove"]

Step: TypeAlias = Union[str, int]  # noqa: UP007
"""A key of an object, or a place in an array."""

SPACE = re.compile(r"[ \t\r\n]*")
LINE_BREAK = re.compile(r"[\r\n]")
BLANK = re.compile(r"[ \t]*")
COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"')
PLAIN = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
SURROGATE = re.compile("[\ud800-\udfff]")
DEEPEST = 100


class MalformedJsonError(ValueError):
    """The text is no such JSON; says what was expected and where."""

    def __init__(self, expected: str, text: str, at: int) -> None:
        self.line = text.count("\n", 0, at) + 1
        self.column = at - (text.rfind("\n", 0, at) + 1) + 1
        self.expected = expected
        super().__init__(f"line {self.line}, column {self.column}: {expected} is expected")


@dataclass
class Node:
    """A value and where it stands; `items` are the parts of an object or array."""

    start: int
    end: int
    value: Any
    opens: str = ""
    """`{` or `[`, or nothing."""
    items: list[Item] = field(default_factory=list)


@dataclass
class Item:
    """A part of an object or array: from the key on, and the comma behind it, if there is one."""

    key: Optional[str]
    start: int
    node: Node
    comma: Optional[int] = None


def parse(text: str, empty: Any = None) -> Any:
    """The value; `empty`, or an empty object, if there is nothing but comments, as VS Code takes
    it. Of a key that is there twice the last one counts. Raises `MalformedJsonError`.
    """
    root = _tree(text)
    if root is None:
        return {} if empty is None else empty
    return root.value


def edit(text: str, path: Sequence[Step], value: Any) -> str:
    """The text with that value at that path; objects on the way are made. A number one past the end
    of an array adds to it. Raises `MalformedJsonError`, or `TypeError` if something on the way is
    neither object nor array.
    """
    root = _tree(text)
    if root is None:
        made = _fresh(path, value)
        line_end = _line_end(text)
        before = text if not text.strip("\ufeff") or text.endswith("\n") else text + line_end
        return before + _rendered(made, "    ", "", line_end) + line_end
    node = root
    for depth, step in enumerate(path):
        item = _item(node, step)
        if item is None:
            return _inserted(text, root, node, step, _fresh(path[depth + 1 :], value))
        node = item.node
    if _same(node.value, value):
        return text
    indent = _indent_at(text, node.start)
    made = _rendered(value, _unit(text, root), indent, _line_end(text))
    return text[: node.start] + made + text[node.end :]


def merge(text: str, path: Sequence[Step], value: Any) -> str:
    """As `edit`, but an object goes into the one that is there, key by key, as deep as both are
    objects.
    """
    there = parse(text)
    for step in path:
        there = there.get(step) if isinstance(there, dict) and isinstance(step, str) else None
    if not isinstance(value, dict) or not isinstance(there, dict):
        return edit(text, path, value)
    for key, each in value.items():
        text = merge(text, [*path, key], each)
    return text


def remove(text: str, path: Sequence[Step]) -> str:
    """The text without what is at that path, and without the comma that it no longer needs.
    Comments stay. What is not there needs no removing.
    """
    while True:
        node = _tree(text)
        for step in path[:-1]:
            item = _item(node, step) if node else None
            node = item.node if item else None
        found = _item(node, path[-1]) if node and path else None
        if node is None or found is None:
            return text
        text = _without(text, node, found)
        if found.key is None:
            return text


def _tree(text: str) -> Optional[Node]:
    at = _skip(text, 1 if text.startswith("\ufeff") else 0)
    if at == len(text):
        return None
    root = _value(text, at, 0)
    end = _skip(text, root.end)
    if end != len(text):
        raise MalformedJsonError("the end of the file", text, end)
    return root


def _skip(text: str, at: int) -> int:
    """Past space and comments."""
    while True:
        at = _past(SPACE, text, at)
        comment = COMMENT.match(text, at)
        if comment is None:
            if text.startswith("/*", at):
                raise MalformedJsonError("*/ somewhere after this /*", text, at)
            return at
        at = comment.end()


def _past(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int, depth: int) -> Node:
    if depth > DEEPEST:
        raise MalformedJsonError(f"nesting of at most {DEEPEST} levels", text, at)
    opens = text[at : at + 1]
    if opens in ("{", "["):
        return _compound(text, at, opens, depth)
    found = (STRING if opens == '"' else PLAIN).match(text, at)
    if found is None:
        raise MalformedJsonError("a string that ends" if opens == '"' else "a value", text, at)
    return Node(at, found.end(), json.loads(found.group()))


def _compound(text: str, start: int, opens: str, depth: int) -> Node:
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
        node = _value(text, at, depth + 1)
        at = _skip(text, node.end)
        comma = at if text[at : at + 1] == "," else None
        items.append(Item(key, first, node, comma))
        at = at if comma is None else _skip(text, at + 1)
    if opens == "{":
        value: Any = {each.key: each.node.value for each in items}
    else:
        value = [each.node.value for each in items]
    return Node(start, at + 1, value, opens, items)


def _item(node: Node, step: Step) -> Optional[Item]:
    """What is at that step; None if it can be added there."""
    if isinstance(step, str) and node.opens == "{":
        return next((each for each in reversed(node.items) if each.key == step), None)
    if isinstance(step, int) and node.opens == "[":
        if not 0 <= step <= len(node.items):
            raise TypeError(f"there are {len(node.items)} items, not {step + 1}")
        return node.items[step] if step < len(node.items) else None
    kind = "an object" if isinstance(step, str) else "an array"
    raise TypeError(f"what should hold {step!r} is not {kind}: {json.dumps(node.value)[:80]}")


def _same(one: Any, other: Any) -> bool:
    """Whether both are the same JSON: 1 is not true, nor are keys in another order the same."""
    return json.dumps(one) == json.dumps(other)


def _fresh(path: Sequence[Step], value: Any) -> Any:
    """The value inside new objects along the path."""
    for step in reversed(path):
        value = {step: value} if isinstance(step, str) else [value]
    return value


def _inserted(text: str, root: Node, node: Node, step: Step, value: Any) -> str:
    """The text with one more item at the end of that object or array."""
    unit, line_end = _unit(text, root), _line_end(text)
    base = _indent_at(text, node.start)
    last = node.items[-1] if node.items else None
    begins = node.start + 1 if last is None else last.node.end
    after = begins if last is None or last.comma is None else last.comma + 1
    at = _behind_comments(text, after, node.end - 1)
    inline = last is not None and not LINE_BREAK.search(text[node.start : node.end])
    indent = base + unit
    if last is not None and _alone(text, last.start):
        indent = _indent_at(text, last.start)
    key = "" if isinstance(step, int) else _rendered(step, None, "", "") + ": "
    made = key + _rendered(value, None if inline else unit, indent, line_end)
    between = " " if inline else line_end + indent
    trails = "," if last is not None and last.comma is not None else ""
    comma = "," if last is not None and last.comma is None else ""
    rest = text[at:]
    if not inline and not LINE_BREAK.search(text[at : node.end - 1]):
        rest = line_end + base + text[node.end - 1 :]
    return text[:begins] + comma + text[begins:at] + between + made + trails + rest


def _behind_comments(text: str, at: int, end: int) -> int:
    """Past the comments that begin on this line, which belong to what stands before them; past all
    of them if only comments are left.
    """
    if not text[at:end].strip():
        return at
    last = at
    rest = at
    while True:
        rest = _past(BLANK, text, rest)
        comment = COMMENT.match(text, rest)
        if comment is None or comment.end() > end:
            return last
        last = rest = comment.end()


def _without(text: str, node: Node, item: Item) -> str:
    """The text without that item."""
    place = node.items.index(item)
    cuts = [(item.start, item.node.end)]
    if item.comma is not None:
        cuts.append((item.comma, item.comma + 1))
        if not text[item.node.end : item.comma].strip():
            cuts = [(item.start, item.comma + 1)]
    start, end = cuts[0]
    after = _past(BLANK, text, end)
    line = text[after : after + 2]
    if _alone(text, start) and (line[:1] == "\n" or line == "\r\n"):
        start -= len(_indent_at(text, start))
        end = after + (2 if line == "\r\n" else 1)
    elif text[after : after + 1] not in ("", "/", "\r", "\n"):
        end = after
    cuts[0] = (start, end)
    before = node.items[place - 1].comma if place else None
    if before is not None and item.comma is None:
        cuts.append((before, before + 1))
    for start, end in sorted(cuts, reverse=True):
        text = text[:start] + text[end:]
    return text


def _alone(text: str, at: int) -> bool:
    """Whether nothing stands before it on its line."""
    return not text[text.rfind("\n", 0, at) + 1 : at].strip()


def _indent_at(text: str, at: int) -> str:
    """The space at the beginning of the line of that place."""
    start = text.rfind("\n", 0, at) + 1
    return text[start : _past(BLANK, text, start)]


def _unit(text: str, root: Node) -> str:
    """How the file indents one level; VS Code's own four spaces if it does not show."""
    for each in root.items:
        if _alone(text, each.start) and (indent := _indent_at(text, each.start)):
            return indent
    return "    "


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _rendered(value: Any, unit: Optional[str], indent: str, line_end: str) -> str:
    """The value as JSON, its further lines indented; on one line without `unit`."""
    made = json.dumps(value, indent=unit, ensure_ascii=False, allow_nan=False)
    made = SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", made)
    return made.replace("\n", line_end + indent)
