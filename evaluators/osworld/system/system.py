"""The desktop and the shell: favourites, clock, folders, clipboard, a test suite's report."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import TypedDict

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.evidence import MIB
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.answers import fields, json_of, said
from ambidex.evaluators.osworld.given import text
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.values import shown, verdict

ZONE = re.compile(r"^\s*Time zone:.*\+0000\)\s*$", re.MULTILINE)


class Names(TypedDict):
    """Names, in any order."""

    expected: list[Any] | str


class Report(BaseModel):
    """What a suite of tests came to, run where the agent's files cannot do harm."""

    model_config = ConfigDict(extra="forbid", strict=True)

    passed: int = Field(ge=0)
    failed: int = Field(ge=0)
    errors: list[str] = []


@metric(
    repairs=(
        "An empty list is read as gsettings prints it, `@as []`: upstream ends in an exception.",
    )
)
def check_gnome_favorite_apps(result: Value, expected: Names, *, strict: bool) -> Score:
    """The favourites of the dock are exactly these, in any order; a list as gsettings prints it."""
    printed = said(result)
    if strict:
        printed = printed.strip().removeprefix("@as ")
    try:
        actual = ast.literal_eval(printed)
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise UnreadableError(f"{shown(printed)} is no list of applications") from error
    kinds = list if strict else list | tuple | set | dict | str
    if not isinstance(actual, kinds) or (strict and not all(isinstance(e, str) for e in actual)):
        raise UnreadableError(f"{shown(printed)} is no list of applications")
    return _exactly(list(actual), list(expected["expected"]), count=len(actual))


@metric()
def check_moved_jpgs(result: Value, expected: Names) -> Score:
    """The folder holds exactly these names; the result is its tree (`children`, each a `name`)."""
    children = fields(result).get("children")
    if not isinstance(children, list) or not all(
        isinstance(child, dict) and "name" in child for child in children
    ):
        raise UnreadableError("no listing of a folder was given")
    names = [child["name"] for child in children]
    return _exactly(names, list(expected["expected"]), count=len(names))


def _exactly(actual: list[Any], target: list[Any], *, count: int) -> Score:
    if count != len(target):
        return Score(0.0, f"there are {count}, not {len(target)}: {shown(actual)}")
    try:
        lost, more = set(target) - set(actual), set(actual) - set(target)
    except TypeError as error:
        raise UpstreamRaisesError(
            f"{shown(actual)} cannot be compared with {shown(target)}"
        ) from error
    wrong = [f"{shown(each)} is missing" for each in sorted(lost, key=str)]
    wrong += [f"{shown(each)} should not be there" for each in sorted(more, key=str)]
    return verdict(wrong, f"exactly the {len(target)} expected are there")


@metric(
    repairs=(
        "The line with the time zone is found by its name: upstream takes the fourth line, whatever"
        " stands there, and fails where there are fewer.",
    )
)
def is_utc_0(result: Value, *, strict: bool) -> Score:
    """`timedatectl status` says that the time zone is at +0000."""
    printed = said(result)
    if strict:
        return Score(float(bool(ZONE.search(printed))), f"timedatectl says {shown(printed)}")
    lines = printed.split("\n")
    if len(lines) < 4:
        raise UpstreamRaisesError(f"there is no fourth line in {shown(printed)}")
    return Score(float(lines[3].endswith("+0000)")), f"the fourth line is {shown(lines[3])}")


@metric(
    repairs=(
        "A line of the clipboard is the expected text, blanks around it apart: upstream takes any"
        " text around the expected one too, so `secret.docx.old` is `secret.docx`.",
    )
)
def is_in_vm_clickboard(result: Value, expected: Value, *, strict: bool) -> Score:
    """The clipboard (`expected`, what a command printed) holds the text, or all the texts, that the
    rule names (`result`: tasks give the two the other way round)."""
    rule: Mapping[str, Any] = fields(result)
    asked = rule.get("expected")
    target: list[Any] = asked if isinstance(asked, list) else [asked]
    if not strict and isinstance(expected, list | dict) and "expected" in rule:
        return Score(float(all(each in expected for each in target)), f"held: {shown(expected)}")
    if not all(isinstance(each, str) for each in target):
        raise UnreadableError("the rule names no text")
    held = said(expected)
    lines = {line.strip() for line in held.splitlines()}
    missing = [
        f"{shown(each)} is not in the clipboard"
        for each in target
        if not (each.strip() in lines or each.strip() == held.strip() if strict else each in held)
    ]
    return verdict(missing, f"the clipboard holds {shown(held)}")


@metric()
def check_python_file_by_test_suite(
    result: Value, expected: Path | None = None, *, test_function_name: str = "test"
) -> Score:
    """The share of the suite's tests that pass; one that could not be run is one that failed.

    The result is a report, `{"passed": n, "failed": n, "errors": [text, …]}`, of the suite
    (`expected`, its function `test_function_name`) run in a fresh sandbox. Upstream runs the suite
    with the agent's files inside the process that judges.
    """
    source: object = result
    if isinstance(result, Path):
        source = json_of(text(result, MIB), "the report of the tests")
    try:
        report = Report.model_validate(source)
    except (ValidationError, TypeError, ValueError) as error:
        raise UnreadableError(f"no report of a suite of tests: {error}") from error
    run = report.passed + report.failed + len(report.errors)
    why = f"; {shown(report.errors[0])}" if report.errors else ""
    if not run:
        return Score(0.0, "no test was run")
    return Score(report.passed / run, f"{report.passed} of {run} tests pass{why}")


@metric()
def infeasible(result: Value) -> Score:
    """The agent itself said that the task cannot be done: its episode ended with "infeasible"."""
    ended = said(result)
    return Score(float(ended == "infeasible"), f"the episode ended with {shown(ended)}")
