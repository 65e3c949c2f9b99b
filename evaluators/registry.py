"""How an evaluator is declared, found by the name a task uses, and bound to its arguments.

Fates: a wrong name or argument is a `ValueError` when the task is loaded; evidence that is missing
or cannot be read is a score of 0 with the reason; anything else an evaluator raises is a bug and
stays an exception.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import pkgutil
from collections.abc import Callable
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

__all__ = ["Evaluator", "EvidenceName", "TaskFile", "bind", "evaluator", "evaluators", "named"]

P = ParamSpec("P")


@dataclass(frozen=True)
class Evaluator(Generic[P]):
    """One evaluator; calling it judges, and evidence that cannot be read is a score of 0."""

    name: str
    """As a task says it: "module.function"."""
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
        """By its name: what it is made of is made again where it is declared."""
        return (named, (self.name,))

    def arguments(self, given: dict[str, object], folder: Path | None) -> dict[str, object]:
        """The arguments as the function takes them; `ValueError` says which are wrong and why."""
        try:
            checked = self.model.model_validate(given, context={"folder": folder})
        except ValidationError as error:
            raise ValueError(f"{self.name}: {'; '.join(self._explain(error))}") from None
        # What was not given stays the function's own default.
        return {name: getattr(checked, name) for name in checked.model_fields_set}

    def _explain(self, error: ValidationError) -> list[str]:
        said = []
        for item in error.errors(include_url=False):
            where = ".".join(str(part) for part in item["loc"])
            match item["type"]:
                case "extra_forbidden":
                    allowed = ", ".join(self.model.model_fields)
                    said.append(f"unknown argument {where!r}, it takes {allowed}")
                case "missing":
                    said.append(f"argument {where!r} is required")
                case _:
                    said.append(f"argument {where!r}: {item['msg']} (got {item['input']!r})")
        return said


def evaluator(function: Callable[P, Score]) -> Evaluator[P]:
    """Declare a pure function `(evidence: Path, *, …) -> Score`; `TypeError` for other shapes."""
    name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
    description = inspect.getdoc(function)
    if not description:
        raise TypeError(f"{name} has no docstring: it is how an author of tasks finds it")
    hints = get_type_hints(function, include_extras=True)
    evidence, *rest = inspect.signature(function).parameters.values()
    if evidence.name != "evidence" or any(each.kind is not each.KEYWORD_ONLY for each in rest):
        raise TypeError(f"{name} takes (evidence, *, keyword-only arguments)")
    fields: dict[str, Any] = {
        each.name: (hints[each.name], ... if each.default is each.empty else each.default)
        for each in rest
    }
    # Strict: a task that says "42" where a number is meant is wrong, not helped.
    config = ConfigDict(extra="forbid", strict=True)
    return Evaluator(name, description, function, create_model(name, __config__=config, **fields))


def evaluators() -> dict[str, Evaluator[...]]:
    """Every evaluator of the package by its name."""
    found = (each.name for each in pkgutil.iter_modules(package.__path__))
    return {name: each for module in found for name, each in _of(module).items()}


def named(use: str) -> Evaluator[...]:
    """The evaluator of that name; KeyError if there is none."""
    return _of(use.partition(".")[0])[use]


def bind(
    use: str, arguments: dict[str, object], folder: Path | None = None
) -> Callable[[Path], Score]:
    """The check of a task: a function from the evidence to a score.

    `folder` is the task's directory, needed by evaluators that compare with a file of the task.
    Raises `ValueError` where no evaluator has that name or the arguments do not fit it.
    """
    module = use.partition(".")[0]
    known = {each.name for each in pkgutil.iter_modules(package.__path__)}
    found = _of(module).get(use) if module in known else None
    if found is None:
        names = sorted(evaluators())
        near = difflib.get_close_matches(use, names, n=3) or names
        raise ValueError(f"no evaluator {use!r}; there is {', '.join(near)}")
    return partial(_judge, found, found.arguments(arguments, folder))


def _judge(found: Evaluator[...], arguments: dict[str, object], evidence: Path) -> Score:
    return found(evidence, **arguments)


def _of(module: str) -> dict[str, Evaluator[...]]:
    loaded = importlib.import_module(f"{package.__name__}.{module}")
    return {each.name: each for each in vars(loaded).values() if isinstance(each, Evaluator)}


def _inside(name: str) -> str:
    path = PurePosixPath(name)
    if not name or path.is_absolute() or ".." in path.parts:
        raise ValueError("a path inside the directory, such as budget.xlsx")
    return name


def _of_task(name: object, info: ValidationInfo) -> Path:
    if not isinstance(name, str):
        raise ValueError("the path of a file of the task, as text")
    folder = (info.context or {}).get("folder")
    if folder is None:
        raise ValueError("a file of the task, but the task's directory is not known here")
    path = Path(folder) / _inside(name)
    if not path.is_file():
        raise ValueError(f"the task has no file {name}")
    return path


EvidenceName = Annotated[str, AfterValidator(_inside)]
"""The name of a collected file, relative to the evidence directory."""

TaskFile = Annotated[Path, BeforeValidator(_of_task)]
"""A file of the task, named relative to the task's directory."""
