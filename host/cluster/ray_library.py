"""Ray, if it is installed: the only module that imports it."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import Any

from ambidex.host.errors import UsageError

__all__ = ["draining_nodes", "on_node", "ray_library"]


def ray_library() -> ModuleType:
    """The module `ray`. `UsageError` gives the command that installs it if it is missing."""
    try:
        return import_module("ray")
    except ModuleNotFoundError as error:
        raise UsageError(
            f"--cluster needs the package {error.name}, which is not installed",
            hint="pip install 'ambidex[cluster]'",
        ) from None


def on_node(node: str) -> Any:
    """The scheduling strategy that places an actor on the host with that id, and nowhere else."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    return NodeAffinitySchedulingStrategy(node_id=node, soft=False)


def draining_nodes() -> frozenset[str]:
    """Ids of the hosts that have been told to drain; none if the cluster does not say, as through
    `ray://`."""
    from ray._private.state import state  # as Ray's own libraries do: there is no public function

    with suppress(Exception):
        return frozenset(state.get_draining_nodes())
    return frozenset()
