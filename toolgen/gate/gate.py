"""The gate: what can be said of a drafted tool without running it.

It reads the file's syntax tree and never imports it. The rules are those that the tools in
mcp_tools/ keep themselves, so a draft that passes looks like its neighbours; what is asked of a
draft beyond them is in `toolgen.stages.check`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

from ambidex.tasks import ToolSpec
from ambidex.toolgen import Finding
from ambidex.toolgen.gate import glyphs, reach, schema, similarity, toplevel
from ambidex.toolgen.gate.tools_text import declared

__all__ = ["GUEST_PYTHON", "gate", "gate_text"]

GUEST_PYTHON = (3, 10)


def gate(file: Path, catalogue: Sequence[ToolSpec]) -> list[Finding]:
    """Every finding on a drafted tool file, by line; none that is `refused` means it may go on to
    trial.
    """
    return gate_text(file.read_text(encoding="utf-8"), catalogue, str(file))


def gate_text(text: str, catalogue: Sequence[ToolSpec], file: str = "tool.py") -> list[Finding]:
    """The same of a text."""
    seen = list(glyphs.as_seen(text))
    if any(finding.rule == "size" for finding in seen):
        return seen
    try:
        tree = ast.parse(text, file, feature_version=GUEST_PYTHON)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        said = f"the guest's Python cannot read it: {getattr(error, 'msg', error)}"
        return [*seen, Finding(line, "parses", said)]
    try:
        return sorted(
            [*seen, *_rules(tree, catalogue)], key=lambda finding: (finding.line, finding.rule)
        )
    except RecursionError:
        return [*seen, Finding(1, "deep", "it nests too deep to be read")]


def _rules(tree: ast.Module, catalogue: Sequence[ToolSpec]) -> list[Finding]:
    tools = list(declared(tree))
    found: list[Finding] = []
    if not tools:
        found.append(Finding(1, "declares", "no function is decorated with `@<app>.tool(...)`"))
    for rule in (*toplevel.RULES, *reach.RULES):
        found += rule(tree)
    for app, tool in tools:
        found += schema.described(tool)
        found += similarity.like_another(app, tool, catalogue)
    return found
