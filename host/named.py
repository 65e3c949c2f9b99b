"""Look up pluggable parts by name: agents, dialects, providers, embedders.

A built-in part is a module of one package and goes by the module's name; a user's own part is given
as `module:attribute`. Adding a built-in part means adding a file: there is no registry to update.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from collections.abc import Iterable
from types import ModuleType

from ambidex.host.errors import UsageError

__all__ = ["load_part", "load_reference", "part_names"]


def load_reference(what: str, name: str, hint: str) -> object:
    """Import what `module:attribute` refers to; modules in the working directory are found too.

    `what` is the kind of part (agent, embedder) and is named in errors. `UsageError` with `hint` if
    the reference does not resolve.
    """
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise UsageError(f"unknown {what}: {name!r}", hint=hint)
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"cannot load {what} {name!r}: {error}", hint=hint) from None


def part_names(package: ModuleType, attribute: str) -> tuple[str, ...]:
    """Names of the package's modules that define `attribute`, sorted. Imports all modules."""
    modules: Iterable[str] = (module.name for module in pkgutil.iter_modules(package.__path__))
    return tuple(
        name
        for name in sorted(modules)
        if hasattr(importlib.import_module(f"{package.__name__}.{name}"), attribute)
    )


def load_part(package: ModuleType, attribute: str, what: str, name: str) -> object:
    """Return `attribute` of the package's module `name`, or what `module:attribute` refers to.
    `UsageError` lists the known names."""
    if ":" in name:
        return load_reference(what, name, f"Name your own {what} as module:attribute.")
    if any(module.name == name for module in pkgutil.iter_modules(package.__path__)):
        module = importlib.import_module(f"{package.__name__}.{name}")
        if hasattr(module, attribute):
            return getattr(module, attribute)
    known = ", ".join(part_names(package, attribute))
    raise UsageError(
        f"unknown {what}: {name!r}", hint=f"Known: {known}; or your own as module:attribute."
    )
