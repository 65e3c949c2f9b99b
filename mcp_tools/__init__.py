"""Declaring the tools that an agent may call: `App`, `Tool` and `ToolError`.

A tool is a typed function of an app. Its signature is its schema, its docstring is its prompt, and
an error is raised as a `ToolError`, whose text the model reads. Nothing is stated twice::

    calc = App("calc", "LibreOffice Calc", worker="office")


    @calc.tool(reads_only=True)
    def get_cell_value(cell: Annotated[str, Field(description="such as B2")]) -> CellValue:
        "Read a single cell: its value, its displayed text and its formula, if any."

A module of tools is imported twice: by the guest server, which only lists tools and validates
calls, and by the worker process that runs the tool as the desktop user. So heavy imports (uno,
pyautogui, Xlib) belong inside functions, or in bridge modules that a tool imports when it runs.
"""

from __future__ import annotations

import functools
import inspect
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model

__all__ = ["DESKTOP", "App", "Picture", "Tool", "ToolError", "UndescribedError"]

F = TypeVar("F", bound=Callable[..., object])
NAME = re.compile(r"[a-z0-9_]{1,64}")
DESKTOP = "/usr/share/xsessions"
"""What an app needs that acts on the desktop itself: the folder exists with every X11 desktop."""


SCHEMAS = Path(__file__).with_name("schemas.json")
"""Schemas of the listed tools by name, made from their declarations when a guest's code is packed.

A guest that has to make them itself takes a sixth longer to start.
"""
PACKED = "ambidex.mcp_tools."
"""Modules with this prefix were packed together with `SCHEMAS`."""


