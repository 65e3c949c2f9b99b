"""Every error code is declared once, and the page of the docs lists them."""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path

from ambidex.mcp_tools.error_codes import ErrorCode
from ambidex.mcp_tools.files.files import OS_CODES

ROOT = Path(__file__).parents[2]
BY_POSITION = {"ExpressionError": 1, "failure": 0}
"""Calls whose argument at that position is a code."""


def raised() -> set[str]:
    """Every code in the source of the guest's packages."""
    words: set[str] = set()
    for package in ("mcp_tools", "guest"):
        for file in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                match node:
                    case ast.Call(func=ast.Name(id=name), args=args) if name in BY_POSITION:
                        for value in args[BY_POSITION[name] :][:1]:
                            words |= _words(value)
                    case ast.keyword(arg="code", value=value):
                        words |= _words(value)
                    case ast.Assign(targets=[ast.Name(id="code")], value=value):
                        words |= _words(value)
                    case _:
                        pass
    return words | set(OS_CODES.values())


def _words(value: ast.expr) -> set[str]:
    match value:
        case ast.Constant(value=str(word)) if re.fullmatch(r"[a-z_]+", word):
            return {word}
        case ast.IfExp(body=body, orelse=orelse):
            return _words(body) | _words(orelse)
        case _:
            return set()


def test_a_code_that_is_raised_is_declared() -> None:
    unknown = raised() - {code.value for code in ErrorCode}
    assert not unknown, f"add to mcp_tools/error_codes.py: {sorted(unknown)}"


def test_the_page_lists_every_code() -> None:
    spec = importlib.util.spec_from_file_location("error_codes_page", ROOT / "docs/error_codes.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.page() == (ROOT / "docs" / "error-codes.md").read_text(encoding="utf-8")
