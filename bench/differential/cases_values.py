"""Cases of the metrics on values: texts, lists, objects, JSON, databases, command outputs."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import yaml

from bench.differential import NO_FILE, Case, Cases
from bench.differential.mutants import asked, spoiled_text, text_mutant, value_mutant
from bench.differential.written import written
from tests.evaluators.osworld.test_desktop import CASES as DESKTOP

VALUES: list[Any] = [
    "true\n",
    "[1, 1]\n",
    "light",
    "Bing",
    "",
    1,
    True,
    None,
    2.5,
    [],
    ["a", "b"],
    {"a": 1},
    "/home/user/Desktop/x",
    "None",
    "1",
    [1, "2"],
    "a'b",
]


REFUSED = "refused when the task is loaded: no task has a rule of that form"


def rare(random: Random, rules: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Sometimes replace the rule by another."""
    if random.random() < 0.12:
        _, other = value_mutant(random, rules, 0.0)
        if isinstance(other, dict):
            return "another rule", other
    return "", rules


def plain(metric: str) -> Cases:
    """A value, and a nearly equal expected one."""

    def cases(random: Random, folder: Path) -> Iterator[Case]:
        yield from written(metric, folder)
        while True:
            wanted = random.choice(VALUES)
            note, seen = value_mutant(random, wanted, 0.3)
            expected: Any = wanted
            if metric == "match_in_list":
                expected = [wanted, *random.sample(VALUES, 2)]
            if metric == "is_in_list":
                seen = random.choice([seen, [seen, wanted], [seen], f"{seen}", {str(wanted): 1}])
            said, rules = rare(random, {"expected": expected})
            yield Case(metric, seen, rules, {}, said or note)

    return cases


def literal(random: Random, folder: Path) -> Iterator[Case]:
    """Two values, and nearly one."""
    yield from written("literal_match", folder)
    while True:
        wanted = random.choice([*VALUES, ["Ann Lee", "123", "45"], ["Ann", 123, None], "Ann Lee"])
        note, seen = value_mutant(random, wanted, 0.3)
        if isinstance(seen, dict) or isinstance(wanted, dict):
            seen = wanted = str(wanted)
        known: dict[str, list[Any]] = {
            "type": ["str", "list", "list", "other"],
            "ignore_case": [True, False],
        }
        options = {
            name: random.choice(choices) for name, choices in known.items() if random.random() < 0.6
        }
        yield Case("literal_match", seen, wanted, options, note)


def direct(random: Random, folder: Path) -> Iterator[Case]:
    """An object, and the expected keys."""
    yield from written("check_direct_json_object", folder)
    metric = "check_direct_json_object"
    while True:
        wanted: dict[str, Any] = {
            "from": "Sat, Jun 1",
            "list": random.choice([["b", "a"], [1, 2], ["Kili", "kili.jpg"], []]),
            "number": random.choice([1, 2.5, None, True]),
            "class": "It's two",
        }
        wanted = {key: wanted[key] for key in random.sample(list(wanted), random.randint(1, 4))}
        note, seen = value_mutant(random, wanted, 0.3)
        rules: dict[str, Any] = {"expected": wanted}
        if random.random() < 0.4:
            rules["expect_in_result"] = random.choice([True, True, False])
            if random.random() < 0.6 and isinstance(seen, dict):
                seen = {
                    key: random.choice(
                        [
                            each,
                            f"x{each}y",
                            [each],
                            each[0] if isinstance(each, list) and each else each,
                            {str(each): 1},
                        ]
                    )
                    for key, each in seen.items()
                }
        if random.random() < 0.2:
            place = random.choice([rules, wanted])
            place["ignore_list_order"] = random.choice([True, False])
        if random.random() < 0.05:
            wanted["from"] = "__EVALUATION_FAILED__"
        if random.random() < 0.4:
            seen = random.choice([json.dumps(seen), str(seen), f" {json.dumps(seen)}\n"])
            if random.random() < 0.3:
                said, seen = text_mutant(random, seen)
                note += f", {said}"
        said, rules = rare(random, rules)
        yield Case(metric, seen, rules, {}, said or note)


DOCUMENT = {
    "name": "happy",
    "version": "0.0.1",
    "n": 3,
    "none": None,
    "on": True,
    "a": {"b": {"c": "smart"}, "list": ["x.js", 2, {"k": 1}]},
}
PLACES: list[list[Any] | str] = [
    ["name"],
    ["version"],
    ["n"],
    ["none"],
    ["on"],
    ["a", "b", "c"],
    ["a", "list"],
    ["a", "list", 0],
    ["a", "list", 2, "k"],
    "n",
    ["a", "list", -1],
    ["lost"],
    ["name", 0],
    ["a", "lost"],
    ["a", "list", 9],
    [],
]


