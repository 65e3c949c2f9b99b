"""Runs a task's verification program, as an account that neither the agent nor a service has.

The program works in a folder of its own, on copies of the agent's folders: it can change neither
what it verifies nor what is collected afterwards.
"""

from __future__ import annotations

import contextlib
import io
import os
import resource
import shutil
import signal
import stat
import subprocess
import tarfile
import tempfile
import time
from pathlib import Path
from typing import Any

from ambidex.guest.wire import WorkerReply

__all__ = ["verify"]

OUTPUT = 1 << 20
"""Bytes of the program's output that are passed on."""
COPIED = 1 << 30
"""Bytes that are copied of a folder; what is beyond is left out."""
MEMORY = 4 << 30
"""Bytes of address space of each process of the program."""


def verify(given: dict[str, Any], body: bytes) -> WorkerReply:
    """Unpack the tar archive `body` into a new folder and run `argv` there.

    `environment` is the program's environment; `folders` maps further variables to folders of the
    guest, of which the program gets copies. The reply has `exit` (null after `within` seconds),
    `seconds`, and the output of both streams as its body.
    """
    with tempfile.TemporaryDirectory(prefix="ambidex-verify-") as name:
        place = Path(name)
        with tarfile.open(fileobj=io.BytesIO(body)) as archive:
            # Python 3.11.2 of Debian 12 has no filters, and ignores this.
            archive.extraction_filter = getattr(tarfile, "data_filter", None)
            archive.extractall(place / "program")
        environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": name,
            "LANG": "C.UTF-8",
            **given["environment"],
        }
        for variable, folder in given["folders"].items():
            copy = place / variable.lower()
            copy_folder(Path(folder), copy)
            environment[variable] = str(copy)
        with tempfile.TemporaryFile() as output:
            began = time.monotonic()
            process = subprocess.Popen(
                given["argv"],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=place / "program",
                env=environment,
                start_new_session=True,
                preexec_fn=limit_memory,
            )
            exit_status = None
            with contextlib.suppress(subprocess.TimeoutExpired):
                exit_status = process.wait(given["within"])
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            seconds = time.monotonic() - began
            end = output.seek(0, os.SEEK_END)
            output.seek(max(0, end - OUTPUT))
            content = output.read(OUTPUT)
    return WorkerReply({"exit": exit_status, "seconds": round(seconds, 3)}, content)


def limit_memory() -> None:
    """Limit the memory of this process and its children."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def copy_folder(source: Path, target: Path) -> None:
    """Copy regular files, folders and links, up to `COPIED` bytes.

    The agent has made them, but its processes are stopped. A link is copied as a link: what it
    leads to is read with the rights of the verification program.
    """
    target.mkdir()
    left = COPIED
    for folder, names, files in os.walk(source):
        below = target / Path(folder).relative_to(source)
        for name in list(names):
            path = Path(folder, name)
            if path.is_symlink():
                os.symlink(os.readlink(path), below / name)
            else:
                (below / name).mkdir()
        for name in files:
            path = Path(folder, name)
            status = path.lstat()
            if stat.S_ISLNK(status.st_mode):
                os.symlink(os.readlink(path), below / name)
            elif stat.S_ISREG(status.st_mode) and status.st_size <= left:
                left -= status.st_size
                shutil.copyfile(path, below / name)
                shutil.copystat(path, below / name)
                os.chmod(below / name, 0o644 | (status.st_mode & 0o111))
