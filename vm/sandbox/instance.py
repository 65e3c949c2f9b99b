"""A running sandbox, as seen from the host."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ambidex.vm import MachineError
from ambidex.vm.building.image import Image
from ambidex.vm.machines.display import capture
from ambidex.vm.machines.door import Door, new_token
from ambidex.vm.machines.owner import PROJECT
from ambidex.vm.namespace import IDS, ROOTS_RANGE
from ambidex.vm.sandbox.enter import CODE, INSIDE, ROOT, Plan
from ambidex.vm.sandbox.limits import ControlGroups, Limits

__all__ = ["HINT", "STAGES", "Sandbox", "launch"]

HINT = "`ambidex doctor` says what this machine lacks."
HOSTNAME = "ambidex-desk"
STAGES = (("display", "display started"), ("desktop", "session started"))
"""Boot stages and the text that marks each on the console, in order."""
SHARED_MEMORY, RUN_FILES = 1 << 30, 256 << 20
"""Capacity of /dev/shm and /run in bytes; their files count as memory."""
OWNERS = 1 << 24
"""Number of ids above root's range from which the owner of a sandbox's namespace is drawn."""
TIMEOUT = 30.0
"""Seconds for operations that take a moment: pausing, resuming, ending."""


@dataclass(frozen=True)
class Sandbox:
    """Processes in their own namespaces; `close` ends them all and removes their files."""

    groups: ControlGroups
    folder: Path
    lower: tuple[Path, ...]
    """Read-only folders under its own files: layers of a snapshot, then the image's tree."""
    process: subprocess.Popen[bytes]
    """bubblewrap, which ends with the sandbox."""
    first: int
    """Id on the host of process 1 inside."""
    handle: int
    """A pidfd of that process."""
    line: socket.socket
    """The sandbox ends when this is closed, and therefore also when its owner ends."""
    door: Door
    vnc: tuple[str, str] | None
    """Address and password of the screen; None without a desktop."""
    services: tuple[str, ...] = ()
    """The services of its image that it runs."""
    ended: threading.Lock = field(default_factory=threading.Lock)
    """Acquired by the first caller of `close` and never released."""

    @property
    def name(self) -> str:
        """The name of its folder, which is also in the command line of its first process."""
        return self.folder.name

    def console(self) -> str:
        """The output of its setup and of process 1."""
        with contextlib.suppress(FileNotFoundError):
            return (self.folder / "console").read_text(errors="replace")
        return ""

    def running(self) -> bool:
        """Whether process 1 is still running."""
        return self.process.poll() is None

    def pid(self) -> int:
        """Id on the host of process 1 inside; when it ends, so does the sandbox."""
        return self.first

    def picture(self) -> bytes:
        """The screen as PNG, captured from outside."""
        if self.vnc is None:
            raise MachineError(f"{self.name} has no screen: its image has no desktop")
        return capture(*self.vnc)

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Pause all processes inside for the length of the block."""
        self._send(b"stop")
        try:
            yield
        finally:
            self._send(b"go")

    def _send(self, order: bytes) -> None:
        self.line.settimeout(TIMEOUT)
        try:
            self.line.send(order)
            answer = self.line.recv(64)
        except OSError as error:
            raise MachineError(f"{self.name} does not answer: {error}") from None
        if answer != order:
            raise MachineError(f"{self.name} has ended")

    def close(self) -> None:
        """End it at once. Its files were in memory, and are lost."""
        if not self.ended.acquire(blocking=False):
            return  # the number of its pidfd may be in use for another sandbox by now
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.handle, signal.SIGKILL)
        os.close(self.handle)
        self.line.close()
        try:
            self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.groups.remove(self.name)
        shutil.rmtree(self.folder, ignore_errors=True)


def launch(
    groups: ControlGroups,
    folder: Path,
    image: Image,
    lower: tuple[Path, ...],
    limits: Limits,
    services: tuple[str, ...],
) -> Sandbox:
    """Start a sandbox on the folders `lower`, the topmost first, with these services of its image.

    Returns once its first process runs; it is not ready yet.
    """
    if image.code is None:
        raise MachineError(f"the image {image.base.name!r} has no code layer for a sandbox")
    with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
        line, other_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.enter_context(line)
        theirs.enter_context(other_end)
        # Opened on the host and served inside: the only way in, and there is no way out.
        guest = theirs.enter_context(socket.create_server(("127.0.0.1", 0)))
        display = theirs.enter_context(socket.create_server(("127.0.0.1", 0)))
        info_reading_end, info_writing_end = os.pipe()
        ours.callback(os.close, info_reading_end)
        theirs.callback(os.close, info_writing_end)
        passed = (guest.fileno(), display.fileno(), other_end.fileno(), info_writing_end)
        plan = Plan(
            lower=[str(path) for path in lower],
            code=str(image.code),
            disk=limits.disk,
            owner=ROOTS_RANGE + IDS + secrets.randbelow(OWNERS),
            groups=[str(group) for group in groups.make(folder.name, limits)],
            bubblewrap=_command_line(folder.name, other_end.fileno(), info_writing_end),
        )
        with (folder / "console").open("ab") as console:
            process = subprocess.Popen(
                [sys.executable, "-S", "-m", "ambidex.vm.sandbox.enter", folder.name],
                cwd=PROJECT.parent,
                stdin=subprocess.PIPE,
                stdout=console,
                stderr=console,
                pass_fds=passed,
                start_new_session=True,
            )
        door = Door(f"http://127.0.0.1:{guest.getsockname()[1]}", new_token())
        vnc = f"127.0.0.1:{display.getsockname()[1]}", secrets.token_hex(4)
        config = {
            "user": image.base.user,
            "session": image.base.session,
            "services": services,
            "screen": image.base.screen.default,
            "token": door.token,
            "password": vnc[1],
            "machine_id": secrets.token_hex(16),
            "processes": 0 if "pids" in groups.limited else limits.processes,
            "guest": guest.fileno(),
            "display": display.fileno(),
        }
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError), process.stdin as stdin:
            stdin.write(plan.to_json().encode())
        line.send(json.dumps(config).encode())
        theirs.close()
        try:
            first, handle = _first_process(process, info_reading_end, folder)
        except MachineError:
            groups.remove(folder.name)
            raise
        ours.pop_all()
        os.close(info_reading_end)
    screen = None if image.base.session == "none" else vnc
    return Sandbox(groups, folder, lower, process, first, handle, line, door, screen, services)


def _first_process(
    process: subprocess.Popen[bytes], info_reading_end: int, folder: Path
) -> tuple[int, int]:
    """The id on the host of process 1 inside, as bubblewrap reports it, and a pidfd of it."""
    info = b""
    while part := os.read(info_reading_end, 4096):
        info += part
    try:
        first: int = json.loads(info)["child-pid"]
        return first, os.pidfd_open(first)
    except (ValueError, OSError):
        process.wait()
        console = (folder / "console").read_text(errors="replace").strip()
        shutil.rmtree(folder, ignore_errors=True)
        raise MachineError(
            f"the sandbox did not start: {console}", stage="create", hint=HINT
        ) from None


def _command_line(name: str, line: int, info: int) -> list[str]:
    unshare = [f"--unshare-{kind}" for kind in ("pid", "net", "ipc", "uts", "cgroup-try")]
    return [
        *("bwrap", *unshare, "--hostname", HOSTNAME),
        *("--bind", ROOT, "/", "--ro-bind", CODE, "/opt/ambidex"),
        *("--proc", "/proc", "--dev", "/dev"),
        *("--perms", "1777", "--size", str(SHARED_MEMORY), "--tmpfs", "/dev/shm"),
        *("--size", str(RUN_FILES), "--tmpfs", "/run"),
        *("--ro-bind", INSIDE, "/run/inside.py"),
        *("--cap-add", "ALL", "--as-pid-1", "--info-fd", str(info)),
        *("--chdir", "/", "--clearenv", "--"),
        *("/usr/bin/python3", "-I", "-S", "/run/inside.py", name, str(line)),
    ]
