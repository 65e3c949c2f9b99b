"""What has to be run to be judged: a suite of tests with the agent's files. It runs in a guest as
new, as its user, with bounds, and never where anything is judged."""

from __future__ import annotations

import tempfile
from pathlib import Path

from pydantic import JsonValue

from host.guest import Guest
from host.untrusted import MalformedError
from host.untrusted.parsing import json_value
from tasks.osworld_assets import AssetStore
from tasks.osworld_evidence import Collected, value_of

__all__ = ["RUNS", "report"]

RUNS = frozenset({"check_python_file_by_test_suite"})
"""Metrics whose result is a report of such a run."""
WITHIN = 120
FOLDER = "~/.ambidex-tests"
BOUNDS = f"ulimit -v 2097152 -t {WITHIN} -f 65536 -u 512; exec timeout -k 5 {WITHIN}"
"""Memory (KiB), processor time, size of a file (blocks), processes: by the shell's own limits."""
SCRIPT = """
import fractions, importlib.util, json, sys, traceback
name, = sys.argv[1:]
said = {"passed": 0, "failed": 0, "errors": []}
out = sys.stdout
sys.stdout = sys.stderr
sys.path.insert(0, ".")
try:
    spec = importlib.util.spec_from_file_location("suite", "test_suite.py")
    suite = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(suite)
    found = getattr(suite, name)()
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        share = fractions.Fraction(bool(found))
    else:
        share = fractions.Fraction(max(0.0, min(1.0, float(found)))).limit_denominator(1000)
    said["passed"], said["failed"] = share.numerator, share.denominator - share.numerator
except BaseException as error:
    said["errors"].append("".join(traceback.format_exception_only(type(error), error)).strip())
out.write("\\n" + json.dumps(said))
"""


def report(
    guest: Guest,
    evidence: Path,
    store: AssetStore,
    result: Collected | None,
    expected: Collected | None,
    function: str,
) -> Collected:
    """The suite's own verdict as `{"passed", "failed", "errors"}`, in the place of the files."""
    kind = result.getter if result else ""
    if result is None or expected is None or "failed" in (result.state, expected.state):
        return Collected(getter=kind, state="failed", said="there is nothing to run")
    for kept in (*result.files, *result.beside):
        if kept is not None:
            guest.put(f"{FOLDER}/{Path(kept.name).name}", (evidence / kept.name).read_bytes())
    with tempfile.TemporaryDirectory() as room:
        suite = value_of(expected, evidence, Path(room), store, shadowed=False)
        if not isinstance(suite, Path):
            return Collected(getter=kind, state="failed", said="there is no suite to run")
        guest.put(f"{FOLDER}/test_suite.py", suite.read_bytes())
    argv = ["sh", "-c", f'{BOUNDS} python3 -c "$0" "$1"', SCRIPT, function]
    ran = guest.run(argv, cwd=FOLDER, timeout=WITHIN + 30, env={"SDL_VIDEODRIVER": "dummy"})
    said: JsonValue
    try:
        said = json_value(ran.stdout.rpartition("\n")[2], "the report of the tests")
    except MalformedError:
        words = ran.stderr.strip().splitlines()
        why = "it was not done in time" if ran.timed_out or ran.returncode == 124 else ""
        why = why or f"it ended with {ran.returncode}: {words[-1] if words else ''}"
        said = {"passed": 0, "failed": 0, "errors": [why]}
    files = ", ".join(kept.name for kept in result.files if kept)
    return Collected(getter=kind, state="value", value=said, said=f"run apart with {files}")
