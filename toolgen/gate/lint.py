"""Form, lint and types of a draft, by programs that read text and do not run it."""

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
"""Where a draft would lie: it is read by the rules of that place."""
RUFF = ("check", "--no-cache", "--output-format=concise", "--extend-select=S102,S307,S602,S605")
MYPY = (
    "--no-error-summary", "--no-color-output", "--hide-error-context", "--config-file=",
    "--python-version=3.10", "--strict", "--ignore-missing-imports", "--follow-imports=silent",
    "--disable-error-code=untyped-decorator", "--disable-error-code=import-untyped",
)  # fmt: skip
LINE = re.compile(r"^\S*tool\.py:(\d+):(?:\d+:)? (?:error: )?(.+)$")
MOST = 20


def formatted(text: str, place: str, root: Path) -> str:
    """The text in the tree's form, so that what is reviewed is what is admitted; as it is where it
    cannot be read."""
    if importlib.util.find_spec("ruff") is None:
        return text
    sort = ("check", "--no-cache", "--quiet", "--select=I", "--fix-only")
    for verb in (sort, ("format", "--no-cache", "--quiet")):
        ran = _ran("ruff", [*verb, f"--stdin-filename={place}", "-"], text, root)
        if ran.returncode:
            return text
        text = ran.stdout
    return text


def lint(text: str, place: str, root: Path) -> Iterator[Finding]:
    """What ruff says, by the tree's own rules and some for text that is run."""
    yield from _said("ruff", "lint", [*RUFF, f"--stdin-filename={place}", "-"], text, root)


def types(text: str, root: Path) -> Iterator[Finding]:
    """What mypy says, with the tree's mcp_tools/ to import from, by their text."""
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "foundry_tool.py"
        file.write_text(text, encoding="utf-8")
        cache = root / ".mypy_cache" / "foundry"
        argv = [*MYPY, f"--cache-dir={cache}", str(file)]
        yield from _said("mypy", "types", argv, "", root)


def _said(program: str, rule: str, argv: list[str], text: str, root: Path) -> Iterator[Finding]:
    if importlib.util.find_spec(program) is None:
        yield Finding(0, rule, f"not looked at: {program} is not installed", refused=False)
        return
    ran = _ran(program, argv, text, root)
    lines = [match for line in ran.stdout.splitlines() if (match := LINE.match(line))]
    if ran.returncode and not lines:
        # It could not look: that is no verdict on the draft, and nobody is to take it for one.
        said = (ran.stderr or ran.stdout).strip()[-300:]
        yield Finding(0, rule, f"{program} failed ({ran.returncode}): {said}")
    for match in lines[:MOST]:
        if " note: " not in match[0]:
            yield Finding(int(match[1]), rule, match[2])


def _ran(program: str, argv: list[str], text: str, root: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", program, *argv]
    return subprocess.run(words, input=text, capture_output=True, text=True, cwd=root, check=False)
