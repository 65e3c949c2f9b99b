"""Parsing and editing VLC's settings file, which has lines of name=value under [section] headings.

Lines that start with # are comments; VLC writes settings with default values as comments
(#volume-step=12.8). If a name is set twice, the last value counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional

from ambidex.mcp_tools import ToolError

__all__ = [
    "KnownSetting",
    "Range",
    "parse_defaults",
    "parse_ranges",
    "parse_values",
    "to_value",
    "with_setting",
]

ASSIGNMENT = re.compile(r"([A-Za-z0-9][A-Za-z0-9_.-]*)=(.*)")
SECTION = re.compile(r"\ufeff?\[([^\]]+)\]")
DESCRIPTION = re.compile(r"# (.*) \((boolean|integer|float|string)\)")
LINE = re.compile(r"[^\n]*\n|[^\n]+")
HELP_LINE = re.compile(r"^ +--([a-z0-9-]+) <(?:integer|float) \[(\S+) \.\. (\S+)\]>", re.M)
TRUE = frozenset({"1", "true", "yes", "on", "enabled"})
FALSE = frozenset({"0", "false", "no", "off", "disabled"})

Range = tuple[float, float]


@dataclass(frozen=True)
class KnownSetting:
    """A setting that VLC knows, with its default."""

    name: str
    section: str
    about: str
    kind: str
    default: str


def parse_defaults(defaults: str) -> dict[str, KnownSetting]:
    """Parse a file of defaults written by VLC into all known settings, by name."""
    settings: dict[str, KnownSetting] = {}
    section, about, kind = "", "", ""
    for line in defaults.split("\n"):
        if heading := SECTION.match(line):
            section = heading[1]
        elif description := DESCRIPTION.fullmatch(line):
            about, kind = description[1], description[2]
        elif kind and (assignment := ASSIGNMENT.fullmatch(line.removeprefix("#"))):
            settings[assignment[1]] = KnownSetting(
                assignment[1], section, about, kind, assignment[2]
            )
            kind = ""
    return settings


def parse_ranges(help_text: str) -> dict[str, Range]:
    """Parse the allowed ranges of numeric settings from VLC's help text."""
    return {name: (float(low), float(high)) for name, low, high in HELP_LINE.findall(help_text)}


def parse_values(text: str) -> dict[str, str]:
    """The settings that a file sets, by name."""
    lines = text.removeprefix("\ufeff").split("\n")
    return {
        assignment[1]: assignment[2] for line in lines if (assignment := ASSIGNMENT.fullmatch(line))
    }


def to_value(setting: KnownSetting, value: str, allowed: Optional[Range]) -> str:
    """Convert a value to VLC's notation; `ToolError` if the setting does not allow it."""
    normalized = value.strip().lower()
    if setting.kind == "boolean":
        if normalized in TRUE | FALSE:
            return "1" if normalized in TRUE else "0"
        raise _bad_value(setting, value, "Allowed: 0 or 1.")
    if setting.kind == "string":
        if "\n" in value or "\r" in value:
            raise _bad_value(setting, value, "Allowed: a single line.")
        return value
    try:
        number = int(normalized) if setting.kind == "integer" else float(normalized)
    except ValueError:
        raise _bad_value(setting, value, f"Allowed: a number ({setting.kind}).") from None
    if allowed and not allowed[0] <= number <= allowed[1]:
        raise _bad_value(setting, value, f"Allowed: {allowed[0]:g} to {allowed[1]:g}.")
    return f"{number}" if setting.kind == "integer" else f"{number:f}"


def _bad_value(setting: KnownSetting, value: str, hint: str) -> ToolError:
    message = f"{setting.name} ({setting.about}) cannot be {value!r}."
    return ToolError(message, code="bad_value", hint=hint)


def with_setting(text: str, setting: KnownSetting, value: str) -> str:
    """Return the text with a setting changed; all other lines stay as they are.

    The setting replaces its existing line, else the comment with its default; otherwise it goes to
    the end of its section.
    """
    lines = LINE.findall(text)
    new = f"{setting.name}={value}\n"
    for start in (f"{setting.name}=", f"#{setting.name}="):
        matches = [
            i for i, line in enumerate(lines) if line.removeprefix("\ufeff").startswith(start)
        ]
        if matches:
            bom = "\ufeff" if lines[matches[0]].startswith("\ufeff") else ""
            lines[matches[0]] = bom + new
            for duplicate in reversed(matches[1:]):
                if not start.startswith("#"):
                    del lines[duplicate]
            return "".join(lines)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    headings = {m[1]: i for i, line in enumerate(lines) if (m := SECTION.match(line))}
    if setting.section not in headings:
        return "".join([*lines, f"[{setting.section}]\n", new])
    first = headings[setting.section] + 1
    end = min((i for i in headings.values() if i >= first), default=len(lines))
    while end > first and not lines[end - 1].strip():
        end -= 1
    lines.insert(end, new)
    return "".join(lines)
