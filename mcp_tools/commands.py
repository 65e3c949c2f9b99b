"""Run a program to completion within a time limit and capture its output. Never uses a shell."""

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

__all__ = ["CommandOutput", "run"]


OUTPUT_LIMIT = 4_000_000
"""Bytes kept of stdout and of stderr."""


@dataclass(frozen=True)
class CommandOutput:
    """Exit status and output of a program; `cut` bytes of the output were dropped."""

    code: int
    output: str
    errors: str
    cut: int


def run(
    argv: Sequence[str],
    within: float,
    folder: Optional[Path] = None,
    env: Optional[Mapping[str, str]] = None,
) -> CommandOutput:
    """Run a program in `folder` (default: the home folder) with an empty stdin.

    Raises `ToolError` if it cannot be started, or if it takes longer than `within` seconds; its
    whole process group is then killed.
    """
    # Files, not pipes: a background process that the program leaves would keep a pipe open.
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
            raise ToolError(f"Cannot run {argv[0]}: {error}.", code="not_started") from None
        try:
            process.wait(within)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise ToolError(
                f"{argv[0]} did not finish within {within:g} s and was killed.", code="timeout"
            ) from None
        texts = []
        cut = 0
        for stream in (out, err):
            cut += max(stream.seek(0, os.SEEK_END) - OUTPUT_LIMIT, 0)
            stream.seek(0)
            texts.append(stream.read(OUTPUT_LIMIT).decode(errors="replace"))
    return CommandOutput(process.returncode, texts[0], texts[1], cut)
