"""API descriptions as data: JSON or YAML, and the references within them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

import yaml

from ambidex.host.errors import UsageError
from ambidex.host.toolsets.archives import SourceFile

__all__ = ["Document", "UnresolvedError", "brief", "mapping", "read_document"]

LONGEST_CHAIN = 32
"""Maximum references that a reference leads through."""


class UnresolvedError(Exception):
    """A reference has no target in its file."""


class Document:
    """An API description in which references are looked up."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root

    def target(self, reference: str) -> Any:
        """What a reference such as `#/components/schemas/Pet` names. `UnresolvedError` if nothing
        in this file."""
        if not reference.startswith("#"):
            raise UnresolvedError(f"{reference} leads out of the file")
        node: Any = self.root
        for part in reference[1:].split("/")[1:]:
            key = unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(node, list) and key.isdecimal() and int(key) < len(node):
                node = node[int(key)]
            elif isinstance(node, Mapping) and key in node:
                node = node[key]
            else:
                raise UnresolvedError(f"{reference} has no target in the file")
        return node

    def resolved(self, node: Any) -> Mapping[str, Any]:
        """A node, or what its `$ref` leads to; empty if that is no object."""
        for _ in range(LONGEST_CHAIN):
            if not isinstance(node, Mapping):
                return {}
            if not isinstance(node.get("$ref"), str):
                return node
            node = self.target(node["$ref"])
        raise UnresolvedError("references lead in a circle")


class _Loader(yaml.CSafeLoader):
    """YAML with JSON's types alone: dates and the words yes, no, on and off are text."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """A mapping with text as keys."""
        content = super().construct_mapping(node, deep)
        return {
            key if isinstance(key, str) else json.dumps(key): value
            for key, value in content.items()
        }


TAG = "tag:yaml.org,2002:"
_Loader.yaml_constructors = {
    tag: construct
    for tag, construct in yaml.CSafeLoader.yaml_constructors.items()
    if tag is None or tag.removeprefix(TAG) in ("null", "bool", "int", "float", "str", "seq", "map")
}
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag in (f"{TAG}null", f"{TAG}merge")]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}
for _kind, _pattern, _first in (
    ("bool", r"^(true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("int", r"^[-+]?(0|[1-9][0-9]*)$", "-+0123456789"),
    (
        "float",
        r"^[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))([eE][-+]?[0-9]+)?$",
        "-+.0123456789",
    ),
):
    _Loader.add_implicit_resolver(f"{TAG}{_kind}", re.compile(_pattern), list(_first))


def read_document(file: SourceFile) -> Document:
    """Read a file, JSON or YAML. `UsageError` if it is neither."""
    try:
        if file.content.lstrip()[:1] == b"{":
            root = json.loads(file.content, parse_constant=lambda name: None)
        else:
            root = yaml.load(file.content, _Loader)
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        raise UsageError(f"{file.source} is neither JSON nor YAML: {error}") from None
    if not isinstance(root, dict):
        raise UsageError(f"{file.source} is not an API description: it is no object")
    return Document(root)


def mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one: descriptions in the wild have errors."""
    return value if isinstance(value, Mapping) else {}


def brief(text: Any, longest: int) -> str:
    """A text cut at the end of a word."""
    if not isinstance(text, str):
        return ""
    whole = text.strip()
    if len(whole) <= longest:
        return whole
    start = whole[: longest - 1].rsplit(None, 1)[0]
    return start.rstrip(" ,;:") + "…"
