"""The two sides of a differential: upstream's child process, and ours as a task would ask."""

from __future__ import annotations

import json
import select
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any

from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.registry import ENDS
from ambidex.tasks.osworld.assets import AssetStore
from ambidex.tasks.osworld.task import Source, WrongTaskError, read_body
from bench.differential import NO_FILE, NOTHING, Case, Given, Outcome

__all__ = ["Upstream", "UpstreamError", "ours"]

FILE = {"type": "vm_file", "path": "/home/user/file", "dest": "file"}
START_SECONDS = 300.0


class UpstreamError(Exception):
    """OSWorld's evaluators cannot be run here."""


class Upstream:
    """OSWorld's own metrics in a process of their own, started again after one takes too long."""

    def __init__(self, root: Path, python: Path, seconds: float) -> None:
        if not (root / "desktop_env/evaluators/metrics").is_dir():
            raise UpstreamError(f"{root} has no desktop_env/evaluators/metrics")
        if not python.exists():
            raise UpstreamError(f"there is no {python}; --upstream-python names another one")
        self.command = [str(python), str(Path(__file__).with_name("child.py")), str(root)]
        self.seconds = seconds
        self.child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Upstream:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()

    def __call__(self, case: Case) -> Outcome:
        """What upstream's function gives."""
        asked: dict[str, object] = {
            "metric": case.metric,
            "result": case.result,
            "options": dict(case.options),
        }
        if case.expected is not NOTHING:
            asked["expected"] = None if case.expected is NO_FILE else case.expected
        child = self._started()
        assert child.stdin is not None
        child.stdin.write(json.dumps(asked, default=str).encode() + b"\n")
        child.stdin.flush()
        line = self._line(child, self.seconds)
        if line is None:
            ended = child.poll()
            self._stop()
            if ended is not None:
                return Outcome("raised", said=f"the process ended with {ended}")
            return Outcome("timeout", said=f"no answer in {self.seconds:g} s")
        said = json.loads(line)
        return Outcome(said["kind"], float(said["score"]), said["said"])

    def _started(self) -> subprocess.Popen[bytes]:
        if self.child is None:
            self.child = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            if self._line(self.child, START_SECONDS) is None:
                self._stop()
                hint = " ".join(self.command)
                raise UpstreamError(f"upstream's metrics cannot be imported; run it to see: {hint}")
        return self.child

    def _line(self, child: subprocess.Popen[bytes], seconds: float) -> bytes | None:
        assert child.stdout is not None
        ready, _, _ = select.select([child.stdout], [], [], seconds)
        line = child.stdout.readline() if ready else b""
        return line or None

    def _stop(self) -> None:
        if self.child is not None:
            self.child.kill()
            self.child.communicate()
            self.child = None


def ours(case: Case) -> Outcome:
    """Our `compat` verdict, by way of a task that asks just this."""
    evaluator: dict[str, Any] = {"func": case.metric, "result": FILE, "options": dict(case.options)}
    expected: Value = None
    if case.expected is NO_FILE:
        evaluator["expected"] = FILE
    elif not isinstance(case.expected, Given):
        expected = case.expected
        evaluator["expected"] = FILE if _files(expected) else {"type": "rule", "rules": expected}
    try:
        source = Source.model_validate(
            {"id": "differential", "instruction": "Judge.", "evaluator": evaluator}
        )
        body = read_body(Path("task.json"), source, AssetStore(Path("nowhere")))
    except (WrongTaskError, ValueError) as error:
        said = error.problems[0].message if isinstance(error, WrongTaskError) else str(error)
        return Outcome("refused", said=said)
    try:
        score = body.questions[0].metric(case.result, expected).compat
    except Exception as error:  # noqa: BLE001  # a bug of ours is a line of the table
        return Outcome("crashed", said=f"{type(error).__name__}: {error}")
    kind = "raised" if score.reason.startswith(ENDS) else "score"
    return Outcome(kind, score.value, score.reason)


def _files(value: Value) -> bool:
    """Whether it is what a getter of files gives."""
    if isinstance(value, list):
        return any(isinstance(each, Path) for each in value)
    return isinstance(value, Path)
