"""Timing of the demo suite: on one machine and on two, and by part of the time."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

__all__ = ["play_suite", "rows", "suite_parts", "suite_wall"]

PROJECT = Path(__file__).parent.parent


def suite_wall(
    provider: str, image: str, scratch: Path, note: Callable[[str, str, str], None]
) -> dict[str, object]:
    """Run the demo suite on one machine and on two; returns the verdicts, which should be equal."""
    verdicts = []
    for machines in (1, 2):
        out = scratch / f"machines-{machines}"
        start = time.perf_counter()
        play_suite(provider, image, machines, out)
        wall = time.perf_counter() - start
        verdicts.append({str(row["task"]): row["score"] for row in rows(out)})
        what = f"demo suite ({len(verdicts[-1])} tasks) on {machines} machine{'s'[: machines - 1]}"
        note(what, f"{wall:.0f} s wall", "")
    note("equal verdicts on one machine and on two", str(verdicts[0] == verdicts[1]), "True")
    return verdicts[0]


def play_suite(provider: str, image: str, machines: int, out: Path) -> None:
    """Have the oracle play the demo suite with a process of its own."""
    suite = str(PROJECT / "tasks" / "demo")
    command = [sys.executable, "-m", "ambidex.host.cli.main", "run", suite]
    command += ["--agent", "oracle", "--condition", "hybrid", "--image", image]
    command += ["--provider", provider, "--machines", str(machines), "--out", str(out)]
    subprocess.run(command, check=True, cwd=PROJECT, stdout=subprocess.DEVNULL)


def rows(run: Path) -> list[dict[str, Any]]:
    """The rows of a run."""
    lines = (run / "results.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def suite_parts(scratch: Path) -> Iterator[tuple[str, str]]:
    """The share of each part in the time of the run on one machine."""
    spent: dict[str, float] = defaultdict(float)
    for row in rows(scratch / "machines-1"):
        for part, value in row["seconds"].items():
            spent[part] += float(value)
    total = spent.pop("total")
    for part, value in sorted(spent.items(), key=lambda item: -item[1]):
        yield f"share of an episode: {part}", f"{100 * value / total:.1f} % ({value:.1f} s)"
