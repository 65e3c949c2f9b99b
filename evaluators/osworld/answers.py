"""What a getter answered, in the form that a metric needs: texts, lists, named values, trees.

Each function takes the value as it came and raises `UnreadableError` where it is another thing.
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
    "said",
    "tree",
    "url_of",
]

LARGEST_TREE = 32 * MIB


def is_there(given: Value) -> bool:
    """Whether a collected file exists."""
    return isinstance(given, Path) and given.is_file()


def said(given: Value, longest: int = 8 * MIB) -> str:
    """A text that a getter gave, such as what a command printed."""
    if not isinstance(given, str):
        raise UnreadableError(f"a text was asked for, and a {type(given).__name__} was given")
    if len(given) > longest:
        raise UnreadableError(f"a text of {len(given)} characters is too long to judge")
    return given


def url_of(given: Value) -> str:
    """The address of a page: given as such, or as `url` among what is known of a tab."""
    found = given.get("url") if isinstance(given, dict) else given
    if not isinstance(found, str) or not found:
        raise UnreadableError("no address of a page was given")
    return found


def entries(given: Value) -> list[Any]:
    """A list."""
    if not isinstance(given, list):
        raise UnreadableError(f"a list was asked for, and a {type(given).__name__} was given")
    return given


def fields(given: Value) -> Mapping[str, Any]:
    """Named values."""
    if not isinstance(given, dict):
        raise UnreadableError(
            f"named values were asked for, and a {type(given).__name__} was given"
        )
    return given


def json_of(source: str, what: str) -> Any:
    """The value of a JSON text."""
    try:
        return parse_json(source, finite=False)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"{what} is not JSON: {error}") from error


def tree(source: str | bytes, what: str) -> etree._Element:
    """The root of an XML document that declares no type and no entity."""
    if len(source) > LARGEST_TREE:
        raise UnreadableError(f"{what} is larger than {LARGEST_TREE} bytes")
    encoded = source.encode("utf-8", "replace") if isinstance(source, str) else source
    # What a getter gave as text has been decoded: what its head says of an encoding is history.
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
