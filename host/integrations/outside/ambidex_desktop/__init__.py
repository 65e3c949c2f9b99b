"""Desktops of Ambidex for programs that cannot share its environment.

It needs Python 3.10 and nothing else; `ambidex bridge --json FILE` serves the desktops. The other
modules need the package that they are named after.
"""

from .client import BridgeError, Desktop, connect

__all__ = ["BridgeError", "Desktop", "connect"]
