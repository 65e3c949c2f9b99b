"""`python -m bench aws-tools`: every operation of AWS that moto implements, called once through a
worker of the guest with arguments drawn from its schema."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from bench.aws.arguments import arguments
from bench.aws.operations import Operation, implemented
from bench.aws.server import moto, reset, state
from tests.support.service_worker import ServiceWorker

__all__ = ["Outcome", "aws_tools", "outcomes"]

MAKES = ("Create", "Put", "Register", "Add", "Allocate", "Import", "Start", "Run")
SERVICE_S_OWN = ("refused", "failed")
"""Codes of errors that the service answered with."""


class Outcome(NamedTuple):
    """The outcome of one call."""

    operation: Operation
    code: str
    """`result`, or the code of the error."""
    message: str
    made: str
    """The name that the call gave to what it made; empty if it failed or makes nothing."""
    seen: bool
    """Whether the server's dashboard, asked without botocore, shows that name, which no other call
    gives."""
    worker: int
    """The worker's process."""


def aws_tools(*, every: int = 1) -> None:
    """Call each operation once, or every n-th, and print the outcomes.

    Exits with 1 if a call had neither a result nor an error of the service itself, or if a worker
    died.
    """
    began = time.monotonic()
    chosen = list(implemented())[::every]
    found = []
    for outcome in outcomes(chosen):
        found.append(outcome)
        if len(found) % 200 == 0:
            print(f"{len(found)} of {len(chosen)} operations", file=sys.stderr)
    console = Console()
    counts = Counter(outcome.code for outcome in found)
    services = {outcome.operation.service for outcome in found}
    table = Table("outcome", "operations", title=f"{len(found)} of {len(services)} services")
    for code, number in counts.most_common():
        table.add_row(code, f"{number:,}")
    console.print(table)
    made = [outcome for outcome in found if outcome.made]
    seen = sum(outcome.seen for outcome in made)
    workers = {outcome.worker for outcome in found}
    console.print(f"{seen} of {len(made)} things made are on the server's own dashboard")
    console.print(f"{len(workers)} worker(s), {time.monotonic() - began:.0f} s")
    others = [one for one in found if one.code not in ("result", *SERVICE_S_OWN)]
    for one in others:
        console.print(f"{one.operation.service} {one.operation.name}: {one.code}: {one.message}")
    if others or len(workers) > 1:
        raise SystemExit(1)


def outcomes(operations: Iterable[Operation]) -> Iterator[Outcome]:
    """Call operations, sorted by service, one after another. The server is emptied for each
    service."""
    with tempfile.TemporaryDirectory() as folder, moto(Path(folder) / "moto.log") as address:
        declared = Path(folder) / "services.json"
        declared.write_text(json.dumps([{"name": "moto", "page": address}]))
        with asyncio.Runner() as runner:
            worker = ServiceWorker(declared)
            runner.run(worker.start())
            try:
                for _, group in groupby(operations, key=lambda one: one.service):
                    reset(address)
                    for operation in group:
                        yield runner.run(_outcome(worker, operation, address))
            finally:
                runner.run(worker.end())


async def _outcome(worker: ServiceWorker, operation: Operation, address: str) -> Outcome:
    label = f"{operation.name}{operation.service}".replace("-", "").lower()[:40]
    given = arguments(operation.shape, label)
    execution = {"kind": "aws", "service": operation.service, "operation": operation.name}
    record = {
        "server": {"name": operation.service},
        "tool": operation.name,
        "arguments": given,
        "execution": execution,
    }
    code, message = await worker.call(record)
    names = operation.name.startswith(MAKES) and any(
        isinstance(value, str) and value.startswith(label) for value in given.values()
    )
    made = label if code == "result" and names else ""
    seen = bool(made) and made in state(address)
    return Outcome(operation, code, message, made, seen, worker.pid)
