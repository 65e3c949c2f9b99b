"""The tools an agent may call: nouns, and the one way to declare them.

A tool is a typed function of an app. Its signature is its schema, its docstring is its prompt, and
an error is raised as `ToolError`, whose text the model reads. Nothing about a tool is said twice::

    calc = App("calc", "LibreOffice Calc", worker="office")


    @calc.tool(reads_only=True)
    def get_cell_value(cell: Annotated[str, Field(description="such as B2")]) -> CellValue:
        "Read a single cell: its value, its displayed text and its formula, if any."

The module is imported twice: by the server at the door, which only lists and validates, and by the
worker process that runs the tool as the desktop user. So heavy imports (uno, pyautogui, Xlib) go
inside functions or into bridge modules that tools import when they run.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Optional, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model

__all__ = ["App", "Picture", "Tool", "ToolError", "UndescribedError"]

F = TypeVar("F", bound=Callable[..., object])
NAME = re.compile(r"[a-z0-9_]{1,64}")


class ToolError(Exception):
    """What went wrong, for the model that called: the call failed, the episode goes on.

    `code` is one lower-case word a program can compare; `hint` says what would help.
    """

    def __init__(self, message: str, *, code: str = "failed", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UndescribedError(Exception):
    """A tool was declared without a docstring, or with an argument that has no type."""


@dataclass(frozen=True)
class Picture:
    """A picture that a tool returns; the model sees it as an image, not as text."""

    png: bytes


@dataclass(frozen=True)
class Tool:
    """One callable of an app: what the model sees, and the function behind it."""

    name: str
    app: str
    worker: str
    description: str
    reads_only: bool
    timeout: float
    """Seconds the worker may take before it is killed and restarted."""
    mounted: str
    """The stock server, and its version, that does it; empty where we do."""
    function: Callable[..., object]

    @functools.cached_property
    def model(self) -> type[BaseModel]:
        """What checks its arguments. Made when it is asked for: a worker uses few of its tools."""
        hints = get_type_hints(self.function, include_extras=True)
        fields: dict[str, Any] = {}
        for parameter in inspect.signature(self.function).parameters.values():
            default = ... if parameter.default is parameter.empty else parameter.default
            # Given by alias alone: to a model and in errors the inner name does not exist.
            fields[inner(parameter.name)] = (
                hints[parameter.name],
                Field(default, alias=parameter.name),
            )
        return create_model(self.name, __config__=ConfigDict(extra="forbid"), **fields)

    @functools.cached_property
    def returns(self) -> TypeAdapter[object]:
        """What makes JSON of its result."""
        returned = get_type_hints(self.function, include_extras=True).get("return", type(None))
        # A picture never becomes JSON, so it needs no adapter.
        return TypeAdapter(object if returned is Picture else returned)

    @property
    def takes(self) -> list[str]:
        """The names of its arguments."""
        return [each.alias or "" for each in self.model.model_fields.values()]

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the arguments; unknown ones are refused."""
        schema = self.model.model_json_schema()
        schema.pop("title", None)
        for each in schema.get("properties", {}).values():
            each.pop("title", None)
        schema.setdefault("properties", {})
        return schema

    def arguments(self, given: dict[str, Any]) -> dict[str, Any]:
        """The arguments as the function takes them; `ToolError` names each wrong one and what is
        allowed.
        """
        try:
            checked = self.model.model_validate(given)
        except ValidationError as error:
            raise ToolError(self._explain(error), code="bad_arguments") from None
        return {name: getattr(checked, inner(name)) for name in self.takes}

    def _explain(self, error: ValidationError) -> str:
        said = []
        for item in error.errors(include_url=False):
            where = ".".join(str(part) for part in item["loc"]) or "arguments"
            match item["type"]:
                case "extra_forbidden":
                    takes = ", ".join(self.takes) or "no arguments"
                    said.append(f"unknown argument {where!r}; {self.name} takes {takes}")
                case "missing":
                    said.append(f"argument {where!r} is required")
                case _:
                    said.append(f"argument {where!r}: {item['msg']} (got {item['input']!r})")
        return f"{self.name}: " + "; ".join(said) + "."


@dataclass(frozen=True)
class App:
    """An application and its tools. `worker` names the process they share, so that one hung program
    blocks no other.

    `recover`, where given as "module:function", is run in the fresh worker after an old one had to
    be killed, and returns a sentence that says what was done (for example that the office was
    restarted). `prepare`, given the same way, is run in every fresh worker before its first call
    (heavy imports, connections that take long) and returns a sentence for the journal. `mounted`
    names the stock server, with its version, to which the tools are forwarded (see `mount`).
    """

    name: str
    title: str
    worker: str
    recover: str = ""
    prepare: str = ""
    mounted: str = ""
    timeout: float = 30.0
    """Seconds for a tool that says nothing else."""
    tools: dict[str, Tool] = field(default_factory=dict)

    def tool(
        self, *, reads_only: bool = False, timeout: Optional[float] = None, ours: bool = False
    ) -> Callable[[F], F]:
        """Declare the function below as the tool `<app>_<function>`; raises `UndescribedError`
        where it says too little. `ours` is one that the server of a mounted app lacks.
        """

        def declare(function: F) -> F:
            mounted = "" if ours else self.mounted
            tool = _tool(self, function, reads_only, timeout or self.timeout, mounted)
            self.tools[tool.name] = tool
            return function

        return declare


def inner(name: str) -> str:
    """The argument's name within the model, where `schema` or `copy` would hide pydantic's own."""
    return f"argument_{name}"


def _tool(
    app: App,
    function: Callable[..., object],
    reads_only: bool,
    timeout: float,
    mounted: str,
) -> Tool:
    name = f"{app.name}_{function.__name__}"
    if not NAME.fullmatch(name):
        raise UndescribedError(
            f"{name}: a tool's name is lower-case letters, digits and _, at most 64"
        )
    description = inspect.getdoc(function)
    if not description:
        raise UndescribedError(
            f"{name} has no docstring: it is the prompt by which a model picks the tool"
        )
    for parameter in inspect.signature(function).parameters.values():
        if parameter.annotation is parameter.empty:
            raise UndescribedError(f"{name}: argument {parameter.name!r} has no type")
    return Tool(
        name=name,
        app=app.name,
        worker=app.worker,
        description=description,
        reads_only=reads_only,
        timeout=timeout,
        mounted=mounted,
        function=function,
    )
