"""Importers: each reads servers and their tools from one kind of source."""

from __future__ import annotations

from ambidex.host.toolsets import CatalogueTool, Server

__all__ = ["Imported"]

Imported = Server | CatalogueTool
"""What an importer yields: each server before its tools."""
