"""The gate: what can be said of a drafted tool without running it.

It reads the file's syntax tree and never imports it. The rules are those that the tools in
mcp_tools/ keep themselves, so a draft that passes looks like its neighbours.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tasks import ToolSpec
from toolgen import Finding

__all__ = ["gate", "nearest"]

GUEST_PYTHON = (3, 10)
REACHES_OUT = frozenset(
    {"socket", "ssl", "http", "urllib", "urllib3", "requests", "httpx", "aiohttp", "ftplib"}
    | {"smtplib", "paramiko", "asyncio", "xmlrpc"}
)
HARMLESS = frozenset({"urllib.parse"})
"""Parts of those packages that only work on text."""
NOT_THEIRS = frozenset({"guest", "host", "vm", "tasks", "evaluators", "toolgen"})
RUNS_TEXT = frozenset({"eval", "exec", "compile", "__import__", "system", "popen"})
SECRET = re.compile(r"(?i)(sk-[a-z0-9]{16,}|AKIA[0-9A-Z]{16}|-----BEGIN [A-Z ]*PRIVATE KEY)")
PERSONAL = re.compile(r"/(?:home|Users|root)/(?!\W|$)\w*")
SIMILAR = 0.8
LONGEST = 60
"""Lines of one tool: past that it is two tools, or has a helper in it."""


def gate(file: Path, catalogue: Sequence[ToolSpec]) -> list[Finding]:
    """Every finding on a drafted tool file, by line; none that is `refused` means it may go on to
    trial.
    """
    text = file.read_text(encoding="utf-8")
    try:
        tree = ast.parse(text, str(file), feature_version=GUEST_PYTHON)
    except SyntaxError as error:
        return [
            Finding(error.lineno or 1, "parses", f"the guest's Python cannot read it: {error.msg}")
        ]
    tools = list(declared(tree))
    found: list[Finding] = []
    if not tools:
        found.append(Finding(1, "declares", "no function is decorated with `@<app>.tool(...)`"))
    rules: tuple[Callable[[ast.Module], Iterator[Finding]], ...] = (_imports, _calls, _literals)
    for rule in rules:
        found += rule(tree)
    for app, tool in tools:
        found += _described(tool)
        found += _like_another(app, tool, catalogue)
    return sorted(found, key=lambda finding: (finding.line, finding.rule))


def declared(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    """(name of the app, function) of every tool in the file."""
    apps: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Assign(
                targets=targets,
                value=ast.Call(func=ast.Name(id="App"), args=[ast.Constant(value=str(name)), *_]),
            ):
                apps |= {target.id: name for target in targets if isinstance(target, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                match decorator:
                    case ast.Call(func=ast.Attribute(value=ast.Name(id=app), attr="tool")):
                        yield apps.get(app, app), node


def _described(tool: ast.FunctionDef) -> Iterator[Finding]:
    doc = ast.get_docstring(tool) or ""
    if len(doc.split()) < 5:
        yield Finding(
            tool.lineno, "prompt", f"{tool.name}: its docstring is its prompt; say when to use it"
        )
    arguments = [*tool.args.posonlyargs, *tool.args.args, *tool.args.kwonlyargs]
    for argument in arguments:
        if argument.annotation is None:
            yield Finding(argument.lineno, "typed", f"{tool.name}: {argument.arg} has no type")
    if tool.args.vararg or tool.args.kwarg:
        yield Finding(tool.lineno, "typed", f"{tool.name}: * and ** give no schema")
    if tool.returns is None:
        yield Finding(tool.lineno, "typed", f"{tool.name}: what it returns has no type")
    length = (tool.end_lineno or tool.lineno) - tool.lineno + 1
    if length > LONGEST:
        yield Finding(
            tool.lineno, "size", f"{tool.name}: {length} lines; {LONGEST} is a question", False
        )


def _imports(tree: ast.Module) -> Iterator[Finding]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                names, line = [alias.name for alias in aliases], node.lineno
            case ast.ImportFrom(module=str(module)):
                names, line = [module], node.lineno
            case _:
                continue
        for name in names:
            top = name.split(".")[0]
            if top in REACHES_OUT and name not in HARMLESS:
                yield Finding(line, "network", f"a tool reaches no network: {name}")
            if top in NOT_THEIRS:
                yield Finding(line, "layers", f"a tool imports nothing of {top}/")


def _calls(tree: ast.Module) -> Iterator[Finding]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        builtin = isinstance(node.func, ast.Name) or getattr(owner, "id", "") == "os"
        if name in RUNS_TEXT and builtin:
            yield Finding(node.lineno, "runs text", f"{name}() runs text as a program")
        if any(word.arg == "shell" and _true(word.value) for word in node.keywords):
            yield Finding(node.lineno, "runs text", "shell=True: pass the words as a list")
        if name == "sleep":
            yield Finding(node.lineno, "waits", "wait for a condition with a bound, not for time")


def _true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _literals(tree: ast.Module) -> Iterator[Finding]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if SECRET.search(node.value):
                yield Finding(node.lineno, "secret", "this looks like a key")
            if match := PERSONAL.search(node.value):
                yield Finding(node.lineno, "path", f"{match[0]}: use ~ or an argument")


def _like_another(
    app: str, tool: ast.FunctionDef, catalogue: Sequence[ToolSpec]
) -> Iterator[Finding]:
    name = f"{app}_{tool.name}"
    for spec, alike in nearest(name, ast.get_docstring(tool) or "", catalogue):
        text = f"{name} is {alike:.0%} like {spec.name}: {spec.description.splitlines()[0]}"
        yield Finding(tool.lineno, "like another", text, refused=False)


def nearest(
    name: str, description: str, catalogue: Sequence[ToolSpec]
) -> list[tuple[ToolSpec, float]]:
    """Tools whose name or description is much like this one's, the most alike first; the same name
    aside.
    """

    def ratio(one: str, other: str) -> float:
        return difflib.SequenceMatcher(None, one, other).ratio()

    scored = [
        (spec, max(ratio(name, spec.name), ratio(description, spec.description)))
        for spec in catalogue
        if spec.name != name
    ]
    return sorted((each for each in scored if each[1] >= SIMILAR), key=lambda each: -each[1])
