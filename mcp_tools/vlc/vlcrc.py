"""VLC's settings file, as lines of name=value under [section]s: read, looked up, changed.

A line that begins with # is a comment; VLC writes every setting that has its default as one
(#volume-step=12.8). Where a name is set twice, VLC takes the last.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional

from ambidex.mcp_tools import ToolError

__all__ = ["Known", "Range", "changed", "known", "ranges", "value_for", "values"]

SET = re.compile(r"([A-Za-z0-9][A-Za-z0-9_.-]*)=(.*)")
SECTION = re.compile(r"\ufeff?\[([^\]]+)\]")
ABOUT = re.compile(r"# (.*) \((boolean|integer|float|string)\)")
LINE = re.compile(r"[^\n]*\n|[^\n]+")
OFFERED = re.compile(r"^ +--([a-z0-9-]+) <(?:integer|float) \[(\S+) \.\. (\S+)\]>", re.M)
TRUE = frozenset({"1", "true", "yes", "on", "enabled"})
FALSE = frozenset({"0", "false", "no", "off", "disabled"})

Range = tuple[float, float]


@dataclass(frozen=True)
class Known:
    """A setting that VLC has."""

    name: str
    section: str
    about: str
    kind: str
    default: str


def known(defaults: str) -> dict[str, Known]:
    """All settings, from a file of defaults that VLC wrote."""
    found: dict[str, Known] = {}
    section, about, kind = "", "", ""
    for line in defaults.split("\n"):
        if heading := SECTION.match(line):
            section = heading[1]
        elif said := ABOUT.fullmatch(line):
            about, kind = said[1], said[2]
        elif kind and (given := SET.fullmatch(line.removeprefix("#"))):
            found[given[1]] = Known(given[1], section, about, kind, given[2])
            kind = ""
    return found


def ranges(said: str) -> dict[str, Range]:
    """What numbers VLC's own help allows, by setting."""
    return {name: (float(low), float(high)) for name, low, high in OFFERED.findall(said)}


def values(text: str) -> dict[str, str]:
    """What the file sets."""
    lines = text.removeprefix("\ufeff").split("\n")
    return {given[1]: given[2] for line in lines if (given := SET.fullmatch(line))}


def value_for(setting: Known, given: str, allowed: Optional[Range]) -> str:
    """The value as VLC writes it; `ToolError` if this setting cannot have it."""
    wanted = given.strip().lower()
    if setting.kind == "boolean":
        if wanted in TRUE | FALSE:
            return "1" if wanted in TRUE else "0"
        raise _bad(setting, given, "It is 0 or 1.")
    if setting.kind == "string":
        if "\n" in given or "\r" in given:
            raise _bad(setting, given, "It is one line.")
        return given
    try:
        number = int(wanted) if setting.kind == "integer" else float(wanted)
    except ValueError:
        raise _bad(setting, given, f"It is a number ({setting.kind}).") from None
    if allowed and not allowed[0] <= number <= allowed[1]:
        raise _bad(setting, given, f"It goes from {allowed[0]:g} to {allowed[1]:g}.")
    return f"{number}" if setting.kind == "integer" else f"{number:f}"


def _bad(setting: Known, given: str, hint: str) -> ToolError:
    message = f"{setting.name} ({setting.about}) cannot be {given!r}."
    return ToolError(message, code="bad_value", hint=hint)


def changed(text: str, setting: Known, value: str) -> str:
    """The file with this setting set; every other line stays as it is.

    It is set where it was set, else where its default stands as a comment, else at the end of its
    section.
    """
    lines = LINE.findall(text)
    new = f"{setting.name}={value}\n"
    for start in (f"{setting.name}=", f"#{setting.name}="):
        found = [i for i, line in enumerate(lines) if line.removeprefix("\ufeff").startswith(start)]
        if found:
            mark = "\ufeff" if lines[found[0]].startswith("\ufeff") else ""
            lines[found[0]] = mark + new
            for again in reversed(found[1:]):
                if not start.startswith("#"):
                    del lines[again]
            return "".join(lines)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    headings = {m[1]: i for i, line in enumerate(lines) if (m := SECTION.match(line))}
    if setting.section not in headings:
        return "".join([*lines, f"[{setting.section}]\n", new])
    at = headings[setting.section] + 1
    end = min((i for i in headings.values() if i >= at), default=len(lines))
    while end > at and not lines[end - 1].strip():
        end -= 1
    lines.insert(end, new)
    return "".join(lines)
