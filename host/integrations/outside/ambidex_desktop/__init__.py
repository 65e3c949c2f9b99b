"""Desktops of Ambidex for programs that cannot share its environment.

`ambidex bridge --json FILE` serves the desktops. The client needs Python 3.10 and nothing else;
the module `harbor` needs Harbor, `openenv` OpenEnv, and `rollouts` verifiers.
"""

from typing import Any

from ambidex_desktop.client import BridgeError, Desktop, connect

__all__ = ["BridgeError", "Desktop", "connect", "load_environment"]


def load_environment(**arguments: Any) -> Any:
    """The environment of verifiers, as its `load_environment("ambidex-desktop")` expects."""
    from ambidex_desktop.rollouts import load_environment

    return load_environment(**arguments)
