"""Formatting, linting and type checking of a draft, by ruff and mypy, which do not run it."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ambidex.toolgen import Finding

__all__ = ["TEST_PLACE", "TOOL_PLACE", "formatted", "lint", "types"]

TOOL_PLACE, TEST_PLACE = "mcp_tools/calc/foundry_tool.py", "tests/desktop/test_foundry_tool.py"
"""Paths that a draft is linted under, so that the rules for these folders apply."""
RUFF = ("check", "--no-cache", "--output-format=concise", "--extend-select=S102,S307,S602,S605")
MYPY = (
    "--no-error-summary", "--no-color-output", "--hide-error-context", "--config-file=",
    "--python-version=3.10", "--strict", "--ignore-missing-imports", "--follow-imports=silent",
    "--disable-error-code=untyped-decorator", "--disable-error-code=import-untyped",
)  # fmt: skip
LINE = re.compile(r"^\S*tool\.py:(\d+):(?:\d+:)? (?:error: )?(.+)$")
MAX_FINDINGS = 20


def formatted(text: str, place: str, root: Path) -> str:
    """The text formatted by the tree's rules, so that the reviewed text is the admitted one. A text
    that cannot be parsed is returned unchanged."""
    if importlib.util.find_spec("ruff") is None:
        return text
    sort = ("check", "--no-cache", "--quiet", "--select=I", "--fix-only")
    for arguments in (sort, ("format", "--no-cache", "--quiet")):
        done = _run("ruff", [*arguments, f"--stdin-filename={place}", "-"], text, root)
        if done.returncode:
            return text
        text = done.stdout
    return text


def lint(text: str, place: str, root: Path) -> Iterator[Finding]:
    """Findings of ruff, by the tree's rules and additional ones against running text as code."""
    yield from _report("ruff", "lint", [*RUFF, f"--stdin-filename={place}", "-"], text, root)


def types(text: str, root: Path) -> Iterator[Finding]:
    """Findings of mypy, with the tree's mcp_tools/ to import from."""
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "foundry_tool.py"
        file.write_text(text, encoding="utf-8")
        cache = root / ".mypy_cache" / "foundry"
        argv = [*MYPY, f"--cache-dir={cache}", str(file)]
        yield from _report("mypy", "types", argv, "", root)


def _report(program: str, rule: str, argv: list[str], text: str, root: Path) -> Iterator[Finding]:
    if importlib.util.find_spec(program) is None:
        yield Finding(0, rule, f"not checked: {program} is not installed", refused=False)
        return
    done = _run(program, argv, text, root)
    lines = [match for line in done.stdout.splitlines() if (match := LINE.match(line))]
    if done.returncode and not lines:
        # The program itself failed, which must not be mistaken for a draft without findings.
        output = (done.stderr or done.stdout).strip()[-300:]
        yield Finding(0, rule, f"{program} failed ({done.returncode}): {output}")
    for match in lines[:MAX_FINDINGS]:
        if " note: " not in match[0]:
            yield Finding(int(match[1]), rule, match[2])


def _run(program: str, argv: list[str], text: str, root: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", program, *argv]
    return subprocess.run(words, input=text, capture_output=True, text=True, cwd=root, check=False)
