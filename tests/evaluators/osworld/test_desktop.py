"""OSWorld's metrics on the accessibility tree, the shell and a test suite's report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ambidex.evaluators.osworld.registry import bind_metric
from tests.evaluators.osworld.asked import Case, agrees, file, judge, lacking, nowhere, of
from tests.support.tables import every_case

MODULES = ("accessibility", "system")
TRIED = settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow])
NS = "https://accessibility.ubuntu.example.org/ns"


def desktop(inner: str) -> str:
    """The tree as returned by the guest's server."""
    return (
        f'<desktop-frame xmlns:attr="{NS}/attributes" xmlns:st="{NS}/state" name="main">'
        f"{inner}</desktop-frame>"
    )


TREE = desktop(
    '<application name="Thunderbird"><page-tab-list attr:id="tabmail-tabs">'
    '<page-tab name="About Profiles" st:selected="true">About Profiles</page-tab></page-tab-list>'
    "<label>To a@b.example</label></application>"
)
TAB = 'application[name=Thunderbird] page-tab-list[attr|id="tabmail-tabs"]>page-tab'
BOMB = '<!DOCTYPE a [<!ENTITY b "About Profiles">]><a name="x">&b;</a>'
found = of("check_accessibility_tree")
FOUND = [
    found("right", "by selector", TREE, [{"selectors": [f'{TAB}[name="About Profiles"]']}]),
    found("right", "one of two selectors", TREE, [{"selectors": ["frame", "label"]}]),
    found("right", "by path", TREE, [{"xpath": "//page-tab[@st:selected='true']"}]),
    found("right", "its text", TREE, [{"xpath": "//page-tab", "text": "About Profiles"}], 0, 1),
    found("near", "one of two", TREE, [{"selectors": [TAB]}, {"selectors": ["frame"]}]),
    found("near", "another text", TREE, [{"xpath": "//page-tab", "text": "About"}]),
    found(
        "near",
        "a text nearly",
        TREE,
        [{"xpath": "//page-tab", "text": "About Profile", "exact": False}],
        26 / 27,
    ),
    found("near", "no text", TREE, [{"xpath": "//application", "text": "", "exact": True}], 0, 1),
    found("broken", "no XML", "Thunderbird", [{"selectors": ["label"]}]),
    found("broken", "a document type", BOMB, [{"xpath": "//a"}]),
    found("broken", "no tree", None, [{"selectors": ["label"]}]),
]

panel = of("check_left_panel")
PANELS = [
    panel("right", "shown", desktop('<panel><document-frame name="Slides View"/></panel>')),
    panel("near", "another frame", desktop('<document-frame name="Notes View"/>')),
    panel("near", "not a frame", desktop('<panel name="Slides View"/>')),
    panel("broken", "no XML", "Slides View"),
]

favourites = of("check_gnome_favorite_apps")
APPS = {"expected": ["thunderbird.desktop", "vim.desktop"]}
FAVOURITES = [
    favourites("right", "in another order", "['vim.desktop', 'thunderbird.desktop']\n", APPS),
    favourites("right", "none", "@as []\n", {"expected": []}, 0, 1),
    favourites("near", "one more", "['vim.desktop', 'thunderbird.desktop', 'a.desktop']", APPS),
    favourites("near", "one twice", "['vim.desktop', 'vim.desktop', 'thunderbird.desktop']", APPS),
    favourites("broken", "code", "__import__('os').system('false') or ['vim.desktop']", APPS),
    favourites("broken", "numbers", "[1, 2]", APPS),
    favourites("broken", "deep", "(" * 5000, APPS),
    favourites("broken", "no text", ["vim.desktop", "thunderbird.desktop"], APPS),
]


def listing(*names: str) -> dict[str, Any]:
    return {
        "type": "directory",
        "name": "cpjpg",
        "children": [{"type": "file", "name": n} for n in names],
    }


moved = of("check_moved_jpgs")
JPGS = {"expected": ["a.jpg", "b.jpg"]}
MOVED = [
    moved("right", "both", listing("b.jpg", "a.jpg"), JPGS),
    moved("near", "one more", listing("b.jpg", "a.jpg", "c.png"), JPGS),
    moved("near", "one twice", listing("b.jpg", "b.jpg"), JPGS),
    moved("broken", "no listing", {"children": "a.jpg b.jpg"}, JPGS),
    moved("broken", "names alone", {"children": ["a.jpg", "b.jpg"]}, JPGS),
]


def clock(zone: str) -> str:
    """The output of timedatectl."""
    return (
        "               Local time: Mon 2024-01-01 00:00:00 UTC\n"
        "           Universal time: Mon 2024-01-01 00:00:00 UTC\n"
        "                 RTC time: Mon 2024-01-01 00:00:00\n"
        f"                Time zone: {zone}\n"
        "System clock synchronized: yes\n"
    )


utc = of("is_utc_0")
CLOCKS = [
    utc("right", "set", clock("Etc/UTC (UTC, +0000)")),
    utc(
        "right", "a warning before it", "Warning: bus\n" + clock("Etc/UTC (UTC, +0000)"), None, 0, 1
    ),
    utc("near", "another hour", clock("Europe/Berlin (CET, +0100)")),
    utc("near", "half an hour west", clock("Africa/Any (X, -0030)")),
    utc("broken", "three lines", "a\nb\nc"),
    utc("broken", "no text", None),
]

