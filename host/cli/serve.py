"""Desktops for other programs: `ambidex serve`, one as an MCP server for any client, and `ambidex
bridge`, desktops and tasks for programs in another Python environment."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Annotated

from cyclopts import Parameter

from ambidex.host.errors import UsageError
from ambidex.host.records.config import Condition
from ambidex.host.runs.machine_checks import refuse_missing_network
from ambidex.host.runs.machines import MachineOptions, open_machines
from ambidex.host.terminal import Terminal, echo
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite

__all__ = ["bridge", "serve"]

ON = Parameter(negative="")
OUTSIDE = Path(__file__).parents[1] / "integrations" / "outside"
"""The package of the clients."""


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


def bridge(
    suite: Path | None = None,
    *,
    json: Path | None = None,
    client: Annotated[bool, Parameter(negative="")] = False,
    condition: Condition = "hybrid",
    steps: int = 15,
    settle: float = 5.0,
    partial: Annotated[bool, Parameter(negative="")] = False,
    machines: MachineOptions = MachineOptions(),
) -> int:
    """Serve desktops and tasks to Harbor and OpenEnv, which run in Python environments of their
    own, until interrupted.

    Parameters
    ----------
    suite
        The tasks on offer; without a suite, only desktops.
    json
        Write URL and token to this new file. Only its owner can read it, and it is removed at the
        end.
    client
        Only print the directory of the client package `ambidex-desktop`, for `pip install`.
    condition
        The tools on offer: `gui`, `tools` or `hybrid`.
    steps
        Limit of an episode.
    settle
        Seconds that the screen gets to become still after a step.
    partial
        Reward an unsolved episode with the mean score of its task's checks.
    """
    if client:
        echo(str(OUTSIDE))
        return 0
    from ambidex.host.integrations.background import serving, written_privately
    from ambidex.host.integrations.desk import DeskOptions, judged_tasks
    from ambidex.host.integrations.desk_server import Desks, desk_app
    from ambidex.vm.machines.door import new_token

    say = Terminal(stderr=True).print
    tasks = judged_tasks(load_suite(suite, read_catalogue())) if suite else ()
    refuse_missing_network(tasks, machines)
    token = new_token()
    with ExitStack() as stack:
        source = stack.enter_context(open_machines(machines, say))
        made = [stack.enter_context(closing(source.make())) for _ in range(machines.machines)]
        options = DeskOptions(condition, steps, settle, partial)
        desks = stack.enter_context(Desks(made, tasks, options))
        url = stack.enter_context(serving(desk_app(desks, token), "the bridge"))
        if json:
            stack.enter_context(written_privately(json, {"url": url, "token": token}))
        echo(f"bridge: {url}")
        echo(f"token:  {token}")
        Event().wait()
    return 0
