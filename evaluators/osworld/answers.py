"""Typed access to getter values: texts, lists, objects, URLs, JSON and XML.

Each function raises `UnreadableError` if the value has another type.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lxml import etree

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.bounded import parse_json
from ambidex.evaluators.evidence import MIB
from ambidex.evaluators.osworld import Value

__all__ = [
    "entries",
    "fields",
    "is_there",
    "json_of",
    "text_of",
    "tree",
    "url_of",
]

LARGEST_TREE = 32 * MIB


def is_there(value: Value) -> bool:
    """Whether the value is a collected file that exists."""
    return isinstance(value, Path) and value.is_file()


def text_of(value: Value, longest: int = 8 * MIB) -> str:
    """A text, such as the output of a command."""
    if not isinstance(value, str):
        raise UnreadableError(f"expected a text, not a {type(value).__name__}")
    if len(value) > longest:
        raise UnreadableError(f"a text of {len(value)} characters is too long to judge")
    return value


def url_of(value: Value) -> str:
    """The URL of a page, which is either the value itself or its key `url`."""
    url = value.get("url") if isinstance(value, dict) else value
    if not isinstance(url, str) or not url:
        raise UnreadableError("the URL of a page is missing")
    return url


def entries(value: Value) -> list[Any]:
    """The value as a list."""
    if not isinstance(value, list):
        raise UnreadableError(f"expected a list, not a {type(value).__name__}")
    return value


def fields(value: Value) -> Mapping[str, Any]:
    """The value as an object with keys."""
    if not isinstance(value, dict):
        raise UnreadableError(f"expected an object with keys, not a {type(value).__name__}")
    return value


def json_of(source: str, what: str) -> Any:
    """Parse a JSON text; `what` names it in the error message."""
    try:
        return parse_json(source, finite=False)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"{what} is not JSON: {error}") from error


def tree(source: str | bytes, what: str) -> etree._Element:
    """Parse XML that declares no document type, and return its root; `what` names it in
    messages."""
    if len(source) > LARGEST_TREE:
        raise UnreadableError(f"{what} is larger than {LARGEST_TREE} bytes")
    encoded = source.encode("utf-8", "replace") if isinstance(source, str) else source
    # Text is already decoded, so the encoding that its XML declaration names no longer applies.
    encoding = "utf-8" if isinstance(source, str) else None
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, encoding=encoding
    )
    try:
        root = etree.fromstring(encoded, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise UnreadableError(f"{what} is not XML: {error}") from error
    if root.getroottree().docinfo.doctype:
        raise UnreadableError(f"{what} declares a document type")
    return root
