"""Compile sources to a toolset, one file at a time."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from ambidex.host.errors import UsageError
from ambidex.host.toolsets import CatalogueTool, Server
from ambidex.host.toolsets.archives import open_archive
from ambidex.host.toolsets.importers import Imported
from ambidex.host.toolsets.importers.aws import USUAL as AWS_FILES
from ambidex.host.toolsets.importers.aws import from_aws
from ambidex.host.toolsets.importers.desktop import from_desktop
from ambidex.host.toolsets.importers.discovery import USUAL as DISCOVERY_FILES
from ambidex.host.toolsets.importers.discovery import from_discovery
from ambidex.host.toolsets.importers.mcp import USUAL as MCP_FILES
from ambidex.host.toolsets.importers.mcp import from_mcp
from ambidex.host.toolsets.importers.openapi import USUAL as OPENAPI_FILES
from ambidex.host.toolsets.importers.openapi import from_openapi
from ambidex.host.toolsets.sources import (
    AwsSource,
    DesktopSource,
    DiscoverySource,
    McpSource,
    OpenApiSource,
    Source,
    Sources,
)
from ambidex.host.toolsets.toolset import Toolset, ToolsetWriter
from ambidex.tasks.assets import AssetStore
from ambidex.tasks.catalogue import read_catalogue

__all__ = ["compile_sources"]


def compile_sources(sources: Sources, folder: Path, store: AssetStore, to: Path) -> Toolset:
    """Compile to the file `to`. Paths of sources are relative to `folder`. `UsageError` if a source
    cannot be read, selects no tool, or two tools have one name."""
    writer = ToolsetWriter()
    for source in sources.source:
        before = len(writer)
        servers = 0
        for item in _imported(source, folder, store):
            if isinstance(item, Server):
                writer.add_server(item)
                servers += 1
            elif _selected(source, item.name):
                writer.add(_marked(source, item))
        if len(writer) == before and (source.only or source.without or not servers):
            raise UsageError(f"a source of kind {source.kind!r} selects no tool")
    return writer.write(to)


def _imported(source: Source, folder: Path, store: AssetStore) -> Iterator[Imported]:
    match source:
        case DesktopSource():
            yield from from_desktop(read_catalogue().values())
        case McpSource():
            for file in open_archive(source, folder, store, MCP_FILES).files():
                yield from from_mcp(file, source.server)
        case OpenApiSource():
            for file in open_archive(source, folder, store, OPENAPI_FILES).files():
                yield from from_openapi(file, source)
        case DiscoverySource():
            for file in open_archive(source, folder, store, DISCOVERY_FILES).files():
                yield from from_discovery(file, source)
        case AwsSource():
            yield from from_aws(open_archive(source, folder, store, AWS_FILES), source.server)


def _selected(source: Source, name: str) -> bool:
    return (not source.only or _matches(name, source.only)) and not _matches(name, source.without)


def _marked(source: Source, tool: CatalogueTool) -> CatalogueTool:
    """The tool, marked if guests cannot execute it."""
    given = source.executable
    if not tool.executable or (given if isinstance(given, bool) else _matches(tool.name, given)):
        return tool
    return tool.model_copy(update={"executable": False, "cause": source.cause})


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
