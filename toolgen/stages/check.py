"""The gate stage: every check of a draft and its tests that needs only their text."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from ambidex.evaluators.bounded import BoundsError, parse_python
from ambidex.tasks import ToolSpec
from ambidex.toolgen import Candidate, Finding, Outcome
from ambidex.toolgen.gate.gate import GUEST_PYTHON, gate_text
from ambidex.toolgen.gate.leftovers import leftovers
from ambidex.toolgen.gate.lint import TEST_PLACE, TOOL_PLACE, lint, types
from ambidex.toolgen.gate.reach import RULES
from ambidex.toolgen.gate.schema import check_schema
from ambidex.toolgen.gate.similarity import duplicate
from ambidex.toolgen.gate.tools_text import behaviour_of, existing_tools, tools_declared
from ambidex.toolgen.stages.context import StageContext, StageReport, task_of

__all__ = ["check", "check_text", "findings_on"]

LARGEST = 16_000
"""Maximum characters of a draft."""
DESKTOP_LIBRARIES = frozenset(
    {"uno", "unohelper", "com", "gi", "Xlib", "pydantic", "mcp_tools", "cairo"}
)
BACK_DOORS = frozenset((
    "ctypes", "gc", "inspect", "sys", "importlib", "pickle", "marshal", "shelve",
    "multiprocessing", "threading", "signal", "pty", "code", "codeop", "runpy", "atexit",
    "builtins", "_thread", "faulthandler", "resource", "tracemalloc",
))  # fmt: skip
"""Standard-library modules that could bypass the audit hook and that no tool needs."""
BYPASSES = re.compile(
    r"Socket(Client|Connection|Service)|Subprocess|spawn_|connect_to_|NetworkClient|Soup|WebKit"
    r"|SystemShellExecute|SimpleFileAccess|ScriptProvider|load_contents|file_get_contents"
)
"""Names in libraries that act outside Python, and so past the audit hook; no tool needs them."""
TEST_IMPORTS = frozenset(
    {"pytest", "tests.desktop.tool_calls", "tests.desktop.proofs", "ambidex.host.client.guest"}
)
"""What a draft's tests may import besides mcp_tools and the standard library."""


def check(context: StageContext) -> StageReport:
    """Pass the latest draft unless a finding refuses it. Uses no model and no machine."""
    draft = context.folder.latest()
    assert draft is not None
    tool, test = context.folder.text(draft.n)
    findings = tuple(findings_on(context.candidate, context.catalogue, context.root, tool, test))
    refusals = [finding for finding in findings if finding.refused]
    if refusals:
        reason = f"{refusals[0].rule}: {refusals[0].text}"
        return StageReport(Outcome.FAILED, reason, findings)
    return StageReport(Outcome.PASSED, f"nothing refused, {len(findings)} remarks", findings)


def findings_on(
    candidate: Candidate, catalogue: Mapping[str, ToolSpec], root: Path, tool: str, test: str
) -> Iterator[Finding]:
    """All findings on a draft: from `check_text`, then from ruff and mypy."""
    findings = list(check_text(candidate, catalogue, root, tool, test))
    yield from findings
    if any(finding.rule == "parses" for finding in findings):
        return
    yield from lint(tool, TOOL_PLACE, root)
    for finding in lint(test, TEST_PLACE, root):
        yield Finding(0, "tests", f"line {finding.line}: {finding.text}", finding.refused)
    yield from types(tool, root)


