"""`python -m ambidex.host.box.server FD`: loads the evaluators once, then forks a confined copy of
itself for each verdict.

The socket FD carries requests, each with two descriptors: a socket for the answers and a file that
holds the request, pickled by the controller. The copy answers with JSON: `{"verdict": …}`,
`{"task_error": …}`, `{"bug": …}`, or `{"ocr": true}` with a picture, which it is sent the text of.
At its end the server says `{"ended": STATUS, "late": …}` on the same socket. It ends with its
controller.
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
from ambidex.host.box.cage import shut_in

__all__ = ["LONGEST_REASON", "Request", "serve"]

LONGEST_REASON = 4000
"""Characters of a reason: it quotes evidence."""
MESSAGE = 1 << 17
LOADED = ("ambidex.evaluators", "ambidex.tasks")
"""Packages all of whose modules are loaded before anything is judged."""
HEAVY = ("cv2", "docx", "imagehash", "mutagen", "odf.opendocument", "openpyxl", "pandas", "pypdf",
         "pptx", "skimage.metrics", "skimage.color", "scipy.spatial", "xlrd", "yaml", "bs4",
         "numpy.linalg", "PIL.PngImagePlugin", "PIL.JpegImagePlugin", "lxml.html",
         "encodings.idna", "sqlite3")  # fmt: skip
"""Libraries that evaluators load when they are first used; one that is not there is passed over."""


@dataclass(frozen=True)
class Request:
    """What is to be judged."""

    judge: Callable[[Path], Any]
    """Gives a `tasks.Verdict` on an evidence directory."""
    evidence: Path
    reads: tuple[Path, ...]
    """Files of the task and of the benchmark, besides."""
    limits: Limits
    folder: Path
    """The controller's, where relative paths begin."""
    picture: bytes = b""
    """A picture whose text is to be read, instead of a verdict."""


DRAWN_BY_PROGRAMS = ("EPS", "WMF")
"""Pictures that the library has another program draw; here they are none."""


def load() -> None:
    """Load all that evaluators need."""
    for package in LOADED:
        found = importlib.import_module(package)
        for each in pkgutil.walk_packages(found.__path__, f"{package}."):
            if not each.name.endswith("__main__"):
                importlib.import_module(each.name)
    for name in HEAVY:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    from PIL import Image

    Image.init()
    for name in DRAWN_BY_PROGRAMS:
        Image.ID.remove(name)


def readable() -> list[Path]:
    """What Python and its libraries are read from."""
    places = {sys.prefix, sys.base_prefix, "/usr", "/lib", "/lib64", "/etc", "/dev/null"}
    places |= {"/dev/urandom", "/proc/self", "/sys/devices/system/cpu", str(ROOT)}
    return [Path(each) for each in places if each]


def serve(line: socket.socket) -> None:
    """Serve until the controller closes its end."""
    load()
    gc.collect()
    gc.freeze()
    line.send(b"ready")
    running: dict[int, tuple[socket.socket, str, float]] = {}
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    late: set[int] = set()
    while True:
        now = time.monotonic()
        for pid, (_, _, due) in running.items():
            if due <= now and pid not in late:
                late.add(pid)
                os.kill(pid, signal.SIGKILL)
        dues = [due - now for pid, (_, _, due) in running.items() if pid not in late]
        wait = max(0.0, min(dues)) if dues else None
        ready, _, _ = select.select([line.fileno(), woken], [], [], wait)
        if woken in ready:
            os.read(woken, 4096)
        _reap(running, late)
        if line.fileno() in ready:
            said, numbers, _, _ = socket.recv_fds(line, 64, 2)
            if not said:
                for pid in running:
                    os.kill(pid, signal.SIGKILL)
                return
            room = tempfile.mkdtemp(prefix="ambidex-judge-")
            channel = socket.socket(fileno=numbers[0])
            pid = os.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                line.close()
                _be_judge(channel, numbers[1], Path(room))
            os.close(numbers[1])
            running[pid] = (channel, room, time.monotonic() + float(said))


def _reap(running: dict[int, tuple[socket.socket, str, float]], late: set[int]) -> None:
    while running:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        channel, room, _ = running.pop(pid)
        ended = {"ended": os.waitstatus_to_exitcode(status), "late": pid in late}
        late.discard(pid)
        with contextlib.suppress(OSError):
            channel.send(json.dumps(ended).encode())
        channel.close()
        shutil.rmtree(room, ignore_errors=True)


def _be_judge(channel: socket.socket, file: int, room: Path) -> None:
    """Judge and end. Nothing is let out but an answer."""
    status = 1
    try:
        with open(file, "rb") as held:
            request: Request = pickle.load(held)
        os.environ.clear()
        os.environ.update({"HOME": str(room), "TMPDIR": str(room), "LANG": "C.UTF-8"})
        os.chdir(request.folder)
        tempfile.tempdir = str(room)
        reads = [*readable(), request.evidence, *request.reads]
        shut_in(request.limits, reads, room, programs=bool(request.picture))
        said = _read(request.picture) if request.picture else _judged(request, channel)
        channel.send(json.dumps(said, default=str).encode()[:MESSAGE])
        status = 0
    except BaseException:  # noqa: BLE001 - the last words of a process that ends here
        trace = traceback.format_exc()[-LONGEST_REASON:]
        with contextlib.suppress(OSError):
            channel.send(json.dumps({"bug": trace}).encode())
    finally:
        os._exit(status)


def _judged(request: Request, channel: socket.socket) -> dict[str, Any]:
    from ambidex.evaluators.ocr import READER
    from ambidex.tasks import TaskError

    READER.set(lambda picture: _asked(channel, picture))
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
        problems = [[str(each.file), each.key, each.message] for each in error.problems]
        return {"task_error": problems, "hint": error.hint}
    scores = {"score": verdict.score, "strict": verdict.strict}
    return {
        "verdict": {
            name: score and [score.value, score.reason[:LONGEST_REASON], list(score.wants)]
            for name, score in scores.items()
        }
    }


def _asked(channel: socket.socket, picture: bytes) -> str:
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


def _read(picture: bytes) -> dict[str, Any]:
    """The text of a picture, as another program reads it in a cage of its own."""
    from ambidex.evaluators import UnreadableError
    from ambidex.evaluators.ocr import READER

    os.environ |= {"OMP_THREAD_LIMIT": "1", "PATH": "/usr/local/bin:/usr/bin:/bin"}
    try:
        return {"text": READER.get()(picture)[: MESSAGE // 8]}
    except UnreadableError as error:
        return {"text": "", "failed": str(error)}


if __name__ == "__main__":
    # Where the controller imports from, so that a request can name an evaluator of a user's own.
    sys.path += [each for each in sys.argv[2:] if each not in sys.path]
    with socket.socket(fileno=int(sys.argv[1])) as controller:
        serve(controller)
