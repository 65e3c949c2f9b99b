"""Cases of the metrics on tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import openpyxl

from ambidex.evaluators.osworld import Value
from bench.differential import NO_FILE, NOTHING, Case, Cases, Given
from bench.differential.book_changes import CHANGES, changed
from bench.differential.books import WORDS, draw, drawn
from bench.differential.packings import repacked, spoiled
from bench.differential.written import written

TWO = ("sheet_data", "sheet_print", "sheet_fuzzy", "sparkline", "chart", "style", "freeze",
       "row_props", "col_props", "filter", "pivot_table")  # fmt: skip
KINDS = ("sheet_name", *TWO, "zoom", "data_validation", "check_cell")
WEIGHTS = (2, 8, 4, 3, 2, 6, 7, 3, 3, 4, 3, 4, 3, 4, 8)
CHART_PROPS = ["type", "title", "legend", "direction", "xtitle", "ytitle", "ztitle", "width",
               "height", "anchor"]  # fmt: skip
LOOKS = ["number_format", "font_name", "font_family", "font_color", "font_bold", "font_italic",
         "font_underline", "font_size", "fill_type", "bgcolor", "fgcolor", "hyperlink",
         "merge"]  # fmt: skip
PIVOT_PROPS = ["name", "show_total", "show_empty_row", "show_empty_col", "show_headers", "location",
               "selection", "filter", "col_fields", "row_fields", "data_fields", "data_fields_name",
               "ordered"]  # fmt: skip
VALUE_RULES: list[dict[str, Any]] = [
    {"method": "eq", "ref": "merged"}, {"method": "eq", "ref": 1}, {"method": "eq", "ref": None},
    {"method": "ne", "ref": None}, {"method": "ne", "ref": "Ann"}, {"method": "ge", "ref": 1},
    {"method": "lt", "ref": "b"}, {"method": "re", "ref": "n"}, {"method": "re.I", "ref": "^A"},
    {"method": "approx:0.1", "ref": 1}, {"method": "range.te", "ref": [0, 3]},
    {"method": "eq", "ref": True}, {"method": "eq", "ref": 3}, {"method": "eq", "ref": "ab"},
    {"method": "approx:1", "ref": None}, {"method": "le", "ref": None},
    {"method": "str_set_eq", "ref": ["Ann", "Bo"]},
]  # fmt: skip
LOOK_RULES: list[dict[str, Any]] = [
    {"method": "eq", "ref": True}, {"method": "eq", "ref": False}, {"method": "eq", "ref": None},
    {"method": "eq", "ref": "FFFF0000"}, {"method": "ne", "ref": "FFFF0000"},
    {"method": "re", "ref": "FF"}, {"method": "eq", "ref": "Calibri"}, {"method": "eq", "ref": 11},
    {"method": "eq", "ref": "00000000"}, {"method": "re", "ref": "^https"},
    {"method": "eq", "ref": ""}, {"method": "ge", "ref": 11}, {"method": "eq", "ref": "single"},
]  # fmt: skip


def some(random: Random, held: list[Any], share: float = 0.4) -> list[Any]:
    """A random non-empty selection."""
    return [each for each in held if random.random() < share] or [random.choice(held)]


def two_sheets(random: Random, names: list[str]) -> dict[str, Any]:
    """A sheet of the result and one of the expected workbook, mostly the same."""
    if random.random() < 0.5:
        number = random.randrange(len(names))
        return {"sheet_idx0": random.choice([number, f"RI{number}"]), "sheet_idx1": f"EI{number}"}
    if random.random() < 0.7:
        name = random.choice(names)
        return {"sheet_idx0": f"RN{name}", "sheet_idx1": f"EN{name}"}
    any_ = [0, 1, -1, "RI1", "RI-1", "EI0", "EI2", "RNSheet1", "ENSheet2", "RNnone", "ENnone", 9,
            "EI9", "RI 0"]  # fmt: skip
    return {"sheet_idx0": random.choice(any_), "sheet_idx1": random.choice(any_)}


def one_sheet(random: Random, names: list[str]) -> dict[str, Any]:
    """One sheet, of the result for the most part."""
    number = random.randrange(len(names))
    usual = [number, f"RI{number}", f"RN{names[number]}"]
    rare = ["EI0", f"EN{names[0]}", "RNnone", 9, -1]
    return {"sheet_idx": random.choice(usual if random.random() < 0.85 else rare)}


def rule_of(random: Random, kind: str, names: list[str]) -> dict[str, Any]:
    """A random rule of this kind."""
    rule: dict[str, Any] = {"type": kind}
    if kind == "sheet_name":
        return rule
    rule |= two_sheets(random, names) if kind in TWO else one_sheet(random, names)
    match kind:
        case "sheet_data":
            if random.random() < 0.2:
                rule["precision"] = random.choice([0, 1, 2, 6, -1])
            if random.random() < 0.15:
                rule["ignore_case"] = random.choice([True, False])
        case "sheet_print":
            if random.random() < 0.4:
                rule["ignore_case"] = random.choice([True, False, None])
        case "sheet_fuzzy":
            rule["rules"] = [fuzzy_rule(random) for _ in range(random.choice([1, 1, 2]))]
        case "chart":
            usual = [["type"], ["type", "title"], ["type", "direction"]]
            rule["chart_props"] = (
                random.choice(usual) if random.random() < 0.4 else some(random, CHART_PROPS, 0.3)
            )
        case "style":
            rule["props"] = ["bgcolor"] if random.random() < 0.25 else some(random, LOOKS, 0.25)
        case "row_props":
            rule["props"] = some(random, ["hidden", "height", "collapsed", "ht", "outlineLevel"])
        case "col_props":
            rule["props"] = some(random, ["hidden", "width", "collapsed", "auto_size", "min", "max",
                                          "customWidth"])  # fmt: skip
        case "pivot_table":
            usual = [["col_fields", "filter", "row_fields", "data_fields"]]
            rule["pivot_props"] = (
                random.choice(usual) if random.random() < 0.3 else some(random, PIVOT_PROPS)
            )
        case "zoom":
            rule |= random.choice(
                [{"method": "eq", "ref": 260}, {"method": "approx:10", "ref": 100},
                 {"method": "range.ee", "ref": [90, 120]}, {"method": "gt", "ref": 100},
                 {"method": "eq", "ref": None}, {"method": "ge", "ref": "100"}]
            )  # fmt: skip
        case "data_validation":
            rule["dv_props"] = [validation_rule(random) for _ in range(random.choice([1, 1, 2, 0]))]
        case "check_cell":
            rule["coordinate"] = random.choice(["A1", "A1", "B1", "B2", "A2", "C3", "D3", "ZZ99",
                                                "a1", "$A$1"])  # fmt: skip
            rule["props"] = {
                prop: random.choice(VALUE_RULES if prop == "value" else LOOK_RULES)
                for prop in some(random, ["value", "value", *LOOKS], 0.15)
            }
    return rule


def fuzzy_rule(random: Random) -> dict[str, Any]:
    """How some ranges are compared as texts."""
    rule: dict[str, Any] = {
        "range": some(random, ["A1:A6", "B1:B6", "A1", "C2:D4"]),
        "type": random.choice(["includes", "included_by", "fuzzy_match", "exact_match"]),
    }
    known: dict[str, list[Any]] = {
        "threshold": [50, 85, 99.5],
        "normalization": [[["Rd", "Road"]], [["1", "one"], ["a", "b"]]],
        "ignore_chars": [" ()-", ""],
        "ignore_case": [True, False],
        "trim_leadings": ["+ ", "", None],
        "trim_trailings": [" 0", None],
    }
    for name, choices in known.items():
        if random.random() < 0.3:
            rule[name] = random.choice(choices)
    return rule


def validation_rule(random: Random) -> dict[str, Any]:
    """The expected properties of one validation."""
    rules: dict[str, Any] = {
        "ranges": {"method": "spreadsheet_range", "ref": ["D2:D20", "D1:D1048576"]},
        "type": {"method": "eq", "ref": random.choice(["list", "whole"])},
        "formula1": {"method": random.choice(["str_set_eq", "str_list_eq"]),
                     "ref": ["Pass", "Fail", "Held"]},
        "operator": {"method": "eq", "ref": "greaterThan"},
        "allowBlank": {"method": "eq", "ref": True},
        "error": {"method": "eq", "ref": None},
        "formula2": {"method": "eq", "ref": "9"},
    }  # fmt: skip
    chosen = some(random, list(rules), 0.3)
    if random.random() < 0.5:
        chosen = ["ranges", "type", "formula1"]
    return {name: rules[name] for name in chosen}


def tables(random: Random, folder: Path) -> Iterator[Case]:
    """Workbooks under rules of every kind."""
    yield from written("compare_table", folder)
    while True:
        kinds = random.choices(KINDS, WEIGHTS, k=random.choice([1, 1, 1, 2, 3]))
        drawing = draw(random, set(kinds))
        names = [each.name for each in drawing.sheets]
        changes = random.choices(
            list(CHANGES), (6, 4, 1, 1, 2, 5, 2, 2), k=random.choice([1, 1, 2])
        )
        if "sheet_print" in kinds and random.random() < 0.6:
            changes.append("printed otherwise")
        other = changed(random, drawing, changes)
        expected = drawn(drawing, folder / "expected.xlsx")
        result = drawn(other, folder / "result.xlsx")
        note = f"{'+'.join(kinds)}: {', '.join(changes)}"
        given: Value | Given = expected
        for path in (result, expected):
            if random.random() < 0.15:
                note += f", {repacked(random, path)}"
        if random.random() < 0.05:
            note = f"{kinds[0]}: the result {spoiled(random, result)}"
        elif random.random() < 0.04:
            note = f"{kinds[0]}: the expected {spoiled(random, expected)}"
        elif random.random() < 0.06:
            given = random.choice([NOTHING, NO_FILE])
            note = f"{kinds[0]}: {given.value} expected"
        rules = [rule_of(random, kind, names) for kind in kinds]
        yield Case("compare_table", result, given, {"rules": rules}, note)


def csv_cases(random: Random, folder: Path) -> Iterator[Case]:
    """Text tables that are equal, or differ in something small."""
    yield from written("compare_csv", folder)
    ends = ["\n", "\n", "\n", "\r\n", "\r", "\x0b", "\x0c", "\x1c", "\x1e", "\x85", "\u2028"]
    while True:
        names = [
            random.choice(["Ann", "Bo", "é", " x ", "", "ß"]) for _ in range(random.randint(0, 4))
        ]
        lines = [f"{number},{name}" if name else "" for number, name in enumerate(names)]
        seen = "\n".join(lines)
        note, wanted = random.choice(
            [
                ("equal", seen),
                ("newline at the end", seen + "\n"),
                ("newlines at the end", seen + "\n\n"),
                ("other line ends", random.choice(ends).join(lines)),
                ("a separator at the end", seen + random.choice(ends)),
                ("letter case", seen.upper()),
                ("blanks", seen.replace("\n", " \n") + " "),
                ("another line", seen + "\nx"),
                ("another value", seen.replace("0", "9")),
            ]
        )
        result, expected = folder / "result.csv", folder / "expected.csv"
        coded = random.choice(["utf-8", "utf-8", "utf-8-sig", "latin-1", "utf-16"])
        result.write_bytes(seen.encode(random.choice(["utf-8", coded]), "replace"))
        expected.write_bytes(wanted.encode(coded, "replace"))
        options = {
            name: random.choice([True, False, None])
            for name in ("strict", "ignore_case")
            if random.random() < 0.5
        }
        missing = folder / "missing.csv"
        choices: list[Value | Given] = [
            expected, expected, [expected], [result, expected], [missing, expected], [missing],
            missing, NO_FILE, NOTHING,
        ]  # fmt: skip
        given = random.choice(choices)
        seen_file = missing if random.random() < 0.03 else result
        yield Case("compare_csv", seen_file, given, options, note)


CITIES = ["Vancouver", "Montréal", "Long Beach", "Barcelona", "New Orleans", "São Paulo"]


def conference_cases(random: Random, folder: Path) -> Iterator[Case]:
    """A column of cities that are nearly the expected ones."""
    yield from written("compare_conference_city_in_order", folder)
    while True:
        wanted: list[Any] = [random.choice(CITIES) for _ in range(21)]
        seen: list[Any] = [random.choice([each, each, f"{each}, Canada"]) for each in wanted]
        note = random.choice(
            ["equal", "without accents", "letter case", "punctuation", "one more", "one fewer",
             "empty", "a number", "another", "several names"]
        )  # fmt: skip
        at = random.randrange(21)
        match note:
            case "without accents":
                seen = [each.replace("é", "e").replace("ã", "a") for each in seen]
            case "letter case":
                seen = [each.upper() for each in seen]
            case "punctuation":
                seen = [each.replace(" ", random.choice(["-", "  ", ", "])) for each in seen]
            case "one more":
                wanted.append("Paris")
            case "one fewer":
                wanted.pop()
            case "empty":
                seen[at] = None
            case "a number":
                seen[at], wanted[at] = 2024, random.choice(["2024", "20", "x", 2024])
            case "another":
                seen[at] = random.choice(WORDS)
            case "several names":
                wanted[at] = [wanted[at], "Elsewhere"]
                seen[at] = random.choice(["elsewhere", "Nowhere", seen[at]])
        if random.random() < 0.05:
            wanted[random.randrange(len(wanted))] = random.choice(["", [], ["", "x"], "--"])
        book = openpyxl.Workbook()
        sheet = book.active
        assert sheet is not None
        for row, each in enumerate(seen, start=2):
            sheet.cell(row, 3, each)
        path = folder / "cities.xlsx"
        book.save(path)
        if random.random() < 0.03:
            note = f"the result {spoiled(random, path)}"
        yield Case("compare_conference_city_in_order", path, {"expected": wanted}, {}, note)


REASONS = {
    "compare_table: test: a sheet that spans too much":
        "Refused for safety: reading it would take gigabytes.",
    "compare_table: test: a row beyond the last one":
        "Refused for safety: no sheet has such a row.",
}  # fmt: skip
CASES: dict[str, Cases] = {
    "compare_table": tables,
    "compare_csv": csv_cases,
    "compare_conference_city_in_order": conference_cases,
}
