"""Strict reading of what a judge model wrote. A text that is not in the requested form is
`undecided`: it never counts as success."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import StrictBool, ValidationError

from ambidex.evaluators.bounded import BoundsError, parse_json
from ambidex.evaluators.strict import Strict

__all__ = ["PointVerdict", "Status", "read_point", "read_status"]

Status = Literal["success", "failure", "undecided"]

STATUS_LINE = re.compile(
    r"^[\s*_#>-]*status[\s*_]*:[\s*_\"'`]*(success|failure)[\s*_\"'`.]*$",
    re.IGNORECASE | re.MULTILINE,
)
FENCE = re.compile(r"\A```(?:json)?[ \t]*\n(?P<inside>.*)\n```\Z", re.DOTALL)
LONGEST = 200_000
"""Characters of a verdict; a longer one is not read."""


class PointVerdict(Strict):
    """A judge's answer about one key point."""

    met: StrictBool
    quotes: tuple[str, ...] = ()
    """Passages of the tools' output that prove it."""
    reason: str = ""


def read_status(text: str) -> Status:
    """The verdict of the lines `Status: success` or `Status: failure`; `undecided` if there is none
    or if they contradict each other."""
    if len(text) > LONGEST:
        return "undecided"
    found = {word.lower() for word in STATUS_LINE.findall(text)}
    if found == {"success"}:
        return "success"
    return "failure" if found == {"failure"} else "undecided"


def read_point(text: str) -> PointVerdict | None:
    """The verdict in a text that is one JSON object, with or without a code fence around it; None
    for any other text, which is undecided."""
    stripped = text.strip()
    fenced = FENCE.match(stripped)
    try:
        value = parse_json(fenced["inside"] if fenced else stripped, largest=LONGEST)
        return PointVerdict.model_validate(value)
    except (BoundsError, ValidationError):
        return None
