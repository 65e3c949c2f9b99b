"""The guest's own tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ambidex.host import ToolSpec
from ambidex.host.toolsets import CatalogueTool, DesktopExecution, Server
from ambidex.host.toolsets.importers import Imported
from ambidex.tasks import BROWSER, GUI

__all__ = ["from_desktop"]


def from_desktop(tools: Iterable[ToolSpec]) -> Iterator[Imported]:
    """A server for each app, except for those whose tools are the GUI's."""
    apps = set()
    for tool in tools:
        if tool.app in (GUI, BROWSER):
            continue
        if tool.app not in apps:
            apps.add(tool.app)
            yield Server(name=tool.app, source="ambidex")
        yield CatalogueTool(
            server=tool.app,
            name=tool.name,
            description=tool.description,
            input_schema=tool.parameters,
            execution=DesktopExecution(tool=tool.name),
        )
