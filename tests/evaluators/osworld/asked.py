"""Cases for metrics, declared inline: getter values, expected values and both verdicts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ambidex.evaluators.osworld import Verdicts
from ambidex.evaluators.osworld.registry import bind_metric, metrics
from tests.support.tables import every_case

Input = Any
"""A value, or a function that creates it in a folder."""
Kind = Literal["right", "near", "broken"]
Range = float | tuple[float, float]
"""A score, or a range of scores."""


@dataclass(frozen=True)
class Case:
    """One case of one metric."""

    metric: str
    kind: Kind
    about: str
    result: Input
    expected: Input = None
    compat: Range = 0.0
    strict: Range = 0.0
    options: dict[str, object] = field(default_factory=dict)

    def judged(self, folder: Path) -> Verdicts:
        """The verdicts of the metric; rules are validated as when a task is loaded."""
        bound = bind_metric(self.metric, self.options)
        assert bound.unread == ()
        result, expected = made_in(self.result, folder), made_in(self.expected, folder)
        if not isinstance(expected, Path):
            bound.check_expected(expected)
        return bound(result, expected)


def of(metric: str) -> Callable[..., Case]:
    """A factory for cases of one metric: `(kind, about, result, expected, compat, strict,
    **options)`.

    By default `compat` is 1 for a right case and 0 for others, and `strict` equals `compat`.
    """

    def case(
        kind: Kind,
        about: str,
        result: Input,
        expected: Input = None,
        compat: Range | None = None,
        strict: Range | None = None,
        **options: object,
    ) -> Case:
        first = compat if compat is not None else float(kind == "right")
        second = strict if strict is not None else first
        return Case(metric, kind, about, result, expected, first, second, options)

    return case


def judge(cases: list[Case]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Check all cases in one test, which names those that fail by metric, kind and subject."""
    return every_case("case", cases, lambda item: f"{item.metric}: {item.kind}, {item.about}")


def agrees(case: Case, folder: Path) -> None:
    """Assert that both verdicts are those of the case."""
    actual = case.judged(folder)
    for name, score, target in (
        ("compat", actual.compat, case.compat),
        ("strict", actual.strict, case.strict),
    ):
        low, high = target if isinstance(target, tuple) else (target, target)
        assert low - 1e-9 <= score.value <= high + 1e-9, f"{name} is {score}, not {target}"


def lacking(cases: list[Case], *modules: str) -> list[str]:
    """Missing cases: every metric of these modules needs a right, a near and a broken case, and
    every metric with repairs a case in which the verdicts differ."""
    missing = []
    for name, metric in sorted(metrics().items()):
        if metric.function.__module__.rpartition(".")[2] not in modules:
            continue
        own = [item for item in cases if item.metric == name]
        missing += [
            f"{name}: {kind}"
            for kind in ("right", "near", "broken")
            if kind not in {item.kind for item in own}
        ]
        if metric.repairs and all(item.compat == item.strict for item in own):
            missing.append(f"{name}: a repair that differs")
    return missing


def made_in(value: Input, folder: Path) -> Any:
    """The value, created in the folder if it is a function."""
    if isinstance(value, list):
        return [made_in(item, folder) for item in value]
    return value(folder) if callable(value) else value


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
