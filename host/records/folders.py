"""The directories of runs and experiments."""

from __future__ import annotations

from pathlib import Path

from ambidex.host.errors import UsageError

__all__ = ["make_folder"]


def make_folder(folder: Path) -> None:
    """Make the directory of a run or an experiment; `UsageError` if that is not possible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot make the directory {folder}: {error.strerror}", hint="Choose another --out."
        ) from None
