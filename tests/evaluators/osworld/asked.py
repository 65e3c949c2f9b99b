"""A case of a metric: what a getter gave, what is expected, and the two verdicts that must come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from ambidex.evaluators.osworld import Verdicts
from ambidex.evaluators.osworld.registry import bind_metric, metrics

Given = Any
"""A value as it is, or a function that makes it in a folder."""
Kind = Literal["right", "near", "broken"]
Range = float | tuple[float, float]
"""A score, or the two between which it lies."""


@dataclass(frozen=True)
class Case:
    """One question to one metric."""

    metric: str
    kind: Kind
    about: str
    result: Given
    expected: Given = None
    compat: Range = 0.0
    strict: Range = 0.0
    options: dict[str, object] = field(default_factory=dict)

    def judged(self, folder: Path) -> Verdicts:
        """The verdicts of the metric; rules are checked as when a task is loaded."""
        bound = bind_metric(self.metric, self.options)
        assert bound.unread == ()
        result, expected = made_in(self.result, folder), made_in(self.expected, folder)
        if not isinstance(expected, Path):
            bound.check_expected(expected)
        return bound(result, expected)


def of(metric: str) -> Callable[..., Case]:
    """Cases of one metric: `(kind, about, result, expected, compat, strict, **options)`.

    A right one is worth 1 unless told otherwise, any other 0; strict is compat unless told.
    """

    def case(
        kind: Kind,
        about: str,
        result: Given,
        expected: Given = None,
        compat: Range | None = None,
        strict: Range | None = None,
        **options: object,
    ) -> Case:
        first = compat if compat is not None else float(kind == "right")
        second = strict if strict is not None else first
        return Case(metric, kind, about, result, expected, first, second, options)

    return case


def judge(cases: list[Case]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Parametrize a test with cases, each under its metric and what it is about."""
    named = [f"{each.metric}: {each.kind}, {each.about}" for each in cases]
    return pytest.mark.parametrize("case", cases, ids=named)


def agrees(case: Case, folder: Path) -> None:
    """Both verdicts are those of the case."""
    seen = case.judged(folder)
    for name, score, wanted in (
        ("compat", seen.compat, case.compat),
        ("strict", seen.strict, case.strict),
    ):
        low, high = wanted if isinstance(wanted, tuple) else (wanted, wanted)
        assert low - 1e-9 <= score.value <= high + 1e-9, f"{name} is {score}, not {wanted}"


def lacking(cases: list[Case], *modules: str) -> list[str]:
    """What is missing so that every metric of these modules is tried with a right, a near and a
    broken case, and every repair is seen to make a difference."""
    missing = []
    for name, metric in sorted(metrics().items()):
        if metric.function.__module__.rpartition(".")[2] not in modules:
            continue
        own = [each for each in cases if each.metric == name]
        missing += [
            f"{name}: {kind}"
            for kind in ("right", "near", "broken")
            if kind not in {each.kind for each in own}
        ]
        if metric.repairs and all(each.compat == each.strict for each in own):
            missing.append(f"{name}: a repair that differs")
    return missing


def made_in(given: Given, folder: Path) -> Any:
    """The value itself, made in the folder where it is to be made."""
    if isinstance(given, list):
        return [made_in(each, folder) for each in given]
    return given(folder) if callable(given) else given


def file(name: str, content: str | bytes) -> Callable[[Path], Path]:
    """A file with this content."""

    def made(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return made


def nowhere(folder: Path) -> Path:
    """A file that does not exist."""
    return folder / "nowhere"
