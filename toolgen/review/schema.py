"""The schema that a model is told of a draft, read from its text by the catalogue's own reader in
another process. The draft is not run."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ambidex.host import ROOT
from ambidex.toolgen.review.signature import Argument

__all__ = ["told_arguments"]

MODULE = "draft_under_review"
LONGEST = 30.0
"""Seconds."""
BOUNDS = (
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength",
    "minItems", "maxItems", "pattern",
)  # fmt: skip


@lru_cache(maxsize=100)
def told_arguments(text: str, app: str, tool: str) -> tuple[Argument, ...] | None:
    """The arguments of a draft's tool as in its JSON schema; None if it cannot be read."""
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch)
        for path in (ROOT / "mcp_tools").iterdir():
            if path.name != app:
                (tree / path.name).symlink_to(path)
        (tree / app).mkdir()
        own = ROOT / "mcp_tools" / app
        for path in own.iterdir() if own.is_dir() else ():
            (tree / app / path.name).symlink_to(path)
        (tree / app / f"{MODULE}.py").write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "ambidex.mcp_tools.declarations", str(tree)]
        try:
            done = subprocess.run(
                [*command, f"{app}.{MODULE}"], capture_output=True, timeout=LONGEST, check=True
            )
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            return None
    schemas = (item["parameters"] for item in json.loads(done.stdout) if item["name"] == tool)
    return next(map(_arguments_in, schemas), None)


def _arguments_in(schema: Mapping[str, Any]) -> tuple[Argument, ...]:
    """The properties of an object's schema."""
    kinds = schema.get("$defs", {})
    required = schema.get("required", ())
    return tuple(
        Argument(
            name=name,
            type=_type(about, kinds),
            default="" if name in required else json.dumps(about.get("default")),
            description=_described(about, kinds),
        )
        for name, about in schema.get("properties", {}).items()
    )


def _resolved(about: Mapping[str, Any], kinds: Mapping[str, Any]) -> Mapping[str, Any]:
    return kinds[about["$ref"].rpartition("/")[2]] | about if "$ref" in about else about


def _type(about: Mapping[str, Any], kinds: Mapping[str, Any]) -> str:
    """A type as in JSON schema, in one line: `integer (minimum 1)`."""
    about = _resolved(about, kinds)
    if options := about.get("anyOf") or about.get("oneOf"):
        return " or ".join(dict.fromkeys(_type(option, kinds) for option in options))
    if "enum" in about:
        return " or ".join(map(json.dumps, about["enum"]))
    if "const" in about:
        return json.dumps(about["const"])
    name = str(about.get("type", "any"))
    if name == "array":
        name = f"array of {_type(about.get('items', {}), kinds)}"
    bounds = ", ".join(f"{key} {about[key]}" for key in BOUNDS if key in about)
    return f"{name} ({bounds})" if bounds else name


def _described(about: Mapping[str, Any], kinds: Mapping[str, Any]) -> str:
    """The description of an argument, or those of its alternatives."""
    about = _resolved(about, kinds)
    if text := about.get("description"):
        return str(text)
    options = about.get("anyOf") or about.get("oneOf") or ()
    return " ".join(filter(None, (_described(option, kinds) for option in options)))
