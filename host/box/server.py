"""`python -m ambidex.host.box.server FD`: loads the evaluators once, then forks a confined copy of
itself for each verdict.

The socket FD carries requests, each with two descriptors: a socket for the answers, and a file with
the request, pickled by the controller. The copy answers in JSON: `{"verdict": …}`,
`{"task_error": …}`, `{"bug": …}`, or `{"ocr": true}` with a picture, to get its text back. When the
copy has ended, the server sends `{"ended": STATUS, "late": …}` on the same socket. The server ends
when its controller does.
"""

from __future__ import annotations

import array
import contextlib
import errno
import gc
import importlib
import json
import os
import pickle
import pkgutil
import select
import shutil
import signal
import socket
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ambidex.host import ROOT
from ambidex.host.box import Limits
from ambidex.host.box.confinement import confine

__all__ = ["LONGEST_REASON", "Request", "serve"]

LONGEST_REASON = 4000
"""Maximum characters of a reason; reasons quote evidence."""
MESSAGE = 1 << 17
"""Maximum bytes of a message."""
LOADED = ("ambidex.evaluators", "ambidex.tasks")
"""Packages whose modules are all imported before anything is judged."""
HEAVY = ("cv2", "docx", "imagehash", "mutagen", "odf.opendocument", "openpyxl", "pandas", "pypdf",
         "pptx", "skimage.metrics", "skimage.color", "scipy.spatial", "xlrd", "yaml", "bs4",
         "numpy.linalg", "PIL.PngImagePlugin", "PIL.JpegImagePlugin", "lxml.html",
         "encodings.idna", "sqlite3")  # fmt: skip
"""Libraries that evaluators import lazily. Missing ones are skipped."""


@dataclass(frozen=True)
class Request:
    """A request for a verdict, or for the text of a picture."""

    judge: Callable[[Path], Any]
    """Returns a `tasks.Verdict` on an evidence directory."""
    evidence: Path
    reads: tuple[Path, ...]
    """Further files that judging needs, of the task or of the benchmark."""
    limits: Limits
    folder: Path
    """The controller's working directory, for relative paths."""
    picture: bytes = b""
    """A picture whose text is requested instead of a verdict."""


DRAWN_BY_PROGRAMS = ("EPS", "WMF")
"""Image formats for which PIL starts another program; they are disabled."""


def load() -> None:
    """Import everything that evaluators need."""
    for name in LOADED:
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    for name in HEAVY:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    from PIL import Image

    Image.init()
    for name in DRAWN_BY_PROGRAMS:
        Image.ID.remove(name)


def readable() -> list[Path]:
    """The paths that Python and its libraries need to read."""
    paths = {sys.prefix, sys.base_prefix, "/usr", "/lib", "/lib64", "/etc", "/dev/null"}
    paths |= {"/dev/urandom", "/proc/self", "/sys/devices/system/cpu", str(ROOT)}
    return [Path(path) for path in paths if path]


def serve(controller: socket.socket) -> None:
    """Serve requests until the controller closes its end of the socket."""
    load()
    gc.collect()
    gc.freeze()
    controller.send(b"ready")
    running: dict[int, tuple[socket.socket, str, float]] = {}
    """By process id: the socket for answers, the scratch folder, and the deadline."""
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    late: set[int] = set()
    while True:
        now = time.monotonic()
        for pid, (_, _, deadline) in running.items():
            if deadline <= now and pid not in late:
                late.add(pid)
                os.kill(pid, signal.SIGKILL)
        times_left = [end - now for pid, (_, _, end) in running.items() if pid not in late]
        wait = max(0.0, min(times_left)) if times_left else None
        ready, _, _ = select.select([controller.fileno(), woken], [], [], wait)
        if woken in ready:
            os.read(woken, 4096)
        _reap(running, late)
        if controller.fileno() in ready:
            seconds, numbers, _, _ = socket.recv_fds(controller, 64, 2)
            if not seconds:
                for pid in running:
                    os.kill(pid, signal.SIGKILL)
                return
            scratch = tempfile.mkdtemp(prefix="ambidex-judge-")
            channel = socket.socket(fileno=numbers[0])
            pid = os.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                controller.close()
                _judge_and_exit(channel, numbers[1], Path(scratch))
            os.close(numbers[1])
            running[pid] = (channel, scratch, time.monotonic() + float(seconds))


