"""The table of all tools and their proofs, as docs/tools.md shows it."""

from __future__ import annotations

from collections.abc import Iterator

from ambidex.mcp_tools import App, Tool, aliases, catalogue
from tests.desktop.proofs import Ledger

__all__ = ["table"]

HEAD = """# Tools

Made by a run of `tests/desktop` in a real desktop, not written by hand. `source` says whether a
tool has a counterpart in OSWorld-MCP (reference), is a stock server's (mounted), or is ours alone.
Of each tool: what tests checked of its effect, and by which other way than the tool's own they
looked. Every tool was also seen to refuse a wrong call.

`ambidex tools` lists the same tools with their arguments, and what they cost a model to read.
"""


def table(ledger: Ledger) -> str:
    """The whole document."""
    tools = catalogue.tools().values()
    counts = [
        f"{sum(aliases.source(tool) == source for tool in tools)} {source}"
        for source in ("reference", "mounted", "ours")
    ]
    parts = [HEAD, f"{len(catalogue.tools())} tools: {', '.join(counts)}.\n"]
    for app in catalogue.apps().values():
        parts.append("\n".join(section(app, ledger)))
    return "\n".join(parts)


def section(app: App, ledger: Ledger) -> Iterator[str]:
    """An app's part of it."""
    yield f"## {app.name}: {app.title}\n"
    yield "| tool | source | checked | by |"
    yield "| --- | --- | --- | --- |"
    for tool in app.tools.values():
        yield line(tool, ledger)
    yield ""


def line(tool: Tool, ledger: Ledger) -> str:
    """A tool's row; several proofs in one cell, in the order the tests ran."""
    proofs = ledger.proofs.get(tool.name, [])
    checked = "; ".join(dict.fromkeys(what for what, _ in proofs))
    how = "; ".join(dict.fromkeys(how for _, how in proofs))
    return f"| `{tool.name}` | {aliases.source(tool)} | {checked} | {how} |"
