"""Runs programs to completion, for the whole package vm."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ambidex.vm import MachineError

__all__ = ["run", "search_path"]

TAIL = 15
"""Lines of output that an error message quotes."""


def search_path() -> str:
    """PATH plus the folders of mke2fs and others, which an ordinary user's PATH lacks."""
    return f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"


def run(
    argv: Sequence[object],
    *,
    what: str,
    hint: str = "",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    standard_input: Path = Path(os.devnull),
    log: Path | None = None,
    progress: Callable[[str], None] | None = None,
    pass_fds: Sequence[int] = (),
) -> str:
    """Run a program and return its output, stdout and stderr together.

    `MachineError` if it fails or is not installed; `what` names the operation in its message.
    The program reads the file `standard_input`. Output is also appended to `log` as it arrives, and
    each line is passed to `progress`.
    """
    arguments = [str(word) for word in argv]
    try:
        with standard_input.open("rb") as given:
            process = subprocess.Popen(
                arguments,
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={**(os.environ if env is None else env), "PATH": search_path()},
                cwd=cwd,
                pass_fds=pass_fds,
                text=True,
                errors="replace",
            )
    except FileNotFoundError:
        raise MachineError(
            f"{what}: the program {arguments[0]!r} is not installed",
            hint=hint or "`ambidex doctor` says which package has it.",
        ) from None
    lines: list[str] = []
    assert process.stdout is not None
    with process, (log or Path("/dev/null")).open("a") as log_file:
        try:
            for line in process.stdout:
                lines.append(line)
                log_file.write(line)
                if progress is not None:
                    progress(line.rstrip())
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        tail = "".join(lines[-TAIL:]).strip()
        where = f" (full log: {log})" if log else ""
        raise MachineError(
            f"{what} failed: {arguments[0]} exited with {process.returncode}{where}\n{tail}",
            hint=hint,
        )
    return "".join(lines)
