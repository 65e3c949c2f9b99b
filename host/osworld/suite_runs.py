"""What has to be run to be judged: a suite of tests with the agent's files, in a fresh guest. The
agent's code is a process of the desktop user there, with bounds; the suite is one of another
account, and asks it (`guest.evidence.suite`). So the agent's code cannot reach the report.
"""

from __future__ import annotations

import secrets
import tempfile
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from ambidex.host.client.guest import Guest
from ambidex.host.osworld.questions import CODE
from ambidex.host.untrusted.parsing import typed
from ambidex.tasks.osworld.assets import AssetStore
from ambidex.tasks.osworld.evidence import Collected, value_of

__all__ = ["RUNS", "report"]

RUNS = frozenset({"check_python_file_by_test_suite"})
"""Metrics whose result is a report of such a run."""
WITHIN = 120
FOLDER = "~/.ambidex-tests"
BOUNDS = f"ulimit -v 2097152 -t {WITHIN} -f 65536 -u 512; exec timeout -k 5 {WITHIN}"
"""Memory (KiB), processor time, size of a file (blocks), processes: by the shell's own limits."""
PLAYER = (
    f"import sys; sys.path[:0] = ['/opt', '{CODE}/site'];"
    " from ambidex.guest.evidence.player import main; main(*sys.argv[1:])"
)


class Report(BaseModel):
    """What a suite came to."""

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
    """The suite's own verdict as `{"passed", "failed", "errors"}`, in the place of the files."""
    kind = result.getter if result else ""
    if result is None or expected is None or "failed" in (result.state, expected.state):
        return Collected(getter=kind, state="failed", said="there is nothing to run")
    sent = [kept for kept in (*result.files, *result.beside) if kept is not None]
    for kept in sent:
        guest.put(f"{FOLDER}/{Path(kept.name).name}", (evidence / kept.name).read_bytes())
    with tempfile.TemporaryDirectory() as room:
        suite = value_of(expected, evidence, Path(room), store, shadowed=False)
        if not isinstance(suite, Path):
            return Collected(getter=kind, state="failed", said="there is no suite to run")
        source = suite.read_bytes()
    address = f"ambidex-suite-{secrets.token_hex(8)}"
    folder = guest.expanded([FOLDER])[0]
    argv = ["sh", "-c", f'{BOUNDS} python3 -I -B -c "$0" "$@"', PLAYER, folder, address]
    guest.run(argv, cwd=FOLDER, background=True, env={"SDL_VIDEODRIVER": "dummy"})
    modules = sorted({Path(kept.name).stem for kept in sent if kept.name.endswith(".py")})
    said = guest.suite(source, address=address, modules=modules, function=function, within=WITHIN)
    report = typed(Report, said, "the report of the tests").model_dump()
    files = ", ".join(kept.name for kept in result.files if kept)
    return Collected(getter=kind, state="value", value=report, said=f"run apart with {files}")
