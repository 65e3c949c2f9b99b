"""What the pipeline's gate asks of a draft beyond what every tool keeps: by text alone."""

from __future__ import annotations

import ast

import pytest

from ambidex.toolgen import Finding
from ambidex.toolgen.gate.lint import TOOL_PLACE, lint, types
from ambidex.toolgen.gate.similarity import duplicate
from ambidex.toolgen.gate.tools_text import house_tools, touched
from ambidex.toolgen.stages.check import by_text
from tests.served import CATALOGUE
from tests.toolgen.drafts import GOOD, ROOT, candidate_of, draft_of

HOUSE = house_tools(ROOT)
TOOL, TEST, _ = draft_of("calc-reverse-rows")


def found(name: str, tool: str, test: str) -> list[Finding]:
    return list(by_text(candidate_of(name), CATALOGUE, ROOT, tool, test))


def refused(name: str, tool: str, test: str) -> dict[str, str]:
    return {each.rule: each.text for each in found(name, tool, test) if each.refused}


@pytest.mark.parametrize("name", GOOD)
def test_a_good_draft_passes_and_its_nearest_neighbours_are_named(name: str) -> None:
    tool, test, _ = draft_of(name)
    findings = found(name, tool, test)
    assert [each for each in findings if each.refused] == []
    assert [each.rule for each in findings] == ["nearest"] * 3


def test_what_is_left_of_the_task_is_named_with_its_line() -> None:
    tool, test, _ = draft_of("calc-reverse-rows", 0)
    said = refused("calc-reverse-rows", tool, test)
    assert {"typed", "leftover", "tests"} <= said.keys()
    leftovers = [each for each in found("calc-reverse-rows", tool, test) if each.rule == "leftover"]
    assert {each.text for each in leftovers} == {"'Starts' is of the task"}
    assert "def reverse_rows" in tool.splitlines()[leftovers[0].line - 1]


def test_a_copy_in_other_words_is_known_by_what_it_does() -> None:
    tool, test, _ = draft_of("calc-write-cell")
    said = refused("calc-write-cell", tool, test)
    assert said.keys() == {"duplicate"}
    assert said["duplicate"].startswith("calc_write_one is calc_set_cell_value again")


def test_no_tool_of_the_house_is_taken_for_another() -> None:
    for each in HOUSE:
        app = each.name.partition("_")[0]
        others = [o for o in HOUSE if o.name != each.name and o.name.startswith(f"{app}_")]
        said = ast.get_docstring(each.node) or ""
        repeats = duplicate(each.name, said, each.arguments, each.touches, others)
        assert [one.text for one in repeats if one.refused] == [], each.name


def test_every_tool_of_the_house_is_found_in_its_text() -> None:
    assert {each.name for each in HOUSE} == set(CATALOGUE)


def test_what_a_function_of_the_same_file_does_counts_as_its_own() -> None:
    text = "def f():\n    g()\n    x.Bold = 1\n\ndef g():\n    y.store()\n"
    functions = {
        each.name: each for each in ast.parse(text).body if isinstance(each, ast.FunctionDef)
    }
    assert touched(functions["f"], functions) == {"store", "=Bold", ".store", "1"}


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
    assert rule in refused("calc-reverse-rows", TOOL.replace(old, new, 1), TEST)


def test_lint_and_types_are_read_by_programs_and_name_the_line() -> None:
    unused = TOOL.replace("    return at.changed", "    x = 1\n    return at.changed")
    assert ["F841" in each.text for each in lint(unused, TOOL_PLACE, ROOT)] == [True]
    wrong = TOOL.replace("    return at.changed", "    return at.changedd")
    found = next(each for each in types(wrong, ROOT) if "changedd" in each.text)
    assert (found.refused, "changedd" in wrong.splitlines()[found.line - 1]) == (True, True)
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
    assert refused("calc-reverse-rows", TOOL, TEST.replace(old, new)).keys() == {"tests"}


def test_a_draft_that_cannot_be_read_is_refused_without_more() -> None:
    assert refused("calc-reverse-rows", "def f(:\n", TEST).keys() == {"parses"}
