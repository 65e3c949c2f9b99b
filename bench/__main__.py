"""Measure machines on this computer and print the results. These are not tests.

python -m bench                       both providers side by side; docs/performance.md has durations
python -m bench --providers sandbox   one of them
python -m bench --no-suite            without runs of the demo suite
python -m bench combinations          the demo suite in every dialect, condition and exposure
python -m bench tools                 tool calls by class, in a sandbox
python -m bench osworld OSWORLD       time outside the episode in OSWorld's tasks, on both providers
python -m bench room RUN              the control room on a finished run
python -m bench wall                  the control room's wall with 1,000 and 10,000 trials
python -m bench steps                 checkpoints of a virtual machine, and forks of them
python -m bench stages                saved stages: the demo suite with them and without
python -m bench services              machines with services: reverts, checkpoints, forks, leaks
python -m bench company               a virtual machine with the firm: reverts, memory, checkpoints
python -m bench resume                a run that is killed and resumed, against one left alone
python -m bench capacity              processor and memory of a machine, idle and while it works
python -m bench cluster               a run on a cluster of invented machines; no desktop
python -m bench disk                  files read from the disk of a paused machine
python -m bench aws-tools             every operation that moto implements, called once; no machine
python -m bench autoharness           the catalogs of cua-auto-harness, played through our tools
python -m bench rl                    steps and resets of environments for reinforcement learning
python -m bench attack                agents that attack their verdict: each must score 0
python -m bench judge RUN             overhead of the box for verdicts on a run's evidence
python -m bench livemcpbench DIR      LiveMCPBench's judges against people; no machine
python -m bench misbehaving           a model's server that misbehaves, against one task
python -m bench names                 cost of naming the blocks of a checkpoint; no machine
python -m bench retrieval             how well users' requests find the tools; no machine
python -m bench toolset-compile SOURCES…   time, memory and size of compiling toolsets; no machine
python -m bench toolset-retrieval DATA TOOLSET…   every retriever on searches of toolsets
python -m bench desktop-retrieval TOOLSET…   the guest's own tools among those of toolsets
python -m bench soak                  resources used over a long episode in a sandbox
python -m bench.differential          OSWorld's metrics against upstream's own functions
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from pathlib import Path

from cyclopts import App
from rich.console import Console

from ambidex.vm.building.image import open_image
from bench.attack import attack
from bench.aws.command import aws_tools
from bench.cluster.capacity import capacity
from bench.cluster.command import cluster
from bench.combinations import combinations
from bench.company import company
from bench.desktop import PLACES, crowd, first_ready, reverts, round_trips
from bench.disk import disk
from bench.judge import judge
from bench.ledger import Column, Ledger
from bench.livemcpbench.command import livemcpbench
from bench.misbehaving import misbehaving
from bench.names import names
from bench.osworld import osworld
from bench.peers.autoharness import autoharness
from bench.peers.rl import rl
from bench.resume import resume
from bench.retrieval.among_others import desktop_retrieval
from bench.retrieval.command import retrieval
from bench.retrieval.toolsets import toolset_retrieval
from bench.room import room
from bench.services import services
from bench.soak import soak
from bench.stages import stages
from bench.steps import steps
from bench.suite import suite_parts, suite_wall
from bench.tools import tools
from bench.toolset_compile import toolset_compile
from bench.wall import wall

app = App(help=__doc__)


def report_progress(line: str) -> None:
    """Print a line of progress to stderr."""
    print(line, file=sys.stderr)


@app.default
def main(
    *,
    image: str = "debian-12",
    providers: tuple[str, ...] = tuple(PLACES),
    count: int = 20,
    suite: bool = True,
) -> None:
    """Measure and print. `count` is the number of repetitions of each short operation."""
    ledger = Ledger(list(providers))
    desktop = open_image(image, say=report_progress)
    verdicts = {}
    for name in providers:
        place, column = PLACES[name], Column(ledger, name)
        first_ready(place, desktop, column)
        round_trips(place, desktop, column, count)
        reverts(place, desktop, column, 0, count)
        reverts(place, desktop, column, 1, count)
        crowd(place, desktop, column)
        if suite:
            with tempfile.TemporaryDirectory() as scratch:
                verdicts[name] = suite_wall(name, image, Path(scratch), column.note)
                for part, text in suite_parts(Path(scratch)):
                    column.note(part, text)
    if len(verdicts) > 1:
        same = len({str(sorted(verdict.items())) for verdict in verdicts.values()}) == 1
        for name in verdicts:
            Column(ledger, name).note("equal verdicts on both providers", str(same))
    title = f"{image}, {os.cpu_count()} processors, {platform.machine()}"
    Console(width=150).print(ledger.table(title))


app.command(attack)
app.command(autoharness)
app.command(aws_tools)
app.command(capacity)
app.command(cluster)
app.command(company)
app.command(desktop_retrieval)
app.command(disk)
app.command(judge)
app.command(livemcpbench)
app.command(misbehaving)
app.command(names)
app.command(osworld)
app.command(retrieval)
app.command(resume)
app.command(rl)
app.command(room)
app.command(services)
app.command(soak)
app.command(stages)
app.command(steps)
app.command(tools)
app.command(toolset_compile)
app.command(toolset_retrieval)
app.command(wall)
app.command(combinations)

if __name__ == "__main__":
    app()
