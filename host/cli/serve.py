"""`ambidex serve`: one desktop as an MCP server for any client."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Annotated

from cyclopts import Parameter

from ambidex.host.errors import UsageError
from ambidex.host.runs.machines import MachineOptions, open_machines
from ambidex.host.terminal import Terminal, echo
from ambidex.tasks.catalogue import read_catalogue

__all__ = ["serve"]

ON = Parameter(negative="")


def serve(
    *,
    apps: Annotated[tuple[str, ...], Parameter(consume_multiple=True, negative="")] = (),
    stdio: Annotated[bool, ON] = False,
    json: Path | None = None,
    port: int = 0,
    reset_tool: Annotated[bool, ON] = False,
    machines: MachineOptions = MachineOptions(),
) -> int:
    """Boot one desktop and serve its tools to any MCP client, until interrupted.

    Parameters
    ----------
    apps
        Only the tools of these apps, such as `--apps computer,calc`; by default all.
    stdio
        Speak MCP over standard input and output instead of HTTP.
    json
        Write the server's URL and token to this file, in the form that MCP clients read. Only its
        owner can read it, and it is removed at the end.
    port
        The port to listen on; 0 chooses a free one.
    reset_tool
        Add tools to revert the machine and, where the provider can, to save snapshots and fork it.
    """
    from fastmcp.utilities.logging import configure_logging  # heavy, as are the next two

    from ambidex.host.integrations.background import written_privately
    from ambidex.host.integrations.mcp_server import Offer, mcp_server, served
    from ambidex.host.integrations.served_desktop import Desktop

    configure_logging("WARNING")
    if stdio and json:
        raise UsageError("--stdio has no URL to write", hint="Leave out --json or --stdio.")
    forks = reset_tool and machines.forks
    offer = Offer(_apps(apps), reset_tool, forks)
    say = Terminal(stderr=True).print
    with ExitStack() as stack:
        source = stack.enter_context(open_machines(machines, say))
        machine = stack.enter_context(closing(source.make()))
        machine.boot()
        snapshots = Path(stack.enter_context(TemporaryDirectory(prefix="ambidex-serve-")))
        desktop = stack.enter_context(Desktop(machine, snapshots))
        if reset_tool and not forks:
            say("no tools to save snapshots and fork: this needs --provider libvirt")
        if stdio:
            asyncio.run(mcp_server(desktop, offer).run_stdio_async(show_banner=False))
            return 0
        access = stack.enter_context(served(desktop, offer, port))
        if json:
            stack.enter_context(written_privately(json, access.client_config()))
        echo(f"MCP server: {access.url}")
        echo(f"token:      {access.token}")
        Event().wait()
    return 0


def _apps(words: tuple[str, ...]) -> frozenset[str]:
    """The apps that were named; `UsageError` for one that no tool belongs to."""
    named = frozenset(name for word in words for name in word.split(",") if name)
    if named:
        known = {tool.app for tool in read_catalogue().values()}
        if unknown := sorted(named - known):
            raise UsageError(
                f"there is no app {unknown[0]!r}", hint=f"Apps: {', '.join(sorted(known))}."
            )
    return named
