"""Cases of the metrics on texts, tables of text and the desktop's tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from ambidex.evaluators.osworld import Value
from bench.differential import NO_FILE, NOTHING, Case, Cases, Given
from bench.differential.cases_values import REFUSED, rare
from bench.differential.mutants import asked, spoiled_text, text_mutant, value_mutant
from bench.differential.written import written
from tests.evaluators.osworld.makers import document, paragraph
from tests.evaluators.osworld.test_desktop import CASES as DESKTOP

SOURCES = [
    "Ping: 12.3 ms\nDownload: 93 Mbit/s\nUpload: 40 Mbit/s\n",
    "12:00:01 AM     CPU     %user     %nice\n12:00:02 AM     all      0.50      0.00\n",
    "12:00:01 x\n24:00:00\n23:59:60 12:00:00\n1:02:03\n12:00:02\n",
    "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n# coding: x\nimport os\n\n\nif os:\n\tpass\n",
    "import os\n# coding=utf-8\n\n#!/bin/sh\ndef f(a):\n    return  a  \n",
    "@article{a,\n  title = {One},\n  year = 2024\n}\n",
    "a\nb\nc\nd\ne\n",
    "Orchis\n",
    "54\n",
    "one",
    "",
]
ENCODINGS = ["utf-8"] * 30 + ["latin-1", "utf-16"]


def stored(path: Path, said: str, random: Random | None = None) -> Path:
    """Write the file, sometimes in another encoding."""
    coded = "utf-8" if random is None else random.choice(ENCODINGS)
    path.write_bytes(said.encode(coded, "replace"))
    return path


def two_texts(metric: str, options: dict[str, list[Any]] | None = None) -> Cases:
    """Two files that are nearly equal."""

    def cases(random: Random, folder: Path) -> Iterator[Case]:
        yield from written(metric, folder)
        while True:
            said = random.choice(SOURCES)
            if metric == "compare_result_files":
                said = random.choice([*SOURCES, "3.5", "3.5\n", "12", "1e3", "nan", "-1", "+3"])
            note, wanted = text_mutant(random, said, 0.2)
            if metric == "compare_result_files" and random.random() < 0.3:
                said = random.choice([f"Python {said}", f"1{said}", "3.50001", "3.5001", "12.0"])
            result = stored(folder / "result.txt", said, random)
            expected = stored(folder / "expected.txt", wanted)
            if random.random() < 0.5:
                result, expected = (
                    stored(folder / "result.txt", wanted, random),
                    stored(folder / "expected.txt", said),
                )
            given: Value | Given = expected
            if random.random() < 0.06:
                note = f"the result {spoiled_text(random, result)}"
            elif random.random() < 0.04:
                note, given = "nothing expected", random.choice([NO_FILE, NOTHING])
            elif random.random() < 0.04:
                note = f"the expected file {spoiled_text(random, expected)}"
            chosen = {
                key: random.choice(each)
                for key, each in (options or {}).items()
                if random.random() < 0.5
            }
            seen: Value = result if random.random() > 0.02 else None
            yield Case(metric, seen, given, chosen, note)

    return cases


def ruled_text(metric: str, rule: Callable[[Random, str], dict[str, Any]]) -> Cases:
    """A file, and a rule made for a nearly equal text."""

    def cases(random: Random, folder: Path) -> Iterator[Case]:
        yield from written(metric, folder)
        while True:
            said = random.choice(SOURCES)
            note, seen = text_mutant(random, said, 0.3)
            said_more, rules = rare(random, rule(random, said))
            path = stored(folder / "result.txt", seen, random)
            if random.random() < 0.06:
                note = f"the file {spoiled_text(random, path)}"
            yield Case(metric, path, rules, {}, said_more or note)

    return cases


def texts(random: Random, said: str) -> dict[str, Any]:
    """Texts that the file should contain."""
    words = said.split() or ["x"]
    chosen = random.choices([*words, "CPU", "lost"], [4] * len(words) + [1, 1], k=2)
    return {"expected": random.choice([chosen, chosen, said.splitlines(), words, said])}


def count(random: Random, said: str) -> dict[str, Any]:
    """The number of lines with a time."""
    right = len(re.findall(r"(?m)^.*(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)", said))
    return {
        "expected": random.choice(
            [
                right,
                str(right),
                right,
                str(right),
                right + 1,
                f"+{right}",
                f" {right} ",
                float(right),
                f"{right}.0",
                right + 0.5,
                None,
                True,
                [right],
                "x",
            ]
        )
    }


def patterns(random: Random, said: str) -> dict[str, Any]:
    """Patterns for lines."""
    words = [re.escape(each) for each in said.split()] or ["x"]
    made = [*words, r"^a$", r"\bOrchis\b", r"e\n", r"$", "x", r"\d+:\d+", r"\sb", "[^a]$"]
    rules = {
        "expect": random.choices([*words, *made], k=random.randint(0, 2)),
        "unexpect": random.choices([*made], k=1),
    }
    return {key: rules[key] for key in rules if random.random() < 0.7}


TABLE = "title,url,user\nOne,imap://x,ann@x\nTwo,imap://y,bob@x\n"


def csv_cases(random: Random, folder: Path) -> Iterator[Case]:
    """A table, and rows that it should have."""
    yield from written("check_csv", folder)
    while True:
        note, said = text_mutant(random, TABLE, 0.3)
        if random.random() < 0.2:
            said = said.replace("One", random.choice(['"One"', '"O\nne"', '"One', "", "One,more"]))
        rules: dict[str, Any] = {}
        for part in ("expect", "unexpect"):
            if random.random() < 0.7:
                row = dict(
                    zip(
                        TABLE.split("\n")[0].split(","),
                        random.choice(TABLE.split("\n")[1:3]).split(","),
                        strict=True,
                    )
                )
                kept = {key: row[key] for key in random.sample(list(row), random.randint(0, 3))}
                if random.random() < 0.3:
                    _, kept = value_mutant(random, kept)
                rules[part] = [kept] if isinstance(kept, dict) else []
        path = stored(folder / "a.csv", said, random)
        if random.random() < 0.05:
            note = f"the file {spoiled_text(random, path)}"
        yield Case("check_csv", path, rules, {}, note)


PLACES = ["Vancouver", "Montreal", "Barcelona", "Sydney"]


def places(random: Random, folder: Path) -> Iterator[Case]:
    """A document of words that are nearly the place names."""
    yield from written("fuzzy_place_math", folder)
    while True:
        wanted = random.sample(PLACES, 3)
        seen = wanted[: random.choice([2, 3, 3, 3])]
        note, seen[0] = text_mutant(random, seen[0])
        seen = [re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f]", "", each) for each in seen]
        said, rules = rare(random, {"expected": wanted})
        body = "".join(paragraph(each) for each in seen)
        path = document(folder / "list.docx", body)
        if random.random() < 0.05:
            note = f"the file {spoiled_text(random, path)}"
        yield Case("fuzzy_place_math", path, rules, {}, said or note)


NS = "https://accessibility.ubuntu.example.org/ns/"
TREE = (
    f'<desktop-frame xmlns:attr="{NS}attributes" xmlns:st="{NS}state" name="main">'
    '<application name="Thunderbird"><page-tab-list attr:id="tabmail-tabs">'
    '<page-tab name="About Profiles" st:selected="true">About Profiles</page-tab>'
    '<page-tab name="Mail">Mail</page-tab><label></label></page-tab-list></application>'
    '<application name="x"><label name="To"/><label attr:class="address-pill">a@b</label>'
    "</application></desktop-frame>"
)
ELEMENTS: list[dict[str, Any]] = [
    {
        "selectors": [
            'application[name=Thunderbird] page-tab-list[attr|id="tabmail-tabs"]>'
            'page-tab[name="About Profiles"]'
        ]
    },
    {"selectors": ['label[name=To]~[attr|class="address-pill"]']},
    {"selectors": ["page-tab[st|selected=true]", "lost"]},
    {"xpath": "//page-tab[@st:selected='true']"},
    {"xpath": "//label"},
    {"xpath": "//lost"},
    {"xpath": "//page-tab/text()"},
    {"xpath": "string(//page-tab)"},
    {"xpath": "count(//page-tab)"},
    {"xpath": "//label[@class:x]"},
    {"selectors": ["label"]},
]


def trees(random: Random, folder: Path) -> Iterator[Case]:
    """A desktop's tree, and the expected elements."""
    yield from asked("check_accessibility_tree", folder, DESKTOP)
    while True:
        rules = []
        for _ in range(random.randint(1, 2)):
            rule = dict(random.choice(ELEMENTS))
            if random.random() < 0.5:
                rule["text"] = random.choice(["About Profiles", "Mail", "a@b", "", "About", None])
                if random.random() < 0.85:
                    rule["exact"] = random.choice([True, False])
            rules.append(rule)
        note, seen = "the tree", TREE
        if any("count(" in each.get("xpath", "") for each in rules):
            note = "a rule that is a number"
        elif random.random() < 0.4:
            note, seen = text_mutant(random, TREE)
        elif random.random() < 0.3:
            old, new = random.choice(
                [
                    ("Thunderbird", "thunderbird"),
                    ("About", "about"),
                    ("true", "false"),
                    ("<desktop-frame", '<?xml version="1.0" encoding="utf-8"?><desktop-frame'),
                    ("<desktop-frame", '<?xml version="1.0"?><desktop-frame'),
                    ("<label", "<label>x</label><label"),
                    ("ubuntu", "windows"),
                ]
            )
            note, seen = f"{new} for {old}", TREE.replace(old, new)
        options = {}
        if random.random() < 0.2:
            options["osname"] = random.choice(["ubuntu", "windows", "macos", "beos"])
        yield Case("check_accessibility_tree", seen, rules, options, note)


REASONS = {
    "another rule": REFUSED,
    "diff_text_file: test: too many lines to pair": "a bound on the cost: 50,000 lines",
    "check_accessibility_tree: test: a document type": "a document type is refused: entities",
    "check_accessibility_tree: a rule that is a number": "refused when the task is loaded",
}
CASES: dict[str, Cases] = {
    "compare_text_file": two_texts(
        "compare_text_file", {"ignore_blanks": [True, False], "ignore_case": [True, False]}
    ),
    "diff_text_file": two_texts("diff_text_file"),
    "compare_python_pure_text": two_texts("compare_python_pure_text"),
    "compare_result_files": two_texts("compare_result_files"),
    "file_contains": ruled_text("file_contains", texts),
    "check_line_number": ruled_text("check_line_number", count),
    "check_list": ruled_text("check_list", patterns),
    "check_csv": csv_cases,
    "fuzzy_place_math": places,
    "check_accessibility_tree": trees,
}
