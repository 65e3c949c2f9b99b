"""The controller's side of the box: one server per process, and requests for verdicts."""

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

from ambidex.evaluators import Points, Score
from ambidex.host import ROOT
from ambidex.host.box import LIMITS, Limits
from ambidex.host.box.server import MESSAGE, Request
from ambidex.tasks import Problem, TaskError, Verdict

__all__ = ["Box", "JudgeError", "box"]

LOADS_WITHIN = 300.0
"""Seconds for the server to load its libraries, generous for a busy computer."""
GRACE = 30.0
"""Seconds on top of the wall time limit before the box is considered stuck."""
LARGEST_PICTURE = 256 << 20
"""Maximum bytes of a picture for text recognition. The judge made it, within its own limits."""
NUMERIC = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
"""Environment variables without which OpenBLAS computes wrong results on some processors."""


class JudgeError(Exception):
    """An evaluator or the box failed, so there is no verdict on the evidence."""


class Box:
    """A server that computes verdicts. It is started by the first request and ends with this
    process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
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
        """The verdict of `judge` on the evidence. If it exceeds `limits`, a score of 0 (and the
        strict score as well if the verdict is `twofold`). `judge` must be picklable."""
        files = tuple(path.resolve() for path in reads)
        request = Request(judge, evidence.resolve(), files, limits, Path.cwd())
        answer: dict[str, Any] = {}
        for message in self._messages(request):
            answer |= message
        if "verdict" in answer:
            score, strict = (_score(answer["verdict"][name]) for name in ("score", "strict"))
            assert score is not None
            return Verdict(score, strict, answer["collateral"])
        if "task_error" in answer:
            problems = tuple(Problem(Path(file), *rest) for file, *rest in answer["task_error"])
            raise TaskError(problems, hint=answer["hint"])
        if "bug" in answer:
            raise JudgeError(f"an evaluator failed:\n{answer['bug']}")
        zero = Score(0.0, _limit_reached(answer, limits))
        return Verdict(zero, zero if twofold else None)

    def _messages(self, request: Request) -> list[dict[str, Any]]:
        """Send a request and collect its messages until there is a verdict or its process ends."""
        with self._send(request) as channel:
            channel.settimeout(request.limits.wall + GRACE)
            messages = []
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
                    text = self._recognize(numbers[0], request.limits)
                    channel.send(json.dumps(text).encode())
                    continue
                messages.append(message)
                if message.keys() & {"ended", "verdict"}:
                    return messages

    def _recognize(self, picture: int, limits: Limits) -> dict[str, str]:
        """The text of a picture, recognized in a confined process of its own."""
        with open(picture, "rb") as file:
            file.seek(0)
            content = file.read(LARGEST_PICTURE)
        answer: dict[str, Any] = {}
        for message in self._messages(Request(_no_judge, ROOT, (), limits, ROOT, content)):
            answer |= message
        return {"text": str(answer.get("text", ""))}

    def _send(self, request: Request) -> socket.socket:
        """Send a request to the server and return the socket for its answers."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        number = os.memfd_create("request")
        with theirs:
            try:
                with open(number, "wb", closefd=False) as file:
                    pickle.dump(request, file)
                os.lseek(number, 0, os.SEEK_SET)
                with self._lock:
                    server = self._server()
                    wall = f"{request.limits.wall:g}".encode()
                    socket.send_fds(server, [wall], [theirs.fileno(), number])
            except BaseException:
                ours.close()
                raise
            finally:
                os.close(number)
        return ours

    def _server(self) -> socket.socket:
        """The socket of the server, which is started if it is not running."""
        if self._socket is not None and self._process is not None and self._process.poll() is None:
            return self._socket
        self._end()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        numeric = {name: os.environ[name] for name in NUMERIC if name in os.environ}
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
                env={
                    "LANG": "C.UTF-8",
                    "OMP_NUM_THREADS": "1",
                    "OPENBLAS_NUM_THREADS": "1",
                    **numeric,
                },
                start_new_session=True,
            )
        ours.settimeout(LOADS_WITHIN)
        if ours.recv(64) != b"ready":
            raise JudgeError("the box did not start: see its output")
        ours.settimeout(None)
        self._socket = ours
        return ours

    def close(self) -> None:
        """End the server; the next request starts another."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._socket is not None:
            self._socket.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._socket = self._process = None


def _no_judge(evidence: Path) -> Verdict:
    raise AssertionError("a request for text recognition judges nothing")


def _score(fields: list[Any] | None) -> Score | None:
    if fields is None:
        return None
    points = tuple(Points(str(title), int(total), int(got)) for title, total, got in fields[3])
    return Score(float(fields[0]), str(fields[1]), tuple(fields[2]), points)


def _limit_reached(answer: dict[str, Any], limits: Limits) -> str:
    """The reason of a score of 0: the limit that judging reached."""
    if "refused" in answer:
        return f"judging it would do what judging may not: {answer['refused']}"
    status = answer["ended"]
    which = f"it crashed its reader (exit status {status})"
    if answer.get("costly") == "depth":
        which = "it is nested too deep"
    elif answer.get("costly") == "memory":
        which = f"more than {limits.memory >> 20} MiB of memory"
    elif answer.get("costly") == "file":
        which = f"a file of more than {limits.file >> 20} MiB"
    elif answer.get("late"):
        which = f"more than {limits.wall:g} s"
    elif status in (-signal.SIGXCPU, -signal.SIGKILL):
        which = f"more than {limits.processor} s of processor time"
    return f"too costly to judge: {which}"


_BOX = Box()


def box() -> Box:
    """The box of this process."""
    return _BOX
