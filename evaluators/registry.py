"""Declaration of evaluators, look-up by the name that a task uses, and binding to arguments.

Errors: a wrong name or argument is a `ValueError` when the task is loaded; missing or unreadable
evidence scores 0 with the reason; anything else that an evaluator raises is a bug and propagates.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Generic, ParamSpec, get_type_hints

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationError,
    ValidationInfo,
    create_model,
)

import ambidex.evaluators as package
from ambidex.evaluators import Score, UnreadableError

__all__ = [
    "SHARED",
    "Evaluator",
    "EvidenceName",
    "TaskFile",
    "bind",
    "evaluator",
    "evaluators",
    "evidence_name",
    "named",
]

P = ParamSpec("P")

SHARED = "../shared/"
"""The folder of a suite with files that several of its tasks use, as seen from a task."""


@dataclass(frozen=True)
class Evaluator(Generic[P]):
    """One evaluator. Calling it returns a score, which is 0 if the evidence cannot be read."""

    name: str
    """As written in a task: "module.function"."""
    description: str
    function: Callable[P, Score]
    model: type[BaseModel]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Score:
        """Judge the evidence directory."""
        try:
            return self.function(*args, **kwargs)
        except UnreadableError as unreadable:
            return Score(0.0, str(unreadable), unreadable.wants)

    def __reduce__(self) -> tuple[Callable[[str], Evaluator[...]], tuple[str]]:
        """Pickle by name: the receiving process imports the module that declares it."""
        return (named, (self.name,))

    def arguments(self, options: dict[str, object], folder: Path | None) -> dict[str, object]:
        """Validate the arguments of a task; `ValueError` names each wrong one with the reason."""
        try:
            checked = self.model.model_validate(options, context={"folder": folder})
        except ValidationError as error:
            raise ValueError(f"{self.name}: {'; '.join(self._explain(error))}") from None
        # For arguments that were not given, the function's own defaults apply.
        return {name: getattr(checked, name) for name in checked.model_fields_set}

    def _explain(self, error: ValidationError) -> list[str]:
        problems = []
        for item in error.errors(include_url=False):
            argument = ".".join(str(part) for part in item["loc"])
            match item["type"]:
                case "extra_forbidden":
                    allowed = ", ".join(self.model.model_fields)
                    problems.append(f"unknown argument {argument!r}; expected one of: {allowed}")
                case "missing":
                    problems.append(f"argument {argument!r} is required")
                case _:
                    problems.append(f"argument {argument!r}: {item['msg']} (got {item['input']!r})")
        return problems


def evaluator(function: Callable[P, Score]) -> Evaluator[P]:
    """Declare an evaluator: a pure function `(evidence: Path, *, …) -> Score`, else `TypeError`."""
    name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
    description = inspect.getdoc(function)
    if not description:
        raise TypeError(f"{name} has no docstring (task authors need it to find the evaluator)")
    hints = get_type_hints(function, include_extras=True)
    evidence, *rest = inspect.signature(function).parameters.values()
    if evidence.name != "evidence" or any(
        parameter.kind is not parameter.KEYWORD_ONLY for parameter in rest
    ):
        raise TypeError(f"{name} must take (evidence, *, keyword-only arguments)")
    fields: dict[str, Any] = {
        parameter.name: (
            hints[parameter.name],
            ... if parameter.default is parameter.empty else parameter.default,
        )
        for parameter in rest
    }
    # Strict: "42" where a number is expected is an error of the task and is not converted.
    config = ConfigDict(extra="forbid", strict=True)
    return Evaluator(name, description, function, create_model(name, __config__=config, **fields))


def evaluators() -> dict[str, Evaluator[...]]:
    """All evaluators of the package by name."""
    modules = (info.name for info in pkgutil.iter_modules(package.__path__))
    return {name: found for module in modules for name, found in _of_module(module).items()}


def evidence_name(use: str, arguments: Mapping[str, object]) -> str:
    """The name of the piece of evidence that a check reads; empty if it reads all of them."""
    field = named(use).model.model_fields.get("file")
    return str(arguments.get("file", field.default)) if field else ""


def named(use: str) -> Evaluator[...]:
    """Look up an evaluator by name; KeyError if there is none."""
    return _of_module(use.partition(".")[0])[use]


def bind(
    use: str, arguments: dict[str, object], folder: Path | None = None
) -> Callable[[Path], Score]:
    """Build the check of a task: a function from the evidence to a score.

    `folder` is the task's directory, needed by evaluators that compare with a file of the task.
    Raises `ValueError` if there is no evaluator with that name or if the arguments do not fit it.
    """
    module = use.partition(".")[0]
    modules = {info.name for info in pkgutil.iter_modules(package.__path__)}
    selected = _of_module(module).get(use) if module in modules else None
    if selected is None:
        names = sorted(evaluators())
        near = ", ".join(difflib.get_close_matches(use, names, n=3))
        hint = f"did you mean {near}?" if near else f"available: {', '.join(names)}"
        raise ValueError(f"no evaluator {use!r}; {hint}")
    return partial(_judge, selected, selected.arguments(arguments, folder))


def _judge(selected: Evaluator[...], arguments: dict[str, object], evidence: Path) -> Score:
    return selected(evidence, **arguments)


def _of_module(module: str) -> dict[str, Evaluator[...]]:
    loaded = importlib.import_module(f"{package.__name__}.{module}")
    return {value.name: value for value in vars(loaded).values() if isinstance(value, Evaluator)}


def _check_relative(name: str) -> str:
    path = PurePosixPath(name)
    if not name or path.is_absolute() or ".." in path.parts:
        raise ValueError("must be a path inside the directory, such as budget.xlsx")
    return name


def _task_file(name: object, info: ValidationInfo) -> Path:
    if not isinstance(name, str):
        raise ValueError("must be the path of a file of the task, as text")
    folder = (info.context or {}).get("folder")
    if folder is None:
        raise ValueError("names a file of the task, but the task's directory is not known here")
    shared = name.startswith(SHARED)
    _check_relative(name.removeprefix(SHARED))
    path = Path(folder) / name
    if not path.is_file():
        raise ValueError(f"the {'suite' if shared else 'task'} has no file {name}")
    return path


EvidenceName = Annotated[str, AfterValidator(_check_relative)]
"""The name of a collected file, relative to the evidence directory."""

TaskFile = Annotated[Path, BeforeValidator(_task_file)]
"""A file of the task, given by its path relative to the task's directory, or a file that the
suite's tasks share, as `../shared/…`."""
