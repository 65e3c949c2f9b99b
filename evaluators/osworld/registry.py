"""Declaration of OSWorld's metrics, look-up by name, and binding to the options of a task.

A metric is a function `(result, [expected,] *, options…) -> Score`. When a task is loaded,
`expected` and every option are validated against the function's type annotations. A metric that
has defects upstream takes `strict: bool` and lists each repair.

Errors: an unknown name, an option of the wrong type and a malformed `expected` rule are
`ValueError` at load. A result that is missing or unreadable scores 0 with the reason.
`UpstreamRaisesError` stands for an exception in upstream's code: the score is 0, with a reason that
says so.
"""

from __future__ import annotations

import difflib
import functools
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

__all__ = [
    "ENDS",
    "BoundMetric",
    "Metric",
    "UpstreamRaisesError",
    "bind_metric",
    "metric",
    "metrics",
]

ENDS = "upstream ends in an exception"
"""Start of the reason if OSWorld has no verdict at all."""


class UpstreamRaisesError(Exception):
    """Upstream's code raises an exception here, so the task has no result in OSWorld."""


@dataclass(frozen=True)
class Metric:
    """One metric of OSWorld."""

    name: str
    description: str
    function: Callable[..., Score]
    options: type[BaseModel]
    expected: TypeAdapter[Any] | None
    """Validator of `expected`; `None` for a metric that uses the result only."""
    needs_expected: bool
    """Whether a task must supply `expected`."""
    repairs: tuple[str, ...]
    """What `strict` repairs, one sentence each; if empty, both verdicts are the same."""
    sees_missing: bool
    """Whether the metric is also called if there is no result."""

    def __reduce__(self) -> tuple[Callable[[str], Metric], tuple[str]]:
        """Pickle by name: the receiving process imports the module that declares it."""
        return (named, (self.name,))


@dataclass(frozen=True)
class BoundMetric:
    """A metric with the options of a task."""

    metric: Metric
    options: Mapping[str, Any]
    unread: tuple[str, ...]
    """Options that the task sets and the metric does not read."""

    def check_expected(self, expected: Value) -> None:
        """Validate `expected`; `ValueError` if it does not fit the metric."""
        if self.metric.expected is not None:
            try:
                self.metric.expected.validate_python(expected)
            except ValidationError as error:
                raise ValueError(
                    f"{self.metric.name}: {explain(error, whole='the value')}"
                ) from None

    def __call__(self, result: Value, expected: Value = None) -> Verdicts:
        """Return both verdicts. `expected` is omitted for a metric that takes none."""
        if result is None and not self.metric.sees_missing:
            missing = Score(0.0, "there is nothing to judge: the result was not collected")
            return Verdicts(missing, missing)
        if not self.metric.repairs:
            only = self._score(result, expected, {})
            return Verdicts(only, only)
        return Verdicts(
            self._score(result, expected, {"strict": False}),
            self._score(result, expected, {"strict": True}),
        )

    def _score(self, result: Value, expected: Value, mode: dict[str, bool]) -> Score:
        arguments = [result] if self.metric.expected is None else [result, expected]
        try:
            return self.metric.function(*arguments, **self.options, **mode)
        except UnreadableError as unreadable:
            return Score(0.0, str(unreadable))
        except UpstreamRaisesError as raised:
            return Score(0.0, f"{ENDS}: {raised}")


def metric(
    *, repairs: tuple[str, ...] = (), sees_missing: bool = False
) -> Callable[[Callable[..., Score]], Metric]:
    """Declare a metric under its function's name, which is OSWorld's; `TypeError` for any other
    signature."""

    def declared(function: Callable[..., Score]) -> Metric:
        name = function.__name__
        description = inspect.getdoc(function)
        if not description:
            raise TypeError(f"{name} has no docstring, which must say what is compared")
        hints = get_type_hints(function, include_extras=True)
        parameters = list(inspect.signature(function).parameters.values())
        positional = [
            parameter.name
            for parameter in parameters
            if parameter.kind is not parameter.KEYWORD_ONLY
        ]
        if positional not in (["result"], ["result", "expected"]):
            raise TypeError(
                f"{name} must take (result) or (result, expected), then keyword-only options"
            )
        keywords = [
            parameter for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY
        ]
        if ("strict" in {word.name for word in keywords}) is not bool(repairs):
            raise TypeError(f"{name} must take `strict` if and only if it lists repairs")
        fields: dict[str, Any] = {
            word.name: (hints[word.name], ... if word.default is word.empty else word.default)
            for word in keywords
            if word.name != "strict"
        }
        return Metric(
            name,
            description,
            function,
            create_model(name, __config__=ConfigDict(extra="ignore"), **fields),
            TypeAdapter(hints["expected"]) if "expected" in positional else None,
            any(
                parameter.name == "expected" and parameter.default is parameter.empty
                for parameter in parameters
            ),
            repairs,
            sees_missing,
        )

    return declared


def named(name: str) -> Metric:
    """Look up a metric by name; KeyError if there is none."""
    return metrics()[name]


@functools.cache
def metrics() -> Mapping[str, Metric]:
    """All metrics of the package by name."""
    found: dict[str, Metric] = {}
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if module.name.endswith("__main__"):
            continue
        loaded = importlib.import_module(module.name)
        found |= {value.name: value for value in vars(loaded).values() if isinstance(value, Metric)}
    return found


def bind_metric(name: str, options: Mapping[str, object]) -> BoundMetric:
    """Bind a metric to options; `ValueError` for an unknown name or an invalid option. Keys that
    start with `_` are comments."""
    known = metrics()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=3)
        raise ValueError(
            f"no metric {name!r}" + (f"; did you mean {', '.join(near)}?" if near else "")
        )
    selected = known[name]
    try:
        checked = selected.options.model_validate(dict(options))
    except ValidationError as error:
        raise ValueError(f"{name}: {explain(error, whole='the value')}") from None
    explicit = {key: getattr(checked, key) for key in checked.model_fields_set}
    read = {field.alias or key for key, field in selected.options.model_fields.items()}
    unread = sorted(key for key in options if key not in read and not key.startswith("_"))
    return BoundMetric(selected, explicit, tuple(unread))
