"""Apps whose tools are those of a stock MCP server, as its `tools/list` was recorded.

Such an app's folder has a `tools.json` beside its `__init__.py`, which names the server's command.
`python3 -m ambidex.mcp_tools.recorded APP` in a guest prints the server's present list, in the form
of that file.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from ambidex.mcp_tools import App, Tool, ToolError
from ambidex.mcp_tools.mount import Mount

__all__ = ["TOOLS", "RecordedTool", "add_recorded_tools", "server_of"]

TOOLS = "tools.json"


@dataclass(frozen=True)
class RecordedTool(Tool):
    """A tool with the server's own schema."""

    schema: Mapping[str, Any]

    @functools.cached_property
    def returns(self) -> TypeAdapter[object]:
        """See `Tool`."""
        return TypeAdapter(object)

    @property
    def takes(self) -> list[str]:
        """See `Tool`."""
        return list(self.schema.get("properties", {}))

    @property
    def parameters(self) -> dict[str, Any]:
        """See `Tool`."""
        return {"properties": {}, **self.schema}

    def arguments(self, call: dict[str, Any]) -> dict[str, Any]:
        """See `Tool`."""
        from jsonschema import Draft202012Validator

        problems = [
            f"{'.'.join(map(str, error.absolute_path)) or 'arguments'}: {error.message}"
            for error in Draft202012Validator(self.parameters).iter_errors(call)
        ]
        unknown = [name for name in call if name not in self.takes]
        if unknown:
            takes = ", ".join(self.takes) or "no arguments"
            problems.append(f"unknown argument {unknown[0]!r}; {self.name} takes {takes}")
        if problems:
            raise ToolError(f"{self.name}: {'; '.join(problems)}.", code="bad_arguments")
        return call


def server_of(app: App) -> Mount:
    """The app's server, not started yet."""

    def command() -> list[str]:
        if not Path(app.command[0]).exists():
            raise ToolError(
                f"The {app.mounted} is not installed: {app.command[0]} is missing.",
                code="not_installed",
            )
        return list(app.command)

    return Mount(f"server {app.mounted}", command)


def add_recorded_tools(app: App, folder: Path) -> None:
    """Add the tools in the file `TOOLS` of the app's folder, if it has one.

    A tool is called `<app>_<its name>`, or by its own name if that begins so already. Tools that
    the app has already stay the same objects.
    """
    file = folder / TOOLS
    if app.tools or not file.is_file():
        return
    server = server_of(app)
    for listed in json.loads(file.read_text(encoding="utf-8")):
        own = listed["name"]
        name = own if own.startswith(f"{app.name}_") else f"{app.name}_{own}"
        app.tools[name] = RecordedTool(
            name=name,
            app=app.name,
            worker=app.worker,
            description=listed["description"],
            reads_only=bool((listed.get("annotations") or {}).get("readOnlyHint")),
            timeout=app.timeout,
            mounted=app.mounted,
            windows=app.windows,
            service=app.service,
            function=functools.partial(server.call, own),
            schema=listed["inputSchema"],
        )


def main(name: str) -> None:
    """Print the present list of an app's server."""
    app = importlib.import_module(f"ambidex.mcp_tools.{name}").app
    os.environ.pop("PYTHONPATH", None)  # which would give a server in Python our libraries
    server = server_of(app)
    fields = ("name", "description", "inputSchema", "annotations")
    tools = [{key: tool.get(key) for key in fields} for tool in server.list_tools()]
    server.close()
    print(json.dumps(sorted(tools, key=lambda tool: tool["name"]), indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main(sys.argv[1])
