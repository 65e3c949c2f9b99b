"""Evaluators of JSON, also with the comments of VS Code, and of values as `gsettings get` prints.

For plain text, see `files.text_equals` and `files.text_contains`.
"""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Annotated

from pydantic import Field, JsonValue

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.bounded import BoundsError, parse_expression, parse_json
from ambidex.evaluators.evidence import MIB, read_text
from ambidex.evaluators.registry import EvidenceName, evaluator
from ambidex.evaluators.values import Value, shown, unequal, verdict


@evaluator
def json_fields_equal(
    evidence: Path,
    *,
    file: EvidenceName,
    fields: Annotated[dict[str, Value], Field(min_length=1)],
    tolerance: float = 1e-9,
) -> Score:
    """The JSON has these values; a field is a path of keys and indices, such as "data.0.id"."""
    try:
        document: object = parse_json(read_text(evidence, file, MIB), finite=False)
    except BoundsError as error:
        raise UnreadableError(f"{file}: {error}") from error
    wrong = [
        f"{path} {reason}"
        for path, expected in fields.items()
        if (reason := unequal(expected, json_field(document, path), tolerance))
    ]
    return verdict(wrong, f"{file}: all {len(fields)} fields are as expected")


@evaluator
def json_equals(
    evidence: Path, *, file: EvidenceName, one_of: Annotated[list[JsonValue], Field(min_length=1)]
) -> Score:
    """The JSON is exactly one of these values; the order of keys does not count.

    Comments and trailing commas are allowed, as in the settings of VS Code.
    """
    try:
        document: object = parse_json(without_comments(read_text(evidence, file, MIB)))
    except BoundsError as error:
        raise UnreadableError(f"{file}: {error}") from error
    same = any(_canonical(document) == _canonical(value) for value in one_of)
    wrong = [] if same else [f"{file} is {shown(document)}, not {shown(one_of[0])}"]
    return verdict(wrong, f"{file} is as expected")


COMMENT_OR_TEXT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\r\n]*|/\*.*?\*/', re.DOTALL)
TRAILING_COMMA = re.compile(r'("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)


def without_comments(text: str) -> str:
    """JSON without the comments and trailing commas that VS Code allows; texts are not touched."""
    plain = COMMENT_OR_TEXT.sub(lambda match: match[1] or " ", text)
    return TRAILING_COMMA.sub(lambda match: match[1] or "", plain)


def _canonical(value: object) -> str:
    """A text that is the same for equal JSON values only: 1 is not true."""
    return json.dumps(value, sort_keys=True)


@evaluator
def setting_equals(
    evidence: Path, *, file: EvidenceName, value: Value | list[Value], tolerance: float = 1e-9
) -> Score:
    """`gsettings get` printed this value (GVariant text); types count: 'true' is not true."""
    actual = _variant(read_text(evidence, file, MIB).strip(), file)
    if isinstance(value, list):
        wrong = [] if actual == value else [f"the setting is {shown(actual)}, not {shown(value)}"]
    else:
        reason = unequal(value, actual, tolerance)
        wrong = [f"the setting {reason}"] if reason else []
    return verdict(wrong, f"the setting is {shown(value)}")


def json_field(document: object, path: str) -> object:
    """The value at a dotted path, or None."""
    for key in path.split("."):
        if isinstance(document, list) and key.isdigit() and int(key) < len(document):
            document = document[int(key)]
        elif isinstance(document, dict):
            document = document.get(key)
        else:
            return None
    return document


TYPE_PREFIX = re.compile(r"^(byte|u?int(16|32|64)|double|@\S+)\s+")


def _variant(text: str, file: str) -> object:
    """Parse the part of GVariant's text format that it shares with Python, plus type prefixes."""
    if len(text) > 10_000:
        raise UnreadableError(f"{file} is too long for a setting")
    try:
        return _literal(parse_expression(TYPE_PREFIX.sub("", text)))
    except (ValueError, RecursionError) as error:
        raise UnreadableError(
            f"{file} does not contain the value of a setting: {shown(text)}"
        ) from error


def _literal(node: ast.expr) -> object:
    match node:
        case ast.Name(id="true" | "false" as word):
            return word == "true"
        case ast.Constant(value=str() | int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_literal(item) for item in items]
        case _:
            raise ValueError(f"not a value of a setting: {ast.dump(node)[:80]}")
