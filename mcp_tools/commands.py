"""Running a program to its end, within a bound, and what it said. Never a shell."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from ambidex.mcp_tools import ToolError

__all__ = ["Ran", "run"]


KEPT = 4_000_000
"""Bytes of each output that are read."""


@dataclass(frozen=True)
class Ran:
    """How a program ended and what it wrote; `cut` bytes of that were too many."""

    code: int
    output: str
    errors: str
    cut: int


def run(
    argv: Sequence[str],
    within: float,
    folder: Optional[Path] = None,
    env: Optional[Mapping[str, str]] = None,
) -> Ran:
    """The program's end and words; `ToolError` if it is not installed, or not done after `within`
    seconds, when it and all it started are ended. It has nothing to read and begins in the home
    folder.
    """
    # Files, not pipes: what the program leaves behind would hold a pipe open for ever.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            process = subprocess.Popen(
                argv,
                cwd=folder or Path.home(),
                env={**os.environ, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise ToolError(f"{argv[0]} cannot be run: {error}.", code="not_started") from None
        try:
            process.wait(within)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise ToolError(
                f"{argv[0]} was not done within {within:g} s and was ended.", code="timeout"
            ) from None
        said = []
        cut = 0
        for stream in (out, err):
            cut += max(stream.seek(0, os.SEEK_END) - KEPT, 0)
            stream.seek(0)
            said.append(stream.read(KEPT).decode(errors="replace"))
    return Ran(process.returncode, said[0], said[1], cut)