def _reap(running: dict[int, tuple[socket.socket, str, float]], late: set[int]) -> None:
    while running:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        channel, scratch, _ = running.pop(pid)
        ended = {"ended": os.waitstatus_to_exitcode(status), "late": pid in late}
        late.discard(pid)
        with contextlib.suppress(OSError):
            channel.send(json.dumps(ended).encode())
        channel.close()
        shutil.rmtree(scratch, ignore_errors=True)


def _judge_and_exit(channel: socket.socket, number: int, scratch: Path) -> None:
    """Confine this process, answer the request in the file descriptor `number`, and exit. Nothing
    but the answer leaves the process."""
    status = 1
    try:
        with open(number, "rb") as file:
            request: Request = pickle.load(file)
        os.environ.clear()
        os.environ.update({"HOME": str(scratch), "TMPDIR": str(scratch), "LANG": "C.UTF-8"})
        os.chdir(request.folder)
        tempfile.tempdir = str(scratch)
        reads = [*readable(), request.evidence, *request.reads]
        confine(request.limits, reads, scratch, programs=bool(request.picture))
        answer = _recognize(request.picture) if request.picture else _judge(request, channel)
        channel.send(json.dumps(answer, default=str).encode()[:MESSAGE])
        status = 0
    except BaseException:  # noqa: BLE001 - reported on the socket; the process exits here
        trace = traceback.format_exc()[-LONGEST_REASON:]
        with contextlib.suppress(OSError):
            channel.send(json.dumps({"bug": trace}).encode())
    finally:
        os._exit(status)


def _judge(request: Request, channel: socket.socket) -> dict[str, Any]:
    from ambidex.evaluators.ocr import READER
    from ambidex.tasks import TaskError

    READER.set(lambda picture: _request_text(channel, picture))
    try:
        verdict = request.judge(request.evidence)
    except (MemoryError, RecursionError) as error:
        which = "memory" if isinstance(error, MemoryError) else "depth"
        return {"costly": which}
    except OSError as error:
        if error.errno == errno.EFBIG:
            return {"costly": "file"}
        if not isinstance(error, PermissionError):
            raise
        return {"refused": str(error)[:LONGEST_REASON]}
    except TaskError as error:
        problems = [[str(problem.file), problem.key, problem.message] for problem in error.problems]
        return {"task_error": problems, "hint": error.hint}
    scores = {"score": verdict.score, "strict": verdict.strict}
    return {
        "verdict": {
            name: score
            and [
                score.value,
                score.reason[:LONGEST_REASON],
                list(score.wants),
                [[one.title, one.total, one.reached] for one in score.points],
            ]
            for name, score in scores.items()
        },
        "collateral": verdict.collateral,
    }


def _request_text(channel: socket.socket, picture: bytes) -> str:
    """Have the controller recognize the text of a picture, in another confined process."""
    number = os.memfd_create("picture")
    try:
        os.write(number, picture)
        channel.sendmsg(
            [b'{"ocr": true}'],
            [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [number]))],
        )
        return json.loads(channel.recv(MESSAGE))["text"]  # type: ignore[no-any-return]
    finally:
        os.close(number)


def _recognize(picture: bytes) -> dict[str, Any]:
    """Recognize the text of a picture with another program, under the same confinement."""
    from ambidex.evaluators import UnreadableError
    from ambidex.evaluators.ocr import READER

    os.environ |= {"OMP_THREAD_LIMIT": "1", "PATH": "/usr/local/bin:/usr/bin:/bin"}
    try:
        return {"text": READER.get()(picture)[: MESSAGE // 8]}
    except UnreadableError as error:
        return {"text": "", "failed": str(error)}


if __name__ == "__main__":
    # The controller's import path, so that a request can refer to a user's own evaluators.
    sys.path += [path for path in sys.argv[2:] if path not in sys.path]
    with socket.socket(fileno=int(sys.argv[1])) as controller_socket:
        serve(controller_socket)
