"""How one of OSWorld's metrics is declared, found by its name, and bound to its options.

A metric is a function `(result, [expected,] *, options…) -> Score`. Its types say what it takes:
`expected` and every option are checked against them when a task is loaded. One that has defects
upstream takes `strict: bool` and names each repair.

Fates: an unknown name, an option of a wrong type and an `expected` rule of a wrong form are
`ValueError` at load. A result that is missing or cannot be read is a score of 0 with the reason;
`UpstreamRaisesError` is what upstream does where it ends in an exception: 0 in compat, and said so.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, create_model

import ambidex.evaluators.osworld as package
from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.osworld import Value, Verdicts
from ambidex.evaluators.strict import explain

__all__ = ["ENDS", "Bound", "Metric", "UpstreamRaisesError", "bind_metric", "metric", "metrics"]

ENDS = "upstream ends in an exception"
"""How the reason begins where OSWorld has no verdict at all."""


class UpstreamRaisesError(Exception):
    """Upstream ends in an exception here, so the task has no result there."""


@dataclass(frozen=True)
class Metric:
    """One metric of OSWorld."""

    name: str
    description: str
    function: Callable[..., Score]
    options: type[BaseModel]
    expected: TypeAdapter[Any] | None
    """What it is compared with; `None` for a metric that looks at the result alone."""
    needs_expected: bool
    """Whether a task has to name something to compare with."""
    repairs: tuple[str, ...]
    """What `strict` mends, one sentence each; empty: both verdicts are one."""
    sees_missing: bool
    """Whether it is asked even where there is no result."""

    def __reduce__(self) -> tuple[Callable[[str], Metric], tuple[str]]:
        """By its name: what it is made of is made again where it is declared."""
        return (named, (self.name,))


@dataclass(frozen=True)
class Bound:
    """A metric with its options: what a task asks."""

    metric: Metric
    options: Mapping[str, Any]
    unread: tuple[str, ...]
    """Options that the task gives and the metric never reads."""

    def check_expected(self, expected: Value) -> None:
        """`ValueError` where a rule of the task does not fit the metric."""
        if self.metric.expected is not None:
            try:
                self.metric.expected.validate_python(expected)
            except ValidationError as error:
                raise ValueError(f"{self.metric.name}: {explain(error, whole='it')}") from None

    def __call__(self, result: Value, expected: Value = None) -> Verdicts:
        """Judge. `expected` is left out for a metric that takes none."""
        if result is None and not self.metric.sees_missing:
            missing = Score(0.0, "there is nothing to judge: the result was not collected")
            return Verdicts(missing, missing)
        if not self.metric.repairs:
            only = self._judged(result, expected, {})
            return Verdicts(only, only)
        return Verdicts(
            self._judged(result, expected, {"strict": False}),
            self._judged(result, expected, {"strict": True}),
        )

    def _judged(self, result: Value, expected: Value, mode: dict[str, bool]) -> Score:
        given = [result] if self.metric.expected is None else [result, expected]
        try:
            return self.metric.function(*given, **self.options, **mode)
        except UnreadableError as unreadable:
            return Score(0.0, str(unreadable))
        except UpstreamRaisesError as raised:
            return Score(0.0, f"{ENDS}: {raised}")


def metric(
    *, repairs: tuple[str, ...] = (), sees_missing: bool = False
) -> Callable[[Callable[..., Score]], Metric]:
    """Declare a metric under its function's name, which is OSWorld's; `TypeError` for other
    shapes."""

    def declared(function: Callable[..., Score]) -> Metric:
        name = function.__name__
        description = inspect.getdoc(function)
        if not description:
            raise TypeError(f"{name} has no docstring: it says what is compared")
        hints = get_type_hints(function, include_extras=True)
        parameters = list(inspect.signature(function).parameters.values())
        given = [
            parameter.name
            for parameter in parameters
            if parameter.kind is not parameter.KEYWORD_ONLY
        ]
        if given not in (["result"], ["result", "expected"]):
            raise TypeError(f"{name} takes (result), or (result, expected), then options")
        words = [parameter for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
        if ("strict" in {word.name for word in words}) is not bool(repairs):
            raise TypeError(f"{name} takes `strict` exactly where it names repairs")
        fields: dict[str, Any] = {
            word.name: (hints[word.name], ... if word.default is word.empty else word.default)
            for word in words
            if word.name != "strict"
        }
        return Metric(
            name,
            description,
            function,
            create_model(name, __config__=ConfigDict(extra="ignore"), **fields),
            TypeAdapter(hints["expected"]) if "expected" in given else None,
            any(
                parameter.name == "expected" and parameter.default is parameter.empty
                for parameter in parameters
            ),
            repairs,
            sees_missing,
        )

    return declared


def named(name: str) -> Metric:
    """The metric of that name; KeyError if there is none."""
    return metrics()[name]


def metrics() -> dict[str, Metric]:
    """Every metric of the package by its name."""
    found: dict[str, Metric] = {}
    for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if each.name.endswith("__main__"):
            continue
        loaded = importlib.import_module(each.name)
        found |= {one.name: one for one in vars(loaded).values() if isinstance(one, Metric)}
    return found


def bind_metric(name: str, options: Mapping[str, object]) -> Bound:
    """The metric with these options; `ValueError` for an unknown name or a wrong option. Keys that
    start with `_` are comments."""
    known = metrics()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=3)
        raise ValueError(f"no metric {name!r}" + (f"; there is {', '.join(near)}" if near else ""))
    found = known[name]
    try:
        checked = found.options.model_validate(dict(options))
    except ValidationError as error:
        raise ValueError(f"{name}: {explain(error, whole='it')}") from None
    given = {key: getattr(checked, key) for key in checked.model_fields_set}
    read = {field.alias or key for key, field in found.options.model_fields.items()}
    unread = sorted(key for key in options if key not in read and not key.startswith("_"))
    return Bound(found, given, tuple(unread))
