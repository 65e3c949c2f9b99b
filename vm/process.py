"""The one place where vm starts a process and waits for it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ambidex.vm import MachineError

__all__ = ["run", "search_path"]

TAIL = 15
"""Lines of output an error quotes."""


def search_path() -> str:
    """Where programs are looked for: an ordinary user's PATH lacks the folders that mke2fs lies
    in.
    """
    return f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"


def run(
    argv: Sequence[object],
    *,
    what: str,
    hint: str = "",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    log: Path | None = None,
    progress: Callable[[str], None] | None = None,
    pass_fds: Sequence[int] = (),
) -> str:
    """Run a program to its end and return what it printed; `MachineError` says `what` failed and
    how it ended.

    Output goes to `log` as it comes, where given, and each line to `progress`.
    """
    words = [str(word) for word in argv]
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
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
            f"{what}: the program {words[0]!r} is not installed",
            hint=hint or "`ambidex doctor` says which package has it.",
        ) from None
    lines: list[str] = []
    assert process.stdout is not None
    with process, (log or Path("/dev/null")).open("a") as record:
        try:
            for line in process.stdout:
                lines.append(line)
                record.write(line)
                if progress is not None:
                    progress(line.rstrip())
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        tail = "".join(lines[-TAIL:]).strip()
        where = f" (whole log: {log})" if log else ""
        raise MachineError(
            f"{what} failed: {words[0]} ended with {process.returncode}{where}\n{tail}", hint=hint
        )
    return "".join(lines)
