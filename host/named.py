"""Things of one's own, named as `module:attribute`: agents, embedders."""

from __future__ import annotations

import importlib
import os
import sys

from host.errors import UsageError

__all__ = ["load_named"]


def load_named(what: str, name: str, hint: str) -> object:
    """The agent, embedder, ... of that name; `UsageError` with the hint where there is none.

    A module may lie in the working directory.
    """
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise UsageError(f"no {what} {name!r}", hint=hint)
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"no {what} {name!r}: {error}", hint=hint) from None
