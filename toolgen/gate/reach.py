"""What a file of tools reaches for, by its text: packages, text run as programs, keys, and paths of
somebody's home."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ambidex.toolgen import Finding

__all__ = ["RULES"]

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


def imports(tree: ast.Module) -> Iterator[Finding]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                names, line = [alias.name for alias in aliases], node.lineno
            case ast.ImportFrom(module=str(module)):
                names, line = [module], node.lineno
            case _:
                continue
        for name in names:
            top = name.removeprefix("ambidex.").split(".")[0]
            if top in REACHES_OUT and name not in HARMLESS:
                yield Finding(line, "network", f"a tool reaches no network: {name}")
            if top in NOT_THEIRS:
                yield Finding(line, "layers", f"a tool imports nothing of {top}/")


def calls(tree: ast.Module) -> Iterator[Finding]:
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


def literals(tree: ast.Module) -> Iterator[Finding]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if SECRET.search(node.value):
                yield Finding(node.lineno, "secret", "this looks like a key")
            if match := PERSONAL.search(node.value):
                yield Finding(node.lineno, "path", f"{match[0]}: use ~ or an argument")


RULES = (imports, calls, literals)
