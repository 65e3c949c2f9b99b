"""Runs a task's test suite on the agent's files, in a fresh guest, never on the host. There the
agent's code is a process of the desktop user, with resource limits; the suite runs under another
account and queries it (`guest.evidence.suite`), so the agent's code cannot tamper with the report.
"""

from __future__ import annotations

import secrets
import tempfile
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from ambidex.host.client.guest import Guest
from ambidex.host.osworld.questions import CODE
from ambidex.host.untrusted.parsing import typed
from ambidex.tasks.assets import AssetStore
from ambidex.tasks.osworld.evidence import Collected, value_of

__all__ = ["RUNS", "report"]

RUNS = frozenset({"check_python_file_by_test_suite"})
"""Metrics whose result is the report of a test run."""
WITHIN = 120
FOLDER = "~/.ambidex-tests"
BOUNDS = f"ulimit -v 2097152 -t {WITHIN} -f 65536 -u 512; exec timeout -k 5 {WITHIN}"
"""The shell's limits on memory (KiB), processor time (s), file size (blocks) and processes."""
PLAYER = (
    f"import sys; sys.path[:0] = ['/opt', '{CODE}/site'];"
    " from ambidex.guest.evidence.player import main; main(*sys.argv[1:])"
)


class Report(BaseModel):
    """The report of a test suite."""

    model_config = ConfigDict(extra="ignore")

    passed: int = Field(ge=0)
    failed: int = Field(ge=0)
    errors: list[str] = Field(max_length=1000)


def report(
    guest: Guest,
    evidence: Path,
    store: AssetStore,
    result: Collected | None,
    expected: Collected | None,
    function: str,
) -> Collected:
    """Run the suite on the collected files, and answer with `{"passed", "failed", "errors"}` in
    their place."""
    kind = result.getter if result else ""
    if result is None or expected is None or "failed" in (result.state, expected.state):
        return Collected(getter=kind, state="failed", said="no files to run")
    sent = [kept for kept in (*result.files, *result.beside) if kept is not None]
    for kept in sent:
        guest.put(f"{FOLDER}/{Path(kept.name).name}", (evidence / kept.name).read_bytes())
    with tempfile.TemporaryDirectory() as scratch:
        suite = value_of(expected, evidence, Path(scratch), store, shadowed=False)
        if not isinstance(suite, Path):
            return Collected(getter=kind, state="failed", said="no test suite to run")
        source = suite.read_bytes()
    address = f"ambidex-suite-{secrets.token_hex(8)}"
    folder = guest.expanded([FOLDER])[0]
    argv = ["sh", "-c", f'{BOUNDS} python3 -I -B -c "$0" "$@"', PLAYER, folder, address]
    guest.run(argv, cwd=FOLDER, background=True, env={"SDL_VIDEODRIVER": "dummy"})
    modules = sorted({Path(kept.name).stem for kept in sent if kept.name.endswith(".py")})
    answer = guest.suite(source, address=address, modules=modules, function=function, within=WITHIN)
    report = typed(Report, answer, "the report of the tests").model_dump()
    files = ", ".join(kept.name for kept in result.files if kept)
    return Collected(
        getter=kind, state="value", value=report, said=f"ran with {files} in a fresh guest"
    )
