"""`ambidex bridge`: desktops and tasks for programs in another Python environment."""

from __future__ import annotations

from contextlib import ExitStack, closing
from pathlib import Path
from threading import Event
from typing import Annotated

from cyclopts import Parameter

from ambidex.host.records.config import Condition
from ambidex.host.runs.machines import MachineOptions, open_machines
from ambidex.host.terminal import Terminal, echo
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite

__all__ = ["bridge"]

OUTSIDE = Path(__file__).parents[1] / "integrations" / "outside"
"""The package of the clients."""


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
