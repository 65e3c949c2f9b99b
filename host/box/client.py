"""The controller's side of the box: a server for the whole process, and verdicts from it."""

from __future__ import annotations

import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ambidex.evaluators import Score
from ambidex.host import ROOT
from ambidex.host.box import LIMITS, Limits
from ambidex.host.box.server import MESSAGE, Request
from ambidex.tasks import Problem, TaskError, Verdict

__all__ = ["Box", "JudgeError", "box"]

LOADS_WITHIN = 300.0
"""Seconds for the server to load its libraries, on a computer that is busy."""
GRACE = 30.0
LARGEST_PICTURE = 256 << 20
"""Bytes of a picture whose text is read: the judge made it, from one that it has measured."""
NUMERIC = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
"""Variables without which some processors compute wrongly."""


class JudgeError(Exception):
    """An evaluator failed, or the box did: nothing is known of the evidence."""


class Box:
    """A server of verdicts. It is started when it is first asked, and ends with this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._line: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def judge(
        self,
        judge: Callable[[Path], Verdict],
        evidence: Path,
        *,
        reads: tuple[Path, ...] = (),
        twofold: bool = False,
        limits: Limits = LIMITS,
    ) -> Verdict:
        """What `judge` says of the evidence; a score of 0 where it takes more than `limits`, and so
        the strict one where the verdict is `twofold`. It must be picklable."""
        files = tuple(path.resolve() for path in reads)
        request = Request(judge, evidence.resolve(), files, limits, Path.cwd())
        said: dict[str, Any] = {}
        for message in self._answers(request):
            said |= message
        if "verdict" in said:
            score, strict = (_score(said["verdict"][name]) for name in ("score", "strict"))
            assert score is not None
            return Verdict(score, strict)
        if "task_error" in said:
            problems = tuple(Problem(Path(file), *rest) for file, *rest in said["task_error"])
            raise TaskError(problems, hint=said["hint"])
        if "bug" in said:
            raise JudgeError(f"an evaluator failed:\n{said['bug']}")
        nothing = Score(0.0, _why(said, limits))
        return Verdict(nothing, nothing if twofold else None)

    def _answers(self, request: Request) -> list[dict[str, Any]]:
        """All that is said to a request, until it is answered or its process has ended."""
        with self._asked(request) as channel:
            channel.settimeout(request.limits.wall + GRACE)
            found = []
            while True:
                try:
                    content, numbers, _, _ = socket.recv_fds(channel, MESSAGE, 1)
                except TimeoutError:
                    self.close()
                    raise JudgeError("the box did not answer") from None
                if not content:
                    raise JudgeError("the box ended")
                message = json.loads(content)
                if message.get("ocr"):
                    text = self._read(numbers[0], request.limits)
                    channel.send(json.dumps(text).encode())
                    continue
                found.append(message)
                if message.keys() & {"ended", "verdict"}:
                    return found

    def _read(self, picture: int, limits: Limits) -> dict[str, str]:
        """The text of a picture, from a process of its own."""
        with open(picture, "rb") as file:
            file.seek(0)
            content = file.read(LARGEST_PICTURE)
        said: dict[str, Any] = {}
        for message in self._answers(Request(_nothing, ROOT, (), limits, ROOT, content)):
            said |= message
        return {"text": str(said.get("text", ""))}

    def _asked(self, request: Request) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        number = os.memfd_create("request")
        with theirs:
            try:
                with open(number, "wb", closefd=False) as file:
                    pickle.dump(request, file)
                os.lseek(number, 0, os.SEEK_SET)
                with self._lock:
                    line = self._server()
                    wall = f"{request.limits.wall:g}".encode()
                    socket.send_fds(line, [wall], [theirs.fileno(), number])
            except BaseException:
                ours.close()
                raise
            finally:
                os.close(number)
        return ours

    def _server(self) -> socket.socket:
        if self._line is not None and self._process is not None and self._process.poll() is None:
            return self._line
        self._end()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        own = {name: os.environ[name] for name in NUMERIC if name in os.environ}
        with theirs:
            boot = "import sys; sys.path[:0] = [sys.argv[2]]; del sys.argv[2]; import runpy;"
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-I", "-c"),
                    f"{boot} runpy.run_module('ambidex.host.box.server', run_name='__main__')",
                    *(str(theirs.fileno()), str(Path(__file__).parents[3])),
                    *filter(None, sys.path),
                ],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env={"LANG": "C.UTF-8", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", **own},
                start_new_session=True,
            )
        ours.settimeout(LOADS_WITHIN)
        if ours.recv(64) != b"ready":
            raise JudgeError("the box does not start: what it printed says why")
        ours.settimeout(None)
        self._line = ours
        return ours

    def close(self) -> None:
        """End the server; the next verdict starts another."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._line is not None:
            self._line.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._line = self._process = None


def _nothing(evidence: Path) -> Verdict:
    raise AssertionError("a picture is read, and nothing judged")


def _score(said: list[Any] | None) -> Score | None:
    return None if said is None else Score(float(said[0]), str(said[1]), tuple(said[2]))


def _why(said: dict[str, Any], limits: Limits) -> str:
    """The bound that was reached."""
    if "refused" in said:
        return f"judging it would do what judging may not: {said['refused']}"
    status = said["ended"]
    which = f"it crashed what reads it (exit status {status})"
    if said.get("costly") == "depth":
        which = "it nests too deep"
    elif said.get("costly") == "memory":
        which = f"more than {limits.memory >> 20} MiB of memory"
    elif said.get("costly") == "file":
        which = f"a file of more than {limits.file >> 20} MiB"
    elif said.get("late"):
        which = f"more than {limits.wall:g} s"
    elif status in (-signal.SIGXCPU, -signal.SIGKILL):
        which = f"more than {limits.processor} s of processor time"
    return f"too costly to judge: {which}"


_BOX = Box()


def box() -> Box:
    """The box of this process."""
    return _BOX