def at(place: list[Any] | str) -> Any:
    """The value at that place of the document."""
    held: Any = DOCUMENT
    for each in place:
        try:
            held = held[each]
        except (KeyError, IndexError, TypeError):
            return None
    return held


def value_rule(random: Random, held: Any) -> dict[str, Any]:
    """A rule that nearly fits."""
    method = random.choice(
        [
            "eq",
            "eq",
            "ne",
            "re",
            "re.I",
            "lt",
            "ge",
            "approx:0.5",
            "range.te",
            "str_list_eq",
            "str_set_eq",
        ]
    )
    _, near = value_mutant(random, held, 0.6)
    if method.startswith("re"):
        near = random.choice([str(near), "smart", r"\bsmart\b", "^0", "HAPPY"]).replace("(", "")
        near = near.replace("+", "").replace("*", "").replace("[", "").replace("{", "")
    if method.startswith("approx") and not isinstance(near, int | float):
        near = 3
    if method.startswith("range"):
        near = random.choice([[0, 3], [3, 5], [0, 2]])
    if method.startswith("str_"):
        near = random.choice([["smart"], ["a", "b"], ["happy"]])
    return {"method": method, "ref": None if random.random() < 0.05 else near}


def check_json(random: Random, folder: Path) -> Iterator[Case]:
    """A file of JSON or YAML, and rules for places in it."""
    yield from written("check_json", folder)
    while True:
        rules: dict[str, Any] = {}
        for part in ("expect", "unexpect"):
            if random.random() < (0.8 if part == "expect" else 0.4):
                places = random.choices(PLACES, k=random.randint(1, 2))
                rules[part] = [{"key": each, **value_rule(random, at(each))} for each in places]
        note, held = value_mutant(random, DOCUMENT, 0.4)
        options = {"is_yaml": random.choice([True, False])} if random.random() < 0.5 else {}
        said = yaml.safe_dump(held) if options.get("is_yaml") else json.dumps(held)
        if random.random() < 0.2:
            changed, said = text_mutant(random, said)
            note += f", {changed}"
        path = folder / "a.json"
        path.write_text(said, newline="")
        if random.random() < 0.06:
            note = f"the file {spoiled_text(random, path)}"
        yield Case("check_json", path, rules, options, note)


CELLS = [0, 1, 2, -3, 10**6, 0.5, None, "", "1", "x", "+3", " 2 ", b"1", "1e3", "inf", "0"]
STATEMENTS = [
    "SELECT v FROM t",
    "SELECT count(*) FROM t",
    "SELECT v FROM t WHERE v = 9",
    "SELECT 1",
    "SELECT sum(v) FROM t",
    "SELECT count(*) = 1 FROM t",
    "SELECT v FROM u",
    "SELECT -1.5",
    "SELECT NULL",
    "SELEC 1",
]


def sqlite(random: Random, folder: Path) -> Iterator[Case]:
    """A database, and a statement for it."""
    yield from written("run_sqlite3", folder)
    while True:
        path = folder / "a.db"
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE t (v)")
        rows = random.choices(CELLS, k=random.choice([0, 1, 1, 2]))
        connection.executemany("INSERT INTO t VALUES (?)", [(each,) for each in rows])
        connection.commit()
        connection.close()
        statement = random.choice(STATEMENTS)
        note = f"{statement} over {rows}"
        if random.random() < 0.1:
            note = f"the file {spoiled_text(random, path)}"
        seen = path if path.exists() else None  # what a getter gives where there is no file
        if "inf" in rows:
            note = "an infinite number"
        yield Case("run_sqlite3", seen, {"sql": statement}, {}, note)


def printed(metric: str, made: Callable[[Random], tuple[Any, Any]]) -> Cases:
    """What a command printed, or a getter listed, and a rule for it; both may be others."""

    def cases(random: Random, folder: Path) -> Iterator[Case]:
        yield from written(metric, folder)
        yield from asked(metric, folder, DESKTOP)
        while True:
            seen, rules = made(random)
            note, seen = value_mutant(random, seen, 0.3)
            said = ""
            if isinstance(rules, dict):
                said, rules = rare(random, rules)
            yield Case(metric, seen, rules, {}, said or note)

    return cases


