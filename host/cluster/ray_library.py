"""Ray, if it is installed: the only module that imports it."""

from __future__ import annotations

from types import ModuleType

from ambidex.host.errors import UsageError

__all__ = ["ray_library"]


def ray_library() -> ModuleType:
    """The module `ray`. `UsageError` gives the command that installs it if it is missing."""
    try:
        import ray
    except ModuleNotFoundError as error:
        raise UsageError(
            f"--cluster needs the package {error.name}, which is not installed",
            hint="pip install 'ambidex[cluster]'",
        ) from None
    return ray
