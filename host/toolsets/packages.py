"""Download packages that hold API descriptions, through the registries' own clients."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from ambidex.host.errors import UsageError
from ambidex.tasks.assets import Asset, AssetStore, ChangedAssetError

__all__ = ["fetch_package"]

WITHIN = 600.0
"""Seconds that a download may take."""


def fetch_package(package: str, store: AssetStore) -> Asset:
    """Download `npm:NAME@VERSION` or `pypi:NAME@VERSION` and store the archive, pinned to its
    SHA-256. Nothing of the package is executed. `UsageError` if it cannot be had or has changed."""
    registry, _, name = package.partition(":")
    with tempfile.TemporaryDirectory(prefix="ambidex-package-") as scratch:
        if registry == "npm":
            command = ["npm", "pack", "--silent", "--ignore-scripts", name]
        else:
            pinned = "==".join(name.rsplit("@", 1))
            command = [
                sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
                "--no-deps", "--only-binary", ":all:", pinned,
            ]  # fmt: skip
        _run(command, Path(scratch), package)
        files = list(Path(scratch).iterdir())
        if len(files) != 1:
            raise UsageError(f"{command[0]} downloaded {len(files)} files for {package}")
        try:
            return store.keep(package, files[0], origin=files[0].name)
        except ChangedAssetError as error:
            raise UsageError(str(error)) from None


def _run(command: list[str], folder: Path, package: str) -> None:
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=WITHIN, check=False
        )
    except FileNotFoundError:
        raise UsageError(f"{package}: {command[0]} is not installed") from None
    except subprocess.TimeoutExpired:
        raise UsageError(f"{package}: no download within {WITHIN:g} s") from None
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise UsageError(f"{package} cannot be downloaded: {lines[-1] if lines else 'no reason'}")
