"""The gate: the rules that every tool in mcp_tools/ follows, checked without running the file.

The gate reads the file's syntax tree and never imports it. The additional rules for drafts are in
`toolgen.stages.check`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

from ambidex.evaluators.bounded import BoundsError, parse_python
from ambidex.tasks import ToolSpec
from ambidex.toolgen import Finding
from ambidex.toolgen.gate import glyphs, reach, schema, similarity, toplevel
from ambidex.toolgen.gate.tools_text import tools_declared

__all__ = ["GUEST_PYTHON", "gate", "gate_text"]

GUEST_PYTHON = (3, 10)


def gate(file: Path, catalogue: Sequence[ToolSpec]) -> list[Finding]:
    """All findings on a tool file, by line. The file passes if none of them is `refused`."""
    return gate_text(file.read_text(encoding="utf-8"), catalogue, str(file))


def gate_text(text: str, catalogue: Sequence[ToolSpec], file: str = "tool.py") -> list[Finding]:
    """All findings on the text of a tool file, by line."""
    findings = list(glyphs.check_characters(text))
    if any(finding.rule == "size" for finding in findings):
        return findings
    try:
        tree = parse_python(text, file, feature_version=GUEST_PYTHON)
    except BoundsError as error:
        reason = error.__cause__ or error
        line = getattr(reason, "lineno", None) or 1
        message = f"the guest's Python cannot parse it: {getattr(reason, 'msg', reason)}"
        return [*findings, Finding(line, "parses", message)]
    try:
        return sorted(
            [*findings, *_apply_rules(tree, catalogue)],
            key=lambda finding: (finding.line, finding.rule),
        )
    except RecursionError:
        return [*findings, Finding(1, "deep", "nested too deeply to be checked")]


def _apply_rules(tree: ast.Module, catalogue: Sequence[ToolSpec]) -> list[Finding]:
    tools = list(tools_declared(tree))
    findings: list[Finding] = []
    if not tools:
        findings.append(Finding(1, "declares", "no function is decorated with `@<app>.tool(...)`"))
    for rule in (*toplevel.RULES, *reach.RULES):
        findings += rule(tree)
    for app, tool in tools:
        findings += schema.check_declaration(tool)
        findings += similarity.similar_tools(app, tool, catalogue)
    return findings
