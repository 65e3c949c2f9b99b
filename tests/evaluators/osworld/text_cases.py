"""Cases of the metrics on texts, values and records."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from ambidex.evaluators.osworld import Value
from tests.evaluators.osworld.cases import Case, MetricInput, broken, near, right
from tests.evaluators.osworld.makers import cells, garbage, text

CITIES = ["Scottsdale", ["Montreal", "Montréal"], "San Juan"] * 7


def two(said: str, target: str, **options: Any) -> Any:
    """A collected text file and an expected one."""

    def make(folder: Path) -> MetricInput:
        return MetricInput(text(folder / "a.txt", said), text(folder / "b.txt", target), options)

    return make


def one(said: str, rules: dict[str, Any], **options: Any) -> Any:
    return lambda folder: MetricInput(text(folder / "a.txt", said), rules, options)


def value(result: Value, expected: Value, **options: Any) -> Any:
    return lambda _: MetricInput(result, expected, options)


def missing(expected: Value = None, **options: Any) -> Any:
    """The getter gave a path, but nothing was collected there."""

    def make(folder: Path) -> MetricInput:
        target = text(folder / "b.txt", "a\n") if expected is None else expected
        return MetricInput(folder / "nothing.txt", target, options)

    return make


def binary(expected: Value = None, **options: Any) -> Any:
    def make(folder: Path) -> MetricInput:
        target = text(folder / "b.txt", "a\n") if expected is None else expected
        return MetricInput(garbage(folder / "a.txt"), target, options)

    return make


def database(sql: str, *rows: int) -> Any:
    def make(folder: Path) -> MetricInput:
        with sqlite3.connect(folder / "a.sqlite") as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("CREATE TABLE found (id INTEGER)")
            connection.executemany("INSERT INTO found VALUES (?)", [(row,) for row in rows])
        connection.close()
        return MetricInput(folder / "a.sqlite", {"sql": sql})

    return make


def cities(*names: str | None) -> Any:
    def make(folder: Path) -> MetricInput:
        rows: list[list[Any]] = [
            ["Year", "Name", "City"],
            *[[2013, "ICLR", name] for name in names * 7],
        ]
        return MetricInput(cells(folder / "a.xlsx", rows), {"expected": CITIES})

    return make


def several(said: str, *target: str) -> Any:
    def make(folder: Path) -> MetricInput:
        files = [text(folder / f"{number}.csv", item) for number, item in enumerate(target)]
        return MetricInput(text(folder / "a.csv", said), files)

    return make


JSON: dict[str, Any] = {
    "expect": [
        {"key": ["author", "name"], "method": "eq", "ref": "Test"},
        {"key": ["tags", 1], "method": "re", "ref": "^b"},
    ],
    "unexpect": [{"key": ["draft"], "method": "eq", "ref": True}],
}
REFERENCE = '{"author": {"name": "Test"}, "tags": ["a", "bc"]}'
ACCOUNT = {"url": "imap://mail.example", "user": "anna"}
PLACES = {"one": ["Kili", "kili.jpg"], "two": "Everest"}
MODELS = {"expected": {"models": ["pro", "max"]}, "ignore_list_order": True}

CASES: list[Case] = [
    right("compare_text_file", "the same text", two("a\r\nb\n", "a\nb\n")),
    right("compare_text_file", "blanks and case left out",
          two(" A\t b\n", "a b", ignore_blanks=True, ignore_case=True)),
    near("compare_text_file", "a newline more at the end", two("a\n\n", "a\n")),
    near("compare_text_file", "another case", two("A", "a", ignore_blanks=True), because="'A'"),
    broken("compare_text_file", "no file", missing(), "was not collected"),
    broken("compare_text_file", "no text", binary(), "not UTF-8"),

    right("diff_text_file", "the same lines", two("a\nb\n", "a\nb\n")),
    near("diff_text_file", "one line of two differs", two("a\nb\n", "a\nc\n"), 0.5, 0.5),
    broken("diff_text_file", "no file", missing()),
    broken("diff_text_file", "too many lines to pair", two("a\n" * 50_001, "a\n"), "50000 lines"),

    right("file_contains", "all texts", one("CPU %user", {"expected": ["CPU", "%user"]})),
    near("file_contains", "one is missing", one("CPU", {"expected": ["CPU", "%user"]}),
         because="'%user' is missing"),
    broken("file_contains", "no file", missing({"expected": ["a"]})),

    right("compare_python_pure_text", "the same code",
          two("#!/usr/bin/python\n# -*- coding: utf-8 -*-\ndef a():\n\n\treturn 1  \n",
              "def a():\n    return 1\n")),
    near("compare_python_pure_text", "another number",
         two("def a():\n    return 2\n", "def a():\n    return 1\n")),
    near("compare_python_pure_text", "another depth",
         two("if a:\n    b()\nc()\n", "if a:\n    b()\n    c()\n")),
    broken("compare_python_pure_text", "no file", missing()),

    right("compare_result_files", "the same number otherwise written", two("3.14160\n", "3.1416")),
    right("compare_result_files", "a number among words", two("the sum is 10.", "10")),
    near("compare_result_files", "a number within a longer one", two("10", "1"), 1.0, 0.0, "'10'"),
    near("compare_result_files", "the start of a fraction", two("1.5", "1"), 1.0, 0.0),
    near("compare_result_files", "another text", two("yes", "no")),
    broken("compare_result_files", "no file", missing()),

    right("check_line_number", "as many lines with a time",
          one("10:00:01 CPU\nnothing\n23:59:60 x\n", {"expected": "2"})),
    near("check_line_number", "25 is no hour", one("25:00:00\n10:00:01\n", {"expected": 2})),
    broken("check_line_number", "no file", missing({"expected": "0"})),

    right("check_list", "each pattern on some line",
          one("./COMPANY.msf\n./COMPANY\n",
              {"expect": [r"\bCOMPANY\.msf\b", r"COMPANY/?(?!\.msf)$"], "unexpect": ["UNI"]})),
    right("check_list", "nothing that should not be there", one("", {"unexpect": [".+"]})),
    near("check_list", "a pattern over two lines", one("a\nb\n", {"expect": ["a\nb"]})),
    near("check_list", "an unexpected line", one("a\n", {"unexpect": [".+"]})),
    broken("check_list", "no file", missing({"unexpect": ["a"]})),

    right("check_include_exclude", "in and out",
          value("43 132\n", {"include": ["43 132"], "exclude": ["error"]})),
    near("check_include_exclude", "an excluded text",
         value("not found", {"include": [], "exclude": ["not found"]})),
    near("check_include_exclude", "54 within 154",
         value("154 files", {"include": ["54"]}), 1.0, 0.0, "'54' is missing"),
    near("check_include_exclude", "an exclusion is found within a word in both",
         value("ModuleNotFoundError: a", {"exclude": ["Error:"]})),
    broken("check_include_exclude", "nothing was printed", value(None, {"include": []})),
    broken("check_include_exclude", "no text", value(3, {"include": ["3"]})),

    right("exact_match", "the same", value("true\n", {"expected": "true\n"})),
    near("exact_match", "without its newline", value("true", {"expected": "true\n"})),
    near("exact_match", "nothing", value(None, {"expected": None}), 1.0, 0.0),
    broken("exact_match", "nothing at all", value(None, {"expected": "a"})),

    right("match_in_list", "one of two", value("Bing", {"expected": ["Microsoft Bing", "Bing"]})),
    near("match_in_list", "a part of one", value("Bin", {"expected": ["Microsoft Bing", "Bing"]})),
    near("match_in_list", "nothing", value(None, {"expected": [None]}), 1.0, 0.0),
    broken("match_in_list", "nothing at all", value(None, {"expected": ["a"]})),

    right("is_in_list", "a member", value(["/a", "/b"], {"expected": "/b"})),
    near("is_in_list", "a part of a member", value(["/a/b"], {"expected": "/b"})),
    broken("is_in_list", "not a list", value(3.0, {"expected": "/b"}), "is not a list"),

    right("literal_match", "the same list in another case",
          value(["Yann", 147], ["yann", "147"], type="list", ignore_case=True)),
    right("literal_match", "the same text", value("a", "a")),
    near("literal_match", "a number is no text", value([147], ["147"], type="list"), 1.0, 0.0),
    near("literal_match", "another order", value(["b", "a"], ["a", "b"], type="list")),
    near("literal_match", "another case", value("A", "a")),
    broken("literal_match", "not a list", value("a", ["a"], type="list"), "not both lists"),

    right("check_direct_json_object", "every key",
          value({"start": "SEA", "more": 1}, {"expected": {"start": "SEA"}})),
    right("check_direct_json_object", "printed by Python",
          value("{'start': 'SEA'}\n", {"expected": {"start": "SEA"}})),
    right("check_direct_json_object", "one of a list and a part of a text",
          value({"one": "kili.jpg", "two": "Mount Everest"},
                {"expected": PLACES, "expect_in_result": True})),
    right("check_direct_json_object", "a member of a list",
          value({"one": ["Kili"], "two": ["Everest"]},
                {"expected": PLACES, "expect_in_result": True})),
    near("check_direct_json_object", "another value",
         value({"start": "SEA "}, {"expected": {"start": "SEA"}}), because="start is 'SEA '"),
    near("check_direct_json_object", "none of a list",
         value({"one": "Fuji", "two": "Everest"}, {"expected": PLACES, "expect_in_result": True})),
    near("check_direct_json_object", "a list in another order, which the task allows",
         value({"models": ["max", "pro"]}, MODELS), 0.0, 1.0),
    near("check_direct_json_object", "JSON with an apostrophe in a text",
         value('{"place": "Alberta\'s"}', {"expected": {"place": "Alberta's"}}), 0.0, 1.0),
    near("check_direct_json_object", "an expected value that no getter could find",
         value({"a": "__EVALUATION_FAILED__"}, {"expected": {"a": "__EVALUATION_FAILED__"}})),
    broken("check_direct_json_object", "not JSON", value("Traceback", {"expected": {"a": 1}}),
           "neither JSON nor"),
    broken("check_direct_json_object", "no object", value(["a"], {"expected": {"a": 1}})),

    right("check_json", "the rules hold", one(REFERENCE, JSON)),
    right("check_json", "YAML", one("author: {name: Test}\ntags: [a, bc]\n", JSON, is_yaml=True)),
    near("check_json", "an unexpected value", one(REFERENCE[:-1] + ', "draft": true}', JSON)),
    near("check_json", "a list that is too short", one(
        '{"a": []}', {"unexpect": [{"key": ["a", 0], "method": "eq", "ref": 1}]}), 0.0, 1.0),
    near("check_json", "a key is missing", one('{"author": {"name": "Test"}}', JSON),
         because="tags.1 is missing"),
    near("check_json", "a rule on text meets a number", one(REFERENCE.replace('"bc"', "3"), JSON)),
    broken("check_json", "cut off", one(REFERENCE[:-1], JSON), "not JSON"),
    broken("check_json", "an object of Python in YAML",
           one("author: !!python/name:os.system\n", JSON, is_yaml=True), "not YAML"),
    broken("check_json", "no file", missing(JSON)),

    right("run_sqlite3", "the first cell", database("SELECT count(*) = 2 FROM found", 1, 2)),
    near("run_sqlite3", "more than 1", database("SELECT count(*) FROM found", 1, 2, 3), 3.0, 1.0),
    near("run_sqlite3", "less than 0", database("SELECT -count(*) FROM found", 1), -1.0, 0.0),
    near("run_sqlite3", "a row too few", database("SELECT count(*) = 2 FROM found", 1)),
    near("run_sqlite3", "no row", database("SELECT id FROM found"), because="returns no row"),
    broken("run_sqlite3", "another table", database("SELECT id FROM lost", 1), "no such table"),
    broken("run_sqlite3", "a statement that writes", database("DELETE FROM found", 1),
           "not authorized"),
    broken("run_sqlite3", "no database",
           lambda folder: MetricInput(garbage(folder / "a"), {"sql": "SELECT 1 FROM found"})),

    right("compare_csv", "the same lines", two("a,b\r\n1,2\r\n", "a,b\n1,2\n")),
    right("compare_csv", "one of several", several("c\n", "a\n", "c\n")),
    right("compare_csv", "blanks and case left out",
          two(" A,b\n", "a,B \n", strict=False, ignore_case=True)),
    near("compare_csv", "a mark of the byte order", two("\ufeffa\n", "a\n"), 0.0, 1.0),
    near("compare_csv", "a blank more", two("a, b\n", "a,b\n")),
    near("compare_csv", "a line too few", two("a\n", "a\nb\n"), because="1 lines, not 2"),
    broken("compare_csv", "no file", missing()),
    broken("compare_csv", "no file of a workbook",
           lambda folder: MetricInput(garbage(folder / "a"), text(folder / "b", "a"))),

    right("check_csv", "a row as expected, none as not",
          one("url,user,x\nimap://mail.example,anna,1\n",
              {"expect": [ACCOUNT], "unexpect": [{**ACCOUNT, "user": "otto"}]})),
    near("check_csv", "its columns in two rows",
         one("url,user\nimap://mail.example,otto\nx,anna\n", {"expect": [ACCOUNT]})),
    near("check_csv", "an unexpected row",
         one("user,url\nanna,imap://mail.example\n", {"unexpect": [ACCOUNT]})),
    broken("check_csv", "no file", missing({"unexpect": [ACCOUNT]})),
    broken("check_csv", "a field without end",
           one("url\n" + '"' + "x" * 200_000, {"unexpect": [ACCOUNT]}), "not CSV"),

    right("compare_conference_city_in_order", "every city",
          cities("Scottsdale, USA", "Montréal", "San Juan")),
    near("compare_conference_city_in_order", "two exchanged",
         cities("San Juan", "Montreal", "Scottsdale"), because="C2 is 'San Juan'"),
    near("compare_conference_city_in_order", "one is left out",
         cities("Scottsdale", None, "San Juan")),
    broken("compare_conference_city_in_order", "no workbook",
           lambda folder: MetricInput(garbage(folder / "a.xlsx"), {"expected": CITIES})),
]  # fmt: skip
