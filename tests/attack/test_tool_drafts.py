"""Drafts of tools that act when they are read, or that are not what they seem."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ambidex.tasks.catalogue import read_catalogue
from ambidex.toolgen.gate.gate import gate_text
from ambidex.toolgen.gate.tools_text import tool_file, tool_name
from tests.support.tables import every_case

ROOT = Path(__file__).parents[2]
GOOD = '''"""Counting."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ambidex.mcp_tools.os import app

__all__ = ["app"]


@app.tool(reads_only=True)
def count_words(text: Annotated[str, Field(description="the text")]) -> int:
    """Count the words of a text that the user has given you. Returns their number."""
    return len(text.split())
'''
OTHERS = ("browser", "calc", "database", "forge", "git", "impress", "office", "vlc", "writer")
ACTS = 'open("/tmp/marker", "w").close()'


def refused(text: str) -> set[str]:
    return {finding.rule for finding in gate_text(text, []) if finding.refused}


def test_a_draft_that_only_declares_passes() -> None:
    assert refused(GOOD) == set()


BEFORE = "\n\n@app.tool"
DRAFTS = {
    "a call": GOOD.replace(BEFORE, f"\n{ACTS}\n{BEFORE}"),
    "a subprocess": GOOD.replace(BEFORE, f'\nimport subprocess\nsubprocess.run(["id"])\n{BEFORE}'),
    "a value": GOOD.replace(BEFORE, f"\nX = {ACTS}\n{BEFORE}"),
    "a value in a list": GOOD.replace(BEFORE, f"\nX = [1, ({ACTS},)]\n{BEFORE}"),
    "a comprehension": GOOD.replace(BEFORE, f"\nX = [{ACTS} for _ in (1,)]\n{BEFORE}"),
    "a lambda": GOOD.replace(BEFORE, f"\nX = Field(default_factory=lambda: {ACTS})\n{BEFORE}"),
    "a decorator": GOOD.replace("@app.tool(", f"@(lambda f: {ACTS} or f)\n@app.tool("),
    "a default": GOOD.replace("]) -> int", f"] = {ACTS}) -> int"),
    "an annotation": GOOD.replace("-> int", f"-> ({ACTS})"),
    "a tool's own words": GOOD.replace("reads_only=True", f"reads_only={ACTS}"),
    "the body of a class": GOOD.replace(BEFORE, f"\nclass A:\n    {ACTS}\n{BEFORE}"),
    "a base class": GOOD.replace(BEFORE, f"\nclass A({ACTS}):\n    pass\n{BEFORE}"),
    "a metaclass": GOOD.replace(BEFORE, f"\nclass A(metaclass=type):\n    pass\n{BEFORE}"),
    "a hook": GOOD.replace(
        BEFORE, f"\nclass A:\n    def __init_subclass__(cls):\n        {ACTS}\n{BEFORE}"
    ),
    "a condition": GOOD.replace(BEFORE, f"\nif True:\n    {ACTS}\n{BEFORE}"),
    "a loop": GOOD.replace(BEFORE, f"\nfor _ in (1,):\n    {ACTS}\n{BEFORE}"),
    "a try": GOOD.replace(BEFORE, f"\ntry:\n    {ACTS}\nexcept OSError:\n    pass\n{BEFORE}"),
    "a with": GOOD.replace(BEFORE, f'\nwith open("/tmp/m", "w"):\n    pass\n{BEFORE}'),
    "an f-string": GOOD.replace(BEFORE, f"\nX = f'{{{ACTS}}}'\n{BEFORE}".replace('"', "'''")),
    "a walrus": GOOD.replace(BEFORE, f"\nX = (y := {ACTS})\n{BEFORE}"),
    "an assertion": GOOD.replace(BEFORE, f"\nassert {ACTS}\n{BEFORE}"),
    "a deletion": GOOD.replace(BEFORE, f"\ndel app\n{BEFORE}"),
    "an import that acts": GOOD.replace("from typing", "import antigravity\nfrom typing"),
    "an import from beside": GOOD.replace("from typing", "import foundry_helper\nfrom typing"),
    "a subscript": GOOD.replace(BEFORE, f"\nX = {{}}[{ACTS}]\n{BEFORE}"),
    "a dunder": GOOD.replace(BEFORE, f"\nX = app.__class__.__bases__\n{BEFORE}"),
}


@every_case("text", DRAFTS.values(), ids=DRAFTS.keys())
def test_a_draft_that_acts_when_it_is_imported_is_refused(text: str) -> None:
    assert text != GOOD
    assert refused(text) & {"acts at import", "parses", "deep"}