SECRET = {"expected": "/home/user/secret.docx"}
clip = of("is_in_vm_clickboard")
CLIPS = [
    clip("right", "the text", SECRET, "/home/user/secret.docx"),
    clip("right", "both", {"expected": ["a", "b"]}, "b\na\n"),
    clip("near", "a longer name", SECRET, "/home/user/secret.docx.old", 1, 0),
    clip("near", "one of two", {"expected": ["a", "b"]}, "a"),
    clip("near", "empty", SECRET, ""),
    clip("broken", "no text", SECRET, None),
    clip("broken", "no rule", {"rules": "a"}, "a"),
]


def report(**counts: object) -> str:
    return json.dumps({"passed": 0, "failed": 0, "errors": []} | counts)


suite = of("check_python_file_by_test_suite")
SUITES = [
    suite("right", "all pass", file("report.json", report(passed=3)), nowhere),
    suite("right", "as a value", {"passed": 1, "failed": 0}, nowhere, test_function_name="test"),
    suite("near", "one fails", file("report.json", report(passed=3, failed=1)), nowhere, 0.75),
    suite(
        "near", "one cannot run", file("report.json", report(passed=1, errors=["x"])), nowhere, 0.5
    ),
    suite("near", "none run", file("report.json", report()), nowhere),
    suite("broken", "less than none", file("report.json", report(passed=3, failed=-1)), nowhere),
    suite("broken", "another key", file("report.json", report(passed=3, score=1)), nowhere),
    suite("broken", "a truth value", {"passed": True, "failed": 0}, nowhere),
    suite("broken", "the files themselves", [file("main.py", "import os")], nowhere),
    suite("broken", "missing", nowhere, nowhere),
]

never = of("infeasible")
NEVER = [
    never("right", "said so", "infeasible"),
    never("near", "done", "done"),
    never("near", "out of steps", "max_steps"),
    never("broken", "nothing", None),
]

CASES = [*FOUND, *PANELS, *FAVOURITES, *MOVED, *CLOCKS, *CLIPS, *SUITES, *NEVER]


@judge(CASES)
def test_the_verdicts_on_the_desktop(case: Case, tmp_path: Path) -> None:
    agrees(case, tmp_path)


def test_every_metric_on_the_desktop_has_a_right_a_near_miss_and_a_broken_case() -> None:
    assert lacking(CASES, *MODULES) == []


@every_case(
    "rule",
    [
        {"selectors": ["a[["]},
        {"selectors": []},
        {"xpath": "//["},
        {"text": "a"},
        {"selectors": ["nons|a"]},
        {"xpath": "count(//label)"},
        {"xpath": "document('/etc/passwd')"},
    ],
)
def test_an_invalid_selector_is_refused_at_load(rule: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="check_accessibility_tree"):
        bind_metric("check_accessibility_tree", {}).check_expected([rule])


Roles = st.sampled_from(["label", "page-tab", "tool-bar", "push-button"])
Texts = st.text("ab ÄßЖ'#.>~@", max_size=6)
Nodes = st.tuples(Roles, Texts, Texts)
"""Role, name and id of an element."""


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@TRIED
@given(st.lists(Nodes, max_size=5), Nodes)
def test_an_element_is_found_by_role_name_and_id(
    nodes: list[tuple[str, str, str]], wanted: tuple[str, str, str]
) -> None:
    tree = desktop(
        "".join(f"<{r} name={quoteattr(n)} attr:id={quoteattr(i)}/>" for r, n, i in nodes)
    )
    role, name, identity = wanted
    there = float(wanted in nodes)
    ask = bind_metric("check_accessibility_tree", {})
    selector = f"desktop-frame > {role}[name={_quoted(name)}][attr|id={_quoted(identity)}]"
    assert ask(tree, [{"selectors": [selector]}]).strict.value == there
    assert ask(tree, [{"selectors": ["frame", selector]}]).strict.value == there
    if '"' not in name + identity:
        path = f'/desktop-frame/{role}[@name="{name}" and @attr:id="{identity}"]'
        assert ask(tree, [{"xpath": path}]).strict.value == there


@TRIED
@given(st.lists(Nodes, min_size=1, max_size=5), Texts, Texts)
def test_siblings_and_partial_names_are_found(
    nodes: list[tuple[str, str, str]], part: str, start: str
) -> None:
    tree = desktop("".join(f"<{r} name={quoteattr(n)}/>" for r, n, _ in nodes))
    ask = bind_metric("check_accessibility_tree", {})
    # The first is the root's own, which has a name too, but neither siblings nor anything above.
    names = ["main", *(name for _, name, _ in nodes)]
    content = [part != "" and part in name for name in names]
    begun = [start != "" and name.startswith(start) for name in names]
    for selector, there in (
        (f"[name*={_quoted(part)}]", any(content)),
        (f"[name^={_quoted(start)}]", any(begun)),
        (f"[name*={_quoted(part)}] ~ *", any(content[1:-1])),
        (f"* > [name*={_quoted(part)}]", any(content[1:])),
    ):
        assert ask(tree, [{"selectors": [selector]}]).strict.value == float(there), selector
