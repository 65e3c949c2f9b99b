"""Metrics on desktop and shell: favourites, time zone, folders, clipboard, test reports."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import TypedDict

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.bounded import parse_expression
from ambidex.evaluators.evidence import MIB
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.answers import fields, json_of, text_of
from ambidex.evaluators.osworld.given import text
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.values import shown, verdict

ZONE = re.compile(r"^\s*Time zone:.*\+0000\)\s*$", re.MULTILINE)


class Names(TypedDict):
    """Names, in any order."""

    expected: list[Any] | str


class Report(BaseModel):
    """The result of a test suite, run where the agent's files can do no harm."""

    model_config = ConfigDict(extra="forbid", strict=True)

    passed: int = Field(ge=0)
    failed: int = Field(ge=0)
    errors: list[str] = []


@metric(repairs=("The empty list of gsettings, `@as []`, is accepted: upstream raises at it.",))
def check_gnome_favorite_apps(result: Value, expected: Names, *, strict: bool) -> Score:
    """The dock's favourites, a list as printed by gsettings, are exactly these, in any order."""
    printed = text_of(result)
    if strict:
        printed = printed.strip().removeprefix("@as ")
    try:
        actual = ast.literal_eval(parse_expression(printed))
    except (ValueError, TypeError, RecursionError, MemoryError) as error:
        raise UnreadableError(f"{shown(printed)} is not a list of applications") from error
    kinds = list if strict else list | tuple | set | dict | str
    if not isinstance(actual, kinds) or (strict and not all(isinstance(e, str) for e in actual)):
        raise UnreadableError(f"{shown(printed)} is not a list of applications")
    return _exactly(list(actual), list(expected["expected"]), count=len(actual))


@metric()
def check_moved_jpgs(result: Value, expected: Names) -> Score:
    """The folder has exactly these entries; the result is its tree (`children`, each a `name`)."""
    children = fields(result).get("children")
    if not isinstance(children, list) or not all(
        isinstance(child, dict) and "name" in child for child in children
    ):
        raise UnreadableError("not the listing of a folder")
    names = [child["name"] for child in children]
    return _exactly(names, list(expected["expected"]), count=len(names))


def _exactly(actual: list[Any], target: list[Any], *, count: int) -> Score:
    if count != len(target):
        return Score(0.0, f"there are {count}, not {len(target)}: {shown(actual)}")
    try:
        missing, more = set(target) - set(actual), set(actual) - set(target)
    except TypeError as error:
        raise UpstreamRaisesError(
            f"{shown(actual)} cannot be compared with {shown(target)}"
        ) from error
    wrong = [f"{shown(item)} is missing" for item in sorted(missing, key=str)]
    wrong += [f"{shown(item)} should not be there" for item in sorted(more, key=str)]
    return verdict(wrong, f"exactly the {len(target)} expected entries are present")


@metric(
    repairs=(
        "The line with the time zone is found by its label: upstream takes the fourth line,"
        " whatever it is, and raises if there are fewer.",
    )
)
def is_utc_0(result: Value, *, strict: bool) -> Score:
    """`timedatectl status` reports a time zone at +0000."""
    printed = text_of(result)
    if strict:
        return Score(float(bool(ZONE.search(printed))), f"timedatectl printed {shown(printed)}")
    lines = printed.split("\n")
    if len(lines) < 4:
        raise UpstreamRaisesError(f"there is no fourth line in {shown(printed)}")
    return Score(float(lines[3].endswith("+0000)")), f"the fourth line is {shown(lines[3])}")


@metric(
    repairs=(
        "A line of the clipboard equals the expected text, apart from surrounding blanks: "
        "upstream accepts any text around the expected one, so that `secret.docx.old` passes for "
        "`secret.docx`.",
    )
)
def is_in_vm_clickboard(result: Value, expected: Value, *, strict: bool) -> Score:
    """The clipboard contains the text, or all the texts, of the rule. Tasks swap the arguments:
    `expected` is the printed clipboard and `result` the rule."""
    rule: Mapping[str, Any] = fields(result)
    texts = rule.get("expected")
    target: list[Any] = texts if isinstance(texts, list) else [texts]
    if not strict and isinstance(expected, list | dict) and "expected" in rule:
        contained = all(text in expected for text in target)
        return Score(float(contained), f"the clipboard holds {shown(expected)}")
    if not all(isinstance(text, str) for text in target):
        raise UnreadableError("the rule names no text")
    clipboard = text_of(expected)
    lines = {line.strip() for line in clipboard.splitlines()}
    missing = [
        f"{shown(item)} is not in the clipboard"
        for item in target
        if not (
            item.strip() in lines or item.strip() == clipboard.strip()
            if strict
            else item in clipboard
        )
    ]
    return verdict(missing, f"the clipboard holds {shown(clipboard)}")


@metric()
def check_python_file_by_test_suite(
    result: Value, expected: Path | None = None, *, test_function_name: str = "test"
) -> Score:
    """The share of the suite's tests that pass; a test that could not be run has failed.

    The result is a report `{"passed": n, "failed": n, "errors": [text, …]}` of the suite (the file
    `expected`, its function `test_function_name`), which was run in a fresh sandbox. Upstream runs
    the suite, and with it the agent's files, inside the judging process.
    """
    source: object = result
    if isinstance(result, Path):
        source = json_of(text(result, MIB), "the test report")
    try:
        report = Report.model_validate(source)
    except (ValidationError, TypeError, ValueError) as error:
        raise UnreadableError(f"not a test report: {error}") from error
    run = report.passed + report.failed + len(report.errors)
    why = f"; {shown(report.errors[0])}" if report.errors else ""
    if not run:
        return Score(0.0, "no test was run")
    return Score(report.passed / run, f"{report.passed} of {run} tests pass{why}")


@metric()
def infeasible(result: Value) -> Score:
    """The agent declared the task infeasible: its episode ended with "infeasible"."""
    ended = text_of(result)
    return Score(float(ended == "infeasible"), f"the episode ended with {shown(ended)}")
