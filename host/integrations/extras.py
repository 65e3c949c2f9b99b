"""The packages of other projects, which `pip install ambidex[EXTRA]` adds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ambidex.host.errors import UsageError

__all__ = ["extra"]


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Import a bridge in this block. `UsageError` gives the command that installs its extra if a
    package is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("ambidex"):
            raise
        raise UsageError(
            f"this needs the package {error.name}, which is not installed",
            hint=f"pip install 'ambidex[{name}]'",
        ) from None