def check_text(
    candidate: Candidate, catalogue: Mapping[str, ToolSpec], root: Path, tool: str, test: str
) -> Iterator[Finding]:
    """Findings by the rules for all tools, then by those for drafts, then on the draft's tests."""
    findings = gate_text(tool, ())
    yield from findings
    if any(finding.rule == "parses" for finding in findings):
        return
    tree = parse_python(tool)
    tools = list(tools_declared(tree))
    if len(tool) > LARGEST:
        yield Finding(0, "size", f"{len(tool)} characters; the maximum is {LARGEST}")
    if len(tools) > 1:
        yield Finding(tools[1][1].lineno, "one tool", f"{len(tools)} tools in one draft")
    yield from _check_imports(tree)
    yield from _check_bypasses(tree)
    existing = existing_tools(root)
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    for owner, node in tools:
        app = next((t.name.split("_")[0] for t in existing if t.module == owner), owner)
        if app != candidate.app:
            text = f"declared for {app}, but the candidate is for {candidate.app}"
            yield Finding(node.lineno, "app", text)
        yield from check_schema(node)
        helpers = {name: function for name, function in functions.items() if function is not node}
        arguments = [argument.arg for argument in [*node.args.args, *node.args.kwonlyargs]]
        name, docstring = f"{candidate.app}_{node.name}", ast.get_docstring(node) or ""
        yield from duplicate(name, docstring, arguments, behaviour_of(node, helpers), existing)
        yield from _check_tests(test, name)
    task = task_of(candidate, catalogue)
    if task is not None:
        yield from leftovers(tree, task, root)


def _check_imports(tree: ast.Module) -> Iterator[Finding]:
    for node, name in _imported(tree):
        top = name.removeprefix("ambidex.").partition(".")[0]
        known = top in DESKTOP_LIBRARIES or top in sys.stdlib_module_names
        if top in BACK_DOORS or not known:
            yield Finding(node.lineno, "imports", f"a tool may not import {name}")


def _imported(tree: ast.Module) -> Iterator[tuple[ast.Import | ast.ImportFrom, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                yield from ((node, alias.name) for alias in aliases)
            case ast.ImportFrom(module=module, level=level):
                yield node, "." * level + (module or "")


def _check_bypasses(tree: ast.Module) -> Iterator[Finding]:
    """Refuse names that could bypass the audit hook. Names with two underscores give access to
    everything in the interpreter; a tool needs none of them."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name) | ast.Name(id=name) if name.startswith(
                "__"
            ) and name not in ("__all__", "__name__"):
                yield Finding(node.lineno, "back door", f"a tool may not use {name}")
            case (
                ast.Attribute(attr=name)
                | ast.Name(id=name)
                | ast.alias(name=name)
                | ast.Constant(value=str(name))
            ) if BYPASSES.search(name):
                yield Finding(node.lineno, "back door", f"a tool may not use {name[:60]}")
            case ast.ExceptHandler(type=kind, body=[ast.Pass()]) if kind is None or (
                isinstance(kind, ast.Name) and kind.id in ("Exception", "BaseException")
            ):
                yield Finding(node.lineno, "hides errors", "this handler ignores every error")


def _check_tests(test: str, name: str) -> Iterator[Finding]:
    try:
        tree = parse_python(test, "test_tool.py", feature_version=GUEST_PYTHON)
    except BoundsError as error:
        yield Finding(0, "tests", f"the tests cannot be parsed: {error.__cause__ or error}")
        return
    for rule in RULES:
        for finding in rule(tree):
            if finding.rule != "layers":
                yield Finding(0, "tests", f"line {finding.line}, {finding.rule}: {finding.text}")
    for node, imported in _imported(tree):
        top = imported.removeprefix("ambidex.").partition(".")[0]
        if imported not in TEST_IMPORTS and (
            top in BACK_DOORS or top not in (sys.stdlib_module_names | {"mcp_tools"})
        ):
            yield Finding(0, "tests", f"line {node.lineno}: tests may not import {imported}")
    called = {
        node.args[1].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "done"
        and len(node.args) > 1
        and isinstance(node.args[1], ast.Constant)
    }
    if name not in called:
        yield Finding(0, "tests", f"no test calls done(guest, {name!r}, …)")
    proved = {
        word.arg
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "proves"
        for word in node.keywords
    }
    if name not in proved:
        yield Finding(0, "tests", f"no test is marked @proves(…, {name}=…)")
