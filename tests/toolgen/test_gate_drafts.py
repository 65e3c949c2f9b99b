"""The additional rules of the gate for drafts, which need only their text."""

from __future__ import annotations

import ast

import pytest

from ambidex.mcp_tools.catalogue import tools
from ambidex.toolgen import Finding
from ambidex.toolgen.gate.lint import TOOL_PLACE, lint, types
from ambidex.toolgen.gate.similarity import duplicate
from ambidex.toolgen.gate.tools_text import behaviour_of, existing_tools
from ambidex.toolgen.stages.check import check_text
from tests.support.served import ALL, CATALOGUE
from tests.toolgen.drafts import GOOD, ROOT, candidate_of, draft_of

EXISTING = existing_tools(ROOT)
TOOL, TEST, _ = draft_of("calc-reverse-rows")


def findings_on(name: str, tool: str, test: str) -> list[Finding]:
    return list(check_text(candidate_of(name), CATALOGUE, ROOT, tool, test))


def refusals(name: str, tool: str, test: str) -> dict[str, str]:
    """The texts of the refusing findings, by rule."""
    return {
        finding.rule: finding.text for finding in findings_on(name, tool, test) if finding.refused
    }


@pytest.mark.parametrize("name", GOOD)
def test_a_good_draft_passes_and_its_nearest_neighbours_are_named(name: str) -> None:
    tool, test, _ = draft_of(name)
    findings = findings_on(name, tool, test)
    assert [finding for finding in findings if finding.refused] == []
    assert [finding.rule for finding in findings] == ["nearest"] * 3


def test_literals_of_the_task_are_named_with_their_line() -> None:
    tool, test, _ = draft_of("calc-reverse-rows", 0)
    findings = findings_on("calc-reverse-rows", tool, test)
    assert {"typed", "leftover", "tests"} <= {each.rule for each in findings if each.refused}
    leftovers = [finding for finding in findings if finding.rule == "leftover"]
    texts = {finding.text for finding in leftovers}
    assert texts == {"'Starts' comes from the task: make it an argument"}
    assert "def reverse_rows" in tool.splitlines()[leftovers[0].line - 1]


def test_a_reworded_copy_is_recognised_by_its_behaviour() -> None:
    tool, test, _ = draft_of("calc-write-cell")
    refused = refusals("calc-write-cell", tool, test)
    assert refused.keys() == {"duplicate"}
    assert refused["duplicate"].startswith("calc_write_one duplicates calc_set_cell_value")


def test_no_existing_tool_is_mistaken_for_another() -> None:
    for tool in EXISTING:
        app = tool.name.partition("_")[0]
        others = [
            other
            for other in EXISTING
            if other.name != tool.name and other.name.startswith(f"{app}_")
        ]
        docstring = ast.get_docstring(tool.node) or ""
        findings = duplicate(tool.name, docstring, tool.arguments, tool.behaviour, others)
        assert [finding.text for finding in findings if finding.refused] == [], tool.name


def test_every_existing_tool_is_found_in_the_text_of_its_module() -> None:
    declared = {name for name, tool in ALL.items() if tool.source != "stock"}
    unlisted = set(tools(listed=False))
    assert {tool.name for tool in EXISTING} == declared | unlisted


def test_the_behaviour_of_a_helper_in_the_same_file_counts() -> None:
    text = "def f():\n    g()\n    x.Bold = 1\n\ndef g():\n    y.store()\n"
    functions = {
        node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)
    }
    assert behaviour_of(functions["f"], functions) == {"store", "=Bold", ".store", "1"}


HEAD = "from ambidex.mcp_tools.calc import app"


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        (HEAD, f"import ctypes\n{HEAD}", "imports"),
        (HEAD, f"import numpy\n{HEAD}", "imports"),
        (HEAD, f"import gc\n{HEAD}", "imports"),
        (HEAD, f"import socket\n{HEAD}", "network"),
        (HEAD, "from ambidex.mcp_tools.vlc import app", "app"),
        ("range_str: Range,", "range_str: str,", "schema"),
        ("range_str: Range,", "range_str: dict,", "schema"),
        ("    return at.changed", "    at.__class__ = None\n    return at.changed", "back door"),
        (
            "    return at.changed",
            "    from gi.repository import Gio\n    Gio.SocketClient()\n    return at.changed",
            "back door",
        ),
        (
            "    return at.changed",
            '    office.service("com.sun.star.system.SystemShellExecute")\n    return at.changed',
            "back door",
        ),
        (
            "    return at.changed",
            "    try:\n        at.x()\n    except Exception:\n        pass\n    return at.changed",
            "hides errors",
        ),
        ("Leave\n    headings out", "See regatta.xlsx. Leave\n    headings out", "leftover"),
        ("upside down", "upside down " * 60, "prompt"),
    ],
)
def test_each_fault_of_a_draft_is_refused_by_its_rule(old: str, new: str, rule: str) -> None:
    assert old in TOOL
    assert rule in refusals("calc-reverse-rows", TOOL.replace(old, new, 1), TEST)


def test_ruff_and_mypy_check_the_draft_and_name_the_line() -> None:
    unused = TOOL.replace("    return at.changed", "    x = 1\n    return at.changed")
    assert ["F841" in finding.text for finding in lint(unused, TOOL_PLACE, ROOT)] == [True]
    wrong = TOOL.replace("    return at.changed", "    return at.changedd")
    typed = next(finding for finding in types(wrong, ROOT) if "changedd" in finding.text)
    assert (typed.refused, "changedd" in wrong.splitlines()[typed.line - 1]) == (True, True)
    assert [*lint(TOOL, TOOL_PLACE, ROOT), *types(TOOL, ROOT)] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("@proves(", "@pytest.mark.skip("),
        ('done(guest, "calc_reverse_rows"', 'done(guest, "calc_sort_range"'),
        ("import zipfile", "import subprocess\nimport ctypes\nimport zipfile"),
        ("import zipfile", "import socket\nimport zipfile"),
        ("def test_rows", "def test_rows("),
    ],
)
def test_tests_that_prove_nothing_or_reach_out_are_refused(old: str, new: str) -> None:
    assert old in TEST
    assert refusals("calc-reverse-rows", TOOL, TEST.replace(old, new)).keys() == {"tests"}


def test_a_draft_that_does_not_parse_is_refused_for_that_alone() -> None:
    assert refusals("calc-reverse-rows", "def f(:\n", TEST).keys() == {"parses"}