@functools.cache
def stored_schemas() -> dict[str, dict[str, Any]]:
    """The content of `SCHEMAS`; empty where the file is not there."""
    try:
        content: dict[str, dict[str, Any]] = json.loads(SCHEMAS.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    return content


class ToolError(Exception):
    """A failed call, explained to the model that made it. The episode continues.

    `code` is a word of `mcp_tools.error_codes` for programs; `hint` says what would help.
    """

    def __init__(self, message: str, *, code: str = "failed", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UndescribedError(Exception):
    """A tool was declared without a docstring, or with an untyped argument."""


@dataclass(frozen=True)
class Picture:
    """A PNG returned by a tool. The model sees it as an image, not as text."""

    png: bytes


@dataclass(frozen=True)
class Tool:
    """One tool of an app: what the model sees, and the function behind it."""

    name: str
    app: str
    worker: str
    description: str
    reads_only: bool
    timeout: float
    """Seconds that a call may take before its worker is killed and restarted."""
    mounted: str
    """Name and version of the stock server that executes the tool; empty for our own tools."""
    windows: tuple[str, ...]
    """See `App.windows`."""
    service: str
    """See `App.service`."""
    function: Callable[..., object]

    @functools.cached_property
    def model(self) -> type[BaseModel]:
        """Model that validates arguments. Built on first use: a worker calls few of its tools."""
        hints = get_type_hints(self.function, include_extras=True)
        fields: dict[str, Any] = {}
        for parameter in inspect.signature(self.function).parameters.values():
            default = ... if parameter.default is parameter.empty else parameter.default

            # Settable by alias only, so the internal name appears neither to a model nor in errors.
            fields[internal_name(parameter.name)] = (
                hints[parameter.name],
                Field(default, alias=parameter.name),
            )
        return create_model(self.name, __config__=ConfigDict(extra="forbid"), **fields)

    @functools.cached_property
    def returns(self) -> TypeAdapter[object]:
        """The adapter that serialises results to JSON."""
        returned = get_type_hints(self.function, include_extras=True).get("return", type(None))
        # A picture is never serialised to JSON, so its type does not matter here.
        return TypeAdapter(object if returned is Picture else returned)

    @property
    def takes(self) -> list[str]:
        """Names of the arguments."""
        return [field.alias or "" for field in self.model.model_fields.values()]

    @functools.cached_property
    def parameters(self) -> dict[str, Any]:
        """JSON schema of the arguments. Unknown arguments are not allowed."""
        if self.function.__module__.startswith(PACKED) and self.name in stored_schemas():
            return stored_schemas()[self.name]
        schema = self.model.model_json_schema()
        schema.pop("title", None)
        for argument in schema.get("properties", {}).values():
            argument.pop("title", None)
        schema.setdefault("properties", {})
        return schema

    def arguments(self, call: dict[str, Any]) -> dict[str, Any]:
        """Validate the arguments of a call; return them as the function takes them. `ToolError`
        lists every invalid argument and what is allowed instead.
        """
        try:
            checked = self.model.model_validate(call)
        except ValidationError as error:
            raise ToolError(self._explain(error), code="bad_arguments") from None
        return {name: getattr(checked, internal_name(name)) for name in self.takes}

    def _explain(self, error: ValidationError) -> str:
        problems = []
        for item in error.errors(include_url=False):
            where = ".".join(str(part) for part in item["loc"]) or "arguments"
            match item["type"]:
                case "extra_forbidden":
                    takes = ", ".join(self.takes) or "no arguments"
                    problems.append(f"unknown argument {where!r}; {self.name} takes {takes}")
                case "missing":
                    problems.append(f"argument {where!r} is required")
                case _:
                    problems.append(f"argument {where!r}: {item['msg']} (got {item['input']!r})")
        return f"{self.name}: " + "; ".join(problems) + "."


@dataclass(frozen=True)
class App:
    """An application and its tools.

    `worker` names the process that runs the tools: one per program, so that a hung program blocks
    no other. `recover` ("module:function") runs in the new worker after the old one had to be
    killed, and returns a sentence about what it did, such as that the office was restarted.
    `prepare` ("module:function") runs in every new worker before its first call (heavy imports,
    slow connections) and returns a sentence for the journal. `mounted` is the name and version of
    the stock server to which the tools are forwarded (see `mount`).
    """

    name: str
    title: str
    worker: str
    recover: str = ""
    prepare: str = ""
    mounted: str = ""
    timeout: float = 30.0
    """Default timeout of a tool, in seconds."""
    windows: tuple[str, ...] = ()
    """Classes of the program's windows, in lower case. Under `exposure = app` its tools are offered
    while one of them is focused; without any, always."""
    needs: str = ""
    """A path that must exist in the guest for the app to be served, or several separated by colons,
    of which one must exist."""
    service: str = ""
    """The service of the image that the tools act on, if any."""
    command: tuple[str, ...] = ()
    """The command of the stock server whose tools were recorded (`mcp_tools.recorded`)."""
    first_call: str = ""
    """A tool of the stock server that takes no arguments and changes nothing. A virtual machine
    calls it before its base snapshot is saved, so that the server runs in all forks. Empty if a
    running server would hold what a task's setup replaces."""
    listed: bool = True
    """Whether agents are told of its tools. Tools that only the host calls are served unlisted."""
    tools: dict[str, Tool] = field(default_factory=dict)

    @property
    def needs_desktop(self) -> bool:
        """Whether its tools act on a desktop: on the screen, or on a program with windows."""
        return self.needs == DESKTOP or bool(self.windows)

    def tool(
        self, *, reads_only: bool = False, timeout: Optional[float] = None, ours: bool = False
    ) -> Callable[[F], F]:
        """Decorator that declares a function as the tool `<app>_<function>`. Raises
        `UndescribedError` if its docstring or an argument's type is missing. `ours` marks a tool
        that a mounted app's server does not have.
        """

        def declare(function: F) -> F:
            mounted = "" if ours else self.mounted
            tool = _tool(self, function, reads_only, timeout or self.timeout, mounted)
            self.tools[tool.name] = tool
            return function

        return declare


def internal_name(name: str) -> str:
    """Field name for an argument. Plain `schema` or `copy` would shadow attributes of pydantic."""
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
            f"{name}: a tool's name is at most 64 lower-case letters, digits and _"
        )
    description = inspect.getdoc(function)
    if not description:
        raise UndescribedError(f"{name} has no docstring; a model chooses tools by it")
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
        windows=app.windows,
        service=app.service,
        function=function,
    )
