"""One running sandbox, seen from this machine."""

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
from ambidex.vm.sandbox.limits import Groups, Limits

__all__ = ["HINT", "STAGES", "Sandbox", "launch"]

HINT = "`ambidex doctor` says what this machine lacks."
HOSTNAME = "ambidex-desk"
STAGES = (("display", "display started"), ("desktop", "session started"))
"""What its console shows, in order, before the guest itself can be asked."""
SHARED_MEMORY, RUN_FILES = 1 << 30, 256 << 20
"""Bytes in /dev/shm and in /run; they count as its memory."""
OWNERS = 1 << 24
"""Ids above root's range, one of which owns a sandbox."""
IN_TIME = 30.0
"""Seconds for what takes a moment: to be set up, to stand still, to end."""


@dataclass(frozen=True)
class Sandbox:
    """Processes in namespaces of their own; `close` ends them all and leaves nothing."""

    groups: Groups
    folder: Path
    lower: tuple[Path, ...]
    """What lies under its own files: folders of kept ones, then the image's tree."""
    process: subprocess.Popen[bytes]
    """bubblewrap, which ends with the sandbox."""
    first: int
    """Process 1 inside, by its number out here."""
    handle: int
    """pidfd of it."""
    line: socket.socket
    """The sandbox ends when this is closed, so also when its owner does."""
    door: Door
    vnc: tuple[str, str]
    ended: threading.Lock = field(default_factory=threading.Lock)
    """Taken by whoever closes it, and never given back."""

    @property
    def name(self) -> str:
        """Also the name of its folder, and in the command line of its first process."""
        return self.folder.name

    def console(self) -> str:
        """What process 1 and its setting up have said."""
        with contextlib.suppress(FileNotFoundError):
            return (self.folder / "console").read_text(errors="replace")
        return ""

    def running(self) -> bool:
        """Whether process 1 is still there."""
        return self.process.poll() is None

    def pid(self) -> int:
        """Process 1 inside: the sandbox ends with it."""
        return self.first

    def picture(self) -> bytes:
        """The screen as PNG, from outside."""
        return capture(*self.vnc)

    @contextlib.contextmanager
    def standing_still(self) -> Iterator[None]:
        """For the length of a `with` no process inside runs."""
        self._told(b"stop")
        try:
            yield
        finally:
            self._told(b"go")

    def _told(self, word: bytes) -> None:
        self.line.settimeout(IN_TIME)
        try:
            self.line.send(word)
            heard = self.line.recv(64)
        except OSError as error:
            raise MachineError(f"{self.name} does not answer: {error}") from None
        if heard != word:
            raise MachineError(f"{self.name} has ended")

    def close(self) -> None:
        """End it at once. Its files were in memory, and are gone."""
        if not self.ended.acquire(blocking=False):
            return  # the number of its handle may be another sandbox's by now
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.handle, signal.SIGKILL)
        os.close(self.handle)
        self.line.close()
        try:
            self.process.wait(IN_TIME)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.groups.remove(self.name)
        shutil.rmtree(self.folder, ignore_errors=True)


def launch(
    groups: Groups, folder: Path, image: Image, lower: tuple[Path, ...], limits: Limits
) -> Sandbox:
    """Start a sandbox on those folders, the topmost first; its desktop comes up meanwhile."""
    if image.code is None:
        raise MachineError(f"the image {image.base.name!r} has no code layer for a sandbox")
    with contextlib.ExitStack() as ours, contextlib.ExitStack() as theirs:
        line, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.enter_context(line)
        theirs.enter_context(other)
        # Opened here and served in there: the only way in, and none out.
        guest = theirs.enter_context(socket.create_server(("127.0.0.1", 0)))
        display = theirs.enter_context(socket.create_server(("127.0.0.1", 0)))
        told, tells = os.pipe()
        ours.callback(os.close, told)
        theirs.callback(os.close, tells)
        given = (guest.fileno(), display.fileno(), other.fileno(), tells)
        plan = Plan(
            lower=[str(path) for path in lower],
            code=str(image.code),
            disk=limits.disk,
            owner=ROOTS_RANGE + IDS + secrets.randbelow(OWNERS),
            groups=[str(group) for group in groups.make(folder.name, limits)],
            bubblewrap=_command_line(folder.name, other.fileno(), tells),
        )
        with (folder / "console").open("ab") as console:
            process = subprocess.Popen(
                [sys.executable, "-S", "-m", "ambidex.vm.sandbox.enter", folder.name],
                cwd=PROJECT.parent,
                stdin=subprocess.PIPE,
                stdout=console,
                stderr=console,
                pass_fds=given,
                start_new_session=True,
            )
        door = Door(f"http://127.0.0.1:{guest.getsockname()[1]}", new_token())
        vnc = f"127.0.0.1:{display.getsockname()[1]}", secrets.token_hex(4)
        asked = {
            "user": image.base.user,
            "screen": image.base.screen.default,
            "token": door.token,
            "password": vnc[1],
            "machine_id": secrets.token_hex(16),
            "processes": 0 if "pids" in groups.bounded else limits.processes,
            "guest": guest.fileno(),
            "display": display.fileno(),
        }
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError), process.stdin as plans:
            plans.write(plan.written().encode())
        line.send(json.dumps(asked).encode())
        theirs.close()
        try:
            first, handle = _first_process(process, told, folder)
        except MachineError:
            groups.remove(folder.name)
            raise
        ours.pop_all()
        os.close(told)
    return Sandbox(groups, folder, lower, process, first, handle, line, door, vnc)


def _first_process(process: subprocess.Popen[bytes], told: int, folder: Path) -> tuple[int, int]:
    """The process that bubblewrap made the first one inside, and a pidfd of it."""
    said = b""
    while part := os.read(told, 4096):
        said += part
    try:
        first: int = json.loads(said)["child-pid"]
        return first, os.pidfd_open(first)
    except (ValueError, OSError):
        process.wait()
        console = (folder / "console").read_text(errors="replace").strip()
        shutil.rmtree(folder, ignore_errors=True)
        raise MachineError(f"no sandbox: {console}", stage="create", hint=HINT) from None


def _command_line(name: str, line: int, tells: int) -> list[str]:
    own = [f"--unshare-{each}" for each in ("pid", "net", "ipc", "uts", "cgroup-try")]
    return [
        *("bwrap", *own, "--hostname", HOSTNAME),
        *("--bind", ROOT, "/", "--ro-bind", CODE, "/opt/ambidex"),
        *("--proc", "/proc", "--dev", "/dev"),
        *("--perms", "1777", "--size", str(SHARED_MEMORY), "--tmpfs", "/dev/shm"),
        *("--size", str(RUN_FILES), "--tmpfs", "/run"),
        *("--ro-bind", INSIDE, "/run/inside.py"),
        *("--cap-add", "ALL", "--as-pid-1", "--info-fd", str(tells)),
        *("--chdir", "/", "--clearenv", "--"),
        *("/usr/bin/python3", "-I", "-S", "/run/inside.py", name, str(line)),
    ]
