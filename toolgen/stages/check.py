"""The gate of the pipeline: everything that can be said of a draft and its tests by their text."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from ambidex.tasks import ToolSpec
from ambidex.toolgen import Candidate, Finding, Outcome
from ambidex.toolgen.gate.gate import GUEST_PYTHON, gate_text
from ambidex.toolgen.gate.leftovers import leftovers
from ambidex.toolgen.gate.lint import TEST_PLACE, TOOL_PLACE, lint, types
from ambidex.toolgen.gate.reach import RULES
from ambidex.toolgen.gate.schema import told
from ambidex.toolgen.gate.similarity import duplicate
from ambidex.toolgen.gate.tools_text import declared, house_tools, touched
from ambidex.toolgen.stages.context import Ended, Shop, task_of

__all__ = ["by_text", "check", "findings_on"]

LARGEST = 16_000
"""Characters of a draft."""
OF_THE_DESKTOP = frozenset(
    {"uno", "unohelper", "com", "gi", "Xlib", "pydantic", "mcp_tools", "cairo"}
)
BACK_DOORS = frozenset((
    "ctypes", "gc", "inspect", "sys", "importlib", "pickle", "marshal", "shelve",
    "multiprocessing", "threading", "signal", "pty", "code", "codeop", "runpy", "atexit",
    "builtins", "_thread", "faulthandler", "resource", "tracemalloc",
))  # fmt: skip
"""Of the standard library: ways around whoever watches, and nothing that a tool needs."""
AROUND = re.compile(
    r"Socket(Client|Connection|Service)|Subprocess|spawn_|connect_to_|NetworkClient|Soup|WebKit"
    r"|SystemShellExecute|SimpleFileAccess|ScriptProvider|load_contents|file_get_contents"
)
"""Names of libraries that leave Python, and with it whoever watches: nothing that a tool needs."""
FOR_TESTS = frozenset(
    {"pytest", "tests.desktop.tool_calls", "tests.desktop.proofs", "ambidex.host.client.guest"}
)


def check(shop: Shop) -> Ended:
    """Pass a draft that has nothing refused; no model, no machine."""
    draft = shop.folder.latest()
    assert draft is not None
    tool, test = shop.folder.text(draft.n)
    found = tuple(findings_on(shop.candidate, shop.catalogue, shop.root, tool, test))
    refused = [each for each in found if each.refused]
    if refused:
        reason = f"{refused[0].rule}: {refused[0].text}"
        return Ended(Outcome.FAILED, reason, found)
    return Ended(Outcome.PASSED, f"nothing refused, {len(found)} remarks", found)


def findings_on(
    candidate: Candidate, catalogue: Mapping[str, ToolSpec], root: Path, tool: str, test: str
) -> Iterator[Finding]:
    """All of them: by the text alone, then by programs that read it."""
    found = list(by_text(candidate, catalogue, root, tool, test))
    yield from found
    if any(each.rule == "parses" for each in found):
        return
    yield from lint(tool, TOOL_PLACE, root)
    for each in lint(test, TEST_PLACE, root):
        yield Finding(0, "tests", f"line {each.line}: {each.text}", each.refused)
    yield from types(tool, root)


def by_text(
    candidate: Candidate, catalogue: Mapping[str, ToolSpec], root: Path, tool: str, test: str
) -> Iterator[Finding]:
    """In order: what every tool keeps, what a draft keeps beyond it, and its tests."""
    found = gate_text(tool, ())
    yield from found
    if any(each.rule == "parses" for each in found):
        return
    tree = ast.parse(tool)
    tools = list(declared(tree))
    if len(tool) > LARGEST:
        yield Finding(0, "size", f"{len(tool)} characters; {LARGEST} are a question")
    if len(tools) > 1:
        yield Finding(tools[1][1].lineno, "one tool", f"{len(tools)} tools in one draft")
    yield from _imports(tree)
    yield from _touches_the_watch(tree)
    house = house_tools(root)
    functions = {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
    for owner, node in tools:
        app = next((t.name.split("_")[0] for t in house if t.module == owner), owner)
        if app != candidate.app:
            text = f"it is declared for {app}, and the candidate is for {candidate.app}"
            yield Finding(node.lineno, "app", text)
        yield from told(node)
        others = {name: each for name, each in functions.items() if each is not node}
        arguments = [each.arg for each in [*node.args.args, *node.args.kwonlyargs]]
        name, said = f"{candidate.app}_{node.name}", ast.get_docstring(node) or ""
        yield from duplicate(name, said, arguments, touched(node, others), house)
        yield from _tested(test, name)
    task = task_of(candidate, catalogue)
    if task is not None:
        yield from leftovers(tree, task, root)


def _imports(tree: ast.Module) -> Iterator[Finding]:
    for node, name in _imported(tree):
        top = name.removeprefix("ambidex.").partition(".")[0]
        known = top in OF_THE_DESKTOP or top in sys.stdlib_module_names
        if top in BACK_DOORS or not known:
            yield Finding(node.lineno, "imports", f"a tool has no use for {name}")


def _imported(tree: ast.Module) -> Iterator[tuple[ast.Import | ast.ImportFrom, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                yield from ((node, alias.name) for alias in aliases)
            case ast.ImportFrom(module=module, level=level):
                yield node, "." * level + (module or "")


def _touches_the_watch(tree: ast.Module) -> Iterator[Finding]:
    """Names with two underscores lead to everything there is; a tool needs none of them."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name) | ast.Name(id=name) if name.startswith(
                "__"
            ) and name not in ("__all__", "__name__"):
                yield Finding(node.lineno, "back door", f"{name}: a tool has no use for it")
            case (
                ast.Attribute(attr=name)
                | ast.Name(id=name)
                | ast.alias(name=name)
                | ast.Constant(value=str(name))
            ) if AROUND.search(name):
                yield Finding(node.lineno, "back door", f"{name[:60]}: a tool has no use for it")
            case ast.ExceptHandler(type=kind, body=[ast.Pass()]) if kind is None or (
                isinstance(kind, ast.Name) and kind.id in ("Exception", "BaseException")
            ):
                yield Finding(node.lineno, "hides errors", "every failure is swallowed here")


def _tested(test: str, name: str) -> Iterator[Finding]:
    try:
        tree = ast.parse(test, "test_tool.py", feature_version=GUEST_PYTHON)
    except (SyntaxError, ValueError) as error:
        yield Finding(0, "tests", f"the tests cannot be read: {error}")
        return
    for rule in RULES:
        for each in rule(tree):
            if each.rule != "layers":
                yield Finding(0, "tests", f"line {each.line}, {each.rule}: {each.text}")
    for node, imported in _imported(tree):
        top = imported.partition(".")[0]
        if imported not in FOR_TESTS and (
            top in BACK_DOORS or top not in (sys.stdlib_module_names | {"mcp_tools"})
        ):
            yield Finding(0, "tests", f"line {node.lineno}: tests have no use for {imported}")
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
