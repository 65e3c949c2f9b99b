"""The two sides of a differential: upstream's child process, and our metric as a task uses it."""

from __future__ import annotations

import json
import select
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any

from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.registry import ENDS
from ambidex.tasks import WrongTaskError
from ambidex.tasks.assets import AssetStore
from ambidex.tasks.osworld.task import Source, read_body
from bench.differential import NO_FILE, NOTHING, Case, Given, Outcome

__all__ = ["Upstream", "UpstreamError", "ours"]

FILE = {"type": "vm_file", "path": "/home/user/file", "dest": "file"}
START_SECONDS = 300.0


class UpstreamError(Exception):
    """OSWorld's evaluators cannot be run."""


class Upstream:
    """OSWorld's own metrics in a child process, which is restarted after a timeout."""

    def __init__(self, root: Path, python: Path, seconds: float) -> None:
        if not (root / "desktop_env/evaluators/metrics").is_dir():
            raise UpstreamError(f"{root} has no desktop_env/evaluators/metrics")
        if not python.exists():
            raise UpstreamError(f"no such file: {python}; use --upstream-python")
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
        """Run upstream's function on a case."""
        request: dict[str, object] = {
            "metric": case.metric,
            "result": case.result,
            "options": dict(case.options),
        }
        if case.expected is not NOTHING:
            request["expected"] = None if case.expected is NO_FILE else case.expected
        child = self._started()
        assert child.stdin is not None
        child.stdin.write(json.dumps(request, default=str).encode() + b"\n")
        child.stdin.flush()
        line = self._line(child, self.seconds)
        if line is None:
            exit_code = child.poll()
            self._stop()
            if exit_code is not None:
                return Outcome("raised", said=f"the process ended with {exit_code}")
            return Outcome("timeout", said=f"no answer in {self.seconds:g} s")
        answer = json.loads(line)
        return Outcome(answer["kind"], float(answer["score"]), answer["said"])

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
                raise UpstreamError(
                    f"upstream's metrics cannot be imported; to see why, run {hint}"
                )
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
    """Our `compat` verdict, through a task with just this question."""
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
        message = error.problems[0].message if isinstance(error, WrongTaskError) else str(error)
        return Outcome("refused", said=message)
    try:
        score = body.questions[0].metric(case.result, expected).compat
    except Exception as error:  # noqa: BLE001  # a bug of ours is counted as a disagreement
        return Outcome("crashed", said=f"{type(error).__name__}: {error}")
    kind = "raised" if score.reason.startswith(ENDS) else "score"
    return Outcome(kind, score.value, score.reason)


def _files(value: Value) -> bool:
    """Whether the value is one that a file getter gives."""
    if isinstance(value, list):
        return any(isinstance(item, Path) for item in value)
    return isinstance(value, Path)
