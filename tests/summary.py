"""The outcome of a whole `make test`: `python tests/summary.py FOLDER` reads the JUnit file and the
exit status that each stage of tests left there. Exit status 1 where one failed or left nothing."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from xml.etree import ElementTree

STAGES = (
    *("types", "pages", "host", "rest", "services", "osworld", "desks", "conformance", "tools"),
    *("foundry", "experiment", "cluster", "outside", "vm"),
)
SLOWEST = 5
LONGEST = 900
"""Characters of a failure's message that are printed."""


@dataclass(frozen=True)
class Stage:
    """One run of pytest, as its JUnit file has it."""

    passed: int
    failed: tuple[tuple[str, str], ...]
    """Name of each, and how it failed."""
    skipped: int
    seconds: float
    tests: tuple[tuple[float, str], ...]
    """Seconds and name of each."""

    @property
    def files(self) -> list[tuple[float, str]]:
        """Seconds of each file of tests."""
        total: Counter[str] = Counter()
        for seconds, name in self.tests:
            total[name.partition("::")[0]] += seconds  # type: ignore[assignment]
        return [(seconds, name) for name, seconds in total.items()]


def read_stage(path: Path) -> Stage:
    """The stage of a file."""
    root = ElementTree.parse(path).getroot()
    suite = root.find("testsuite") if root.tag == "testsuites" else root
    assert suite is not None, f"{path} holds no suite"
    passed, skipped, failed, tests = 0, 0, [], []
    for case in suite.iter("testcase"):
        name = f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}"
        tests.append((float(case.get("time", 0)), name))
        bad = next((child for child in case if child.tag in ("failure", "error")), None)
        if bad is not None:
            # mypy's message is always the same; what it found is in the text.
            said = bad.text if suite.get("name") == "mypy" else bad.get("message")
            failed.append((name, shorten(said or "", LONGEST)))
        elif case.find("skipped") is not None:
            skipped += 1
        else:
            passed += 1
    return Stage(passed, tuple(failed), skipped, float(suite.get("time", 0)), tuple(tests))


def main(folder: Path) -> int:
    """Print the summary; the exit status."""
    bad: list[str] = []
    failures: list[tuple[str, str]] = []
    for name in STAGES:
        path, status = folder / f"{name}.xml", folder / f"{name}.status"
        if not path.exists() or not status.exists():
            bad.append(name)
            print(f"\n{name}: DID NOT RUN, or ended before it could say anything")
            continue
        stage, code = read_stage(path), status.read_text().strip()
        failures += stage.failed
        if stage.failed or code != "0":
            bad.append(name)
        print(
            f"\n{name}: {stage.passed} passed, {len(stage.failed)} failed, {stage.skipped} skipped"
            f" in {stage.seconds:.0f} s, exit status {code}"
        )
        for what, timed in (("tests", list(stage.tests)), ("files", stage.files)):
            print(f"  slowest {what}:")
            for seconds, each in sorted(timed, reverse=True)[:SLOWEST]:
                print(f"    {seconds:7.1f} s  {each}")
    print()  # The failures come last, where a long log is read first.
    for failed, how in failures:
        print(f"FAILED {failed}\n  {how}")
    print(f"failed: {', '.join(bad) or 'nothing'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
