"""Parts that a run names: agents, dialects, providers, embedders.

Ours are modules of one package, each under its own name; anybody's are `module:attribute`. So a new
one is a new file, and no list names it.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from collections.abc import Iterable
from types import ModuleType

from ambidex.host.errors import UsageError

__all__ = ["load_named", "named_in", "names_in"]


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


def names_in(package: ModuleType, attribute: str) -> tuple[str, ...]:
    """The modules of a package that have that attribute. Imports all of them."""
    found: Iterable[str] = (each.name for each in pkgutil.iter_modules(package.__path__))
    return tuple(
        name
        for name in sorted(found)
        if hasattr(importlib.import_module(f"{package.__name__}.{name}"), attribute)
    )


def named_in(package: ModuleType, attribute: str, what: str, name: str) -> object:
    """That attribute of the package's module of that name, or what `module:attribute` names;
    `UsageError` lists the names there are."""
    if ":" in name:
        return load_named(what, name, f"A {what} of your own is named module:attribute.")
    if any(each.name == name for each in pkgutil.iter_modules(package.__path__)):
        found = importlib.import_module(f"{package.__name__}.{name}")
        if hasattr(found, attribute):
            return getattr(found, attribute)
    there = ", ".join(names_in(package, attribute))
    raise UsageError(f"no {what} {name!r}", hint=f"There is {there}, or one of yours: module:name.")
