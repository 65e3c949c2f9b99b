"""`python -m bench toolset-compile`: time, memory and size of compiling toolsets, and of opening
one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from ambidex.host.errors import UsageError
from ambidex.host.toolsets.toolset import Toolset
from bench.ledger import timed

__all__ = ["toolset_compile"]

OPENINGS = 20


@dataclass(frozen=True)
class Compilation:
    """One run of the command in a process of its own."""

    seconds: float
    processor: float
    """Seconds of processor time."""
    peak: float
    """Peak of its memory, in MiB."""


def toolset_compile(*sources: Path) -> None:
    """Compile toolsets, each twice, and print what it takes.

    Parameters
    ----------
    sources
        TOML files of sources, whose packages have been downloaded with `ambidex toolset import`.
    """
    table = Table("sources", "tools", "servers", "seconds", "of processor", "peak MiB", "file MiB")
    table.add_column("opened in ms")
    table.add_column("same bytes")
    with tempfile.TemporaryDirectory() as scratch:
        for path in sources:
            outs = [Path(scratch) / f"{path.stem}-{number}.toolset" for number in (1, 2)]
            runs = [_compile(path, out) for out in outs]
            opened = min(timed(partial(Toolset.open, outs[0])) for _ in range(OPENINGS))
            toolset = Toolset.open(outs[0])
            table.add_row(
                path.name,
                str(len(toolset)),
                str(len(toolset.servers)),
                *(
                    " / ".join(f"{getattr(run, name):.1f}" for run in runs)
                    for name in ("seconds", "processor", "peak")
                ),
                f"{outs[0].stat().st_size / 2**20:.1f}",
                f"{1000 * opened:.1f}",
                "yes" if outs[0].read_bytes() == outs[1].read_bytes() else "NO",
            )
    Console(width=132).print(table)


def _compile(path: Path, out: Path) -> Compilation:
    command = [
        sys.executable, "-m", "ambidex.host.cli.main", "toolset", "compile", str(path), "--out",
        str(out),
    ]  # fmt: skip
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise UsageError(f"{path} cannot be compiled")
    seconds = time.perf_counter() - began
    return Compilation(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