SEEMING = {
    "bidi in a comment": ("unseen", GOOD.replace("return len", "# \u202e ;)\n    return len")),
    "bidi in a text": ("unseen", GOOD.replace("the text", "the \u2066text")),
    "an invisible character": ("unseen", GOOD.replace("the text", "the\u200btext")),
    "a tag": ("unseen", GOOD.replace("the text", "the \U000e0041text")),
    "a Cyrillic letter": ("letters", GOOD.replace("text.split", "t\u0435xt.split")),
    "a wide letter": ("letters", GOOD.replace("len(", "\uff4cen(")),
    "mypy": ("silences", GOOD.replace('"""Counting', '# mypy: ignore-errors\n"""Counting')),
    "type: ignore": ("silences", GOOD.replace("split())", "split())  # type: ignore")),
    "noqa": ("silences", GOOD.replace("split())", "split())  # NoQA: S102")),
    "ruff": ("silences", GOOD.replace('"""Counting', '# ruff: noqa\n"""Counting')),
    "fmt": ("silences", GOOD.replace("@app", "# fmt: off\n@app")),
    "a coding": ("encoding", "# -*- coding: utf-7 -*-\n" + GOOD),
    "a form feed": ("unseen", GOOD.replace("\n\n@app", "\n\x0c\n@app")),
    "a NUL": ("unseen", GOOD + "\0"),
    "too much": ("size", GOOD + "#" * 300_000),
}


@every_case(("rule", "text"), SEEMING.values(), ids=SEEMING.keys())
def test_a_draft_that_is_not_what_it_seems_is_refused(rule: str, text: str) -> None:
    assert text != GOOD
    assert rule in refused(text)


@every_case("value", ["(" * 5000 + "1" + ")" * 5000, "-" * 20_000 + "1", "[" * 90 + "]" * 90])
def test_a_draft_that_nests_too_deep_is_refused(value: str) -> None:
    assert refused(GOOD.replace(BEFORE, f"\nX = {value}\n{BEFORE}")) & {"parses", "deep"}


def test_the_catalogue_from_the_text_is_the_one_that_guests_serve() -> None:
    both = [
        subprocess.run(
            [sys.executable, "-m", f"ambidex.mcp_tools.{module}"],
            cwd=ROOT,
            capture_output=True,
            check=True,
        ).stdout
        for module in ("declarations", "catalogue")
    ]
    assert json.loads(both[0]) == json.loads(both[1])
    assert both[0] == both[1]


def small_tree(root: Path) -> Path:
    """A copy of the tools' source tree with few apps: `os` and those that it imports from."""
    others = shutil.ignore_patterns(*OTHERS, "__pycache__")
    copied: Path = shutil.copytree(ROOT / "mcp_tools", root / "mcp_tools", ignore=others)
    return copied


def admitted(root: Path, text: str) -> None:
    """A small tree with the tool admitted."""
    small_tree(root)
    (root / tool_file(tool_name(text, "os"))).write_text(text)


def test_no_code_of_an_admitted_tool_runs_on_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "marker"
    acts = f'\nwith open({str(marker)!r}, "w") as file:\n    file.write("it ran")\n'
    tree = tmp_path / "ambidex"
    admitted(tree, GOOD.replace(BEFORE, f"{acts}{BEFORE}"))
    monkeypatch.setattr("ambidex.tasks.catalogue.ROOT", tree)
    assert "os_count_words" in read_catalogue()
    assert not marker.exists()
    monkeypatch.syspath_prepend(str(tree.parent))
    ran = subprocess.run(
        [sys.executable, "-m", "ambidex.mcp_tools.catalogue"],
        cwd=tree.parent,
        capture_output=True,
        check=True,
    )
    assert ran.stdout
    assert marker.exists(), "imported, as a guest does, it would have run"


def test_a_declaration_that_has_to_be_run_is_an_error_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    admitted(
        tmp_path / "ambidex",
        GOOD.replace('description="the text"', 'description=open("/etc/x").read()'),
    )
    monkeypatch.setattr("ambidex.tasks.catalogue.ROOT", tmp_path / "ambidex")
    with pytest.raises(Exception, match=r"os/count_words\.py, line 15"):
        read_catalogue()


def test_a_module_of_tools_outside_an_application_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (small_tree(tmp_path / "ambidex") / "words.py").write_text(GOOD)
    monkeypatch.setattr("ambidex.tasks.catalogue.ROOT", tmp_path / "ambidex")
    with pytest.raises(Exception, match=r"words\.py declares tools"):
        read_catalogue()


def test_the_command_line_imports_no_tool() -> None:
    code = (
        "import sys\nfrom ambidex.host.cli.main import main\n"
        "try:\n    main(['check', 'tasks/demo'])\nexcept SystemExit:\n    pass\n"
        "print([name for name in sys.modules if name.startswith('ambidex.mcp_tools')])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True)
    assert done.stdout.decode().splitlines()[-1] == "[]"
