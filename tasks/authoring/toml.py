"""Writing of `instances.toml`, readable enough to be reviewed."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["toml_text"]

HEADER = "# Written by make.py: change that, then run `python -m ambidex.tasks.authoring TASK`.\n"
WIDTH = 100


def toml_text(tables: Sequence[Mapping[str, Any]]) -> str:
    """The text of an `instances.toml` with these tables. `ValueError` for a value that TOML cannot
    hold."""
    parts = [HEADER]
    for table in tables:
        lines = [f"{name} = {_value(value)}" for name, value in table.items()]
        parts.append("\n".join(["[[instance]]", *lines]) + "\n")
    return "\n".join(parts)


def _value(value: Any) -> str:
    text = _inline(value)
    if len(text) <= WIDTH or not isinstance(value, list | tuple):
        return text
    return "[\n" + "".join(f"    {_inline(item)},\n" for item in value) + "]"


def _inline(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | datetime.date():
            return str(value) if isinstance(value, int) else value.isoformat()
        case float() if math.isfinite(value):
            return repr(value)
        case str():
            # TOML's basic strings have all escapes of JSON that occur here.
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case list() | tuple():
            return f"[{', '.join(map(_inline, value))}]"
        case Mapping():
            items = [f"{_key(name)} = {_inline(item)}" for name, item in value.items()]
            return f"{{ {', '.join(items)} }}" if items else "{}"
    raise ValueError(f"not a value of TOML: {value!r}")


def _key(name: str) -> str:
    plain = name.isascii() and name.replace("_", "a").replace("-", "a").isalnum()
    return name if plain else _inline(name)
