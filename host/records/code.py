"""Which code runs: its hash and its version."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version

from ambidex.host import ROOT

__all__ = ["code_hash", "installed_version"]


@cache
def code_hash() -> str:
    """SHA-256 over the sources that run and judge a trial, read once in a process, as they are."""
    root, total = ROOT, sha256()
    sources = [
        *root.glob("host/**/*"),
        *root.glob("evaluators/**/*.py"),
        *root.glob("tasks/*.py"),
        *root.glob("tasks/osworld/*.py"),
        *root.glob("tasks/livemcpbench/*.py"),
    ]
    for path in sorted(path for path in sources if path.suffix in (".py", ".md")):
        total.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


def installed_version() -> str:
    """The installed version of Ambidex, or "source" if the package is not installed."""
    try:
        return version("ambidex")
    except PackageNotFoundError:
        return "source"
