"""Checks what a tool file uses: network packages, text run as code, secrets, and personal paths."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ambidex.toolgen import Finding

__all__ = ["RULES"]

NETWORK = frozenset(
    {"socket", "ssl", "http", "urllib", "urllib3", "requests", "httpx", "aiohttp", "ftplib"}
    | {"smtplib", "paramiko", "asyncio", "xmlrpc"}
)
HARMLESS = frozenset({"urllib.parse"})
"""Modules of these packages that only process text."""
OTHER_LAYERS = frozenset({"guest", "host", "vm", "tasks", "evaluators", "toolgen"})
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
            if top in NETWORK and name not in HARMLESS:
                yield Finding(line, "network", f"a tool must not use the network: {name}")
            if top in OTHER_LAYERS:
                yield Finding(line, "layers", f"a tool must not import from {top}/")


def calls(tree: ast.Module) -> Iterator[Finding]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        builtin = isinstance(node.func, ast.Name) or getattr(owner, "id", "") == "os"
        if name in RUNS_TEXT and builtin:
            yield Finding(node.lineno, "runs text", f"{name}() runs text as code")
        if any(word.arg == "shell" and _is_true(word.value) for word in node.keywords):
            yield Finding(node.lineno, "runs text", "shell=True: pass the arguments as a list")
        if name == "sleep":
            message = "sleep(): wait for a condition, with a time limit"
            yield Finding(node.lineno, "waits", message)


def _is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def literals(tree: ast.Module) -> Iterator[Finding]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if SECRET.search(node.value):
                yield Finding(node.lineno, "secret", "looks like a secret key")
            if match := PERSONAL.search(node.value):
                yield Finding(node.lineno, "path", f"{match[0]}: use ~ or an argument")


RULES = (imports, calls, literals)