def included(random: Random) -> tuple[Any, Any]:
    """What was printed, and texts that should be in it."""
    words = ["vlc.desktop", "no libreoffice is running", "54", "x", "killed"]
    chosen = random.sample(words, 3)
    seen: Any = "\n".join(random.sample(words, random.randint(0, 4)))
    if random.random() < 0.1:
        seen = seen.split("\n")
    rules = {"include": chosen[:2], "exclude": chosen[2:]}
    return seen, {key: rules[key] for key in random.sample(list(rules), random.randint(1, 2))}


APPS = ["thunderbird.desktop", "vim.desktop", "google-chrome.desktop", "a.desktop"]


def favourites(random: Random) -> tuple[Any, Any]:
    """Favourites as gsettings prints them."""
    seen, wanted = random.sample(APPS, random.randint(0, 4)), random.sample(APPS, 3)
    if random.random() < 0.5:
        seen = random.sample(wanted, 3)
    said = random.choice(
        [str(seen), str(seen), f"{seen}\n", "@as []", str(tuple(seen)), f" {seen}"]
    )
    return said, {"expected": wanted}


def moved(random: Random) -> tuple[Any, Any]:
    """A listing of a folder."""
    names = ["emnlp2023.jpg", "hk.jpg", "hong kong.jpg", "monk.jpg"]
    wanted = random.sample(names, 3)
    seen = wanted[:] if random.random() < 0.6 else random.choices(names, k=3)
    random.shuffle(seen)
    nodes: list[dict[str, Any]] = [{"type": "file", "name": each} for each in seen]
    return {"type": "directory", "name": "cpjpg", "children": nodes}, {"expected": wanted}


CLOCK = """               Local time: Thu 2024-01-25 12:56:06 {0}
           Universal time: Thu 2024-01-25 12:56:06 UTC
                 RTC time: Thu 2024-01-25 12:56:05
                Time zone: {1} ({0}, {2})
System clock synchronized: yes
              NTP service: inactive
          RTC in local TZ: no
"""


def clock(random: Random, folder: Path) -> Iterator[Case]:
    """What timedatectl prints."""
    yield from asked("is_utc_0", folder, DESKTOP)
    while True:
        zone = random.choice(
            [
                ("UTC", "Etc/UTC", "+0000"),
                ("CET", "Europe/Berlin", "+0100"),
                ("WET", "Atlantic/Faroe", "+0000"),
            ]
        )
        note, seen = text_mutant(random, CLOCK.format(*zone), 0.3)
        yield Case("is_utc_0", seen, note=note)


def clipboard(random: Random, folder: Path) -> Iterator[Case]:
    """What the clipboard holds."""
    yield from asked("is_in_vm_clickboard", folder, DESKTOP)
    while True:
        choices: list[str | list[str]] = [
            "secret.docx", ["a.docx", "b.docx"], "x", ["x"], "", [],
        ]  # fmt: skip
        wanted = random.choice(choices)
        held = "\n".join(wanted) if isinstance(wanted, list) else wanted
        note, seen = text_mutant(random, held, 0.3)
        said, rules = rare(random, {"expected": wanted})
        yield Case("is_in_vm_clickboard", rules, seen, {}, said or note)


def sizes(random: Random, folder: Path) -> Iterator[Case]:
    """Sizes of a window and of the screen."""
    while True:
        wanted = {"width": 1920, "height": 1080}
        note, seen = value_mutant(random, wanted, 0.4)
        given = NO_FILE if random.random() < 0.05 else value_mutant(random, wanted, 0.8)[1]
        yield Case("is_vlc_fullscreen", seen, given, {}, note)


REASONS = {"another rule": REFUSED, "an infinite number": "a score is a finite number"}
CASES: dict[str, Cases] = {
    "exact_match": plain("exact_match"),
    "match_in_list": plain("match_in_list"),
    "is_in_list": plain("is_in_list"),
    "literal_match": literal,
    "check_direct_json_object": direct,
    "check_json": check_json,
    "run_sqlite3": sqlite,
    "check_include_exclude": printed("check_include_exclude", included),
    "check_gnome_favorite_apps": printed("check_gnome_favorite_apps", favourites),
    "check_moved_jpgs": printed("check_moved_jpgs", moved),
    "is_utc_0": clock,
    "is_in_vm_clickboard": clipboard,
    "is_vlc_fullscreen": sizes,
}
