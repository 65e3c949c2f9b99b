"""Trials as samples of an Inspect evaluation: a run of ours, whose machines Inspect's samples
share."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from contextlib import ExitStack, closing
from pathlib import Path
from threading import BoundedSemaphore, Lock

from ambidex.host.agents import agent_maker
from ambidex.host.errors import UsageError
from ambidex.host.integrations.inspect.model import InspectModel
from ambidex.host.loop.trial import Trial
from ambidex.host.models.prices import read_prices
from ambidex.host.records.config import Job, RunConfig, adopt, code_hash, locked
from ambidex.host.records.environment import keep, this_environment
from ambidex.host.records.rows import Key, Row, Rows
from ambidex.host.runs.launch import RunRequest, config_of
from ambidex.host.runs.machines import MachineOptions, Source, open_machines
from ambidex.host.terminal import echo
from ambidex.vm import Machine
from ambidex.vm.closing import Closing

__all__ = ["InspectRun"]


class InspectRun(Closing):
    """A run whose trials are played one by one, in any number of threads. Machines are opened at
    the first trial, and used again by the next ones."""

    def __init__(self, request: RunRequest, folder: Path, options: MachineOptions) -> None:
        self._request = request
        self.folder = folder
        self._options = options
        self._free = BoundedSemaphore(options.machines)
        self._lock = Lock()
        self._stack = ExitStack()
        self._opened: tuple[Source, RunConfig, str] | None = None
        self._idle: list[Machine] = []
        self._attempts: dict[Key, list[Row]] = defaultdict(list)

    def close(self) -> None:
        """End the machines."""
        self._stack.close()
        self._opened = None
        self._idle.clear()

    def play(self, task: str, number: int, model: InspectModel) -> Row:
        """Play one attempt of a trial and store its row. Waits for a free machine."""
        if number > self._request.options.runs:
            raise UsageError(
                f"epoch {number} is not planned: the run has {self._request.options.runs}",
                hint="Use -T runs=N instead of --epochs N.",
            )
        with self._free:
            source, config, environment = self._open(model.name)
            with self._lock:
                machine = self._idle.pop() if self._idle else None
            machine = machine or self._stack.enter_context(closing(source.make()))
            try:
                return self._play(Job(task, "model", number), machine, config, environment, model)
            finally:
                with self._lock:
                    self._idle.append(machine)

    def _play(
        self, job: Job, machine: Machine, config: RunConfig, environment: str, model: InspectModel
    ) -> Row:
        make_agent = agent_maker(config, lambda _: model)
        trial = Trial(
            config,
            self._request.suite,
            make_agent,
            self.folder,
            model.stop.is_set,
            code_hash(),
            environment,
        )
        before = self._attempts[job.key]
        unproved = sum(row.unproved for row in before)
        row = trial.attempt(job, len(before) + 1, machine, unproved)
        with self._lock:
            before.append(row)
            Rows(self.folder).add(row)
        return row

    def _open(self, model: str) -> tuple[Source, RunConfig, str]:
        with self._lock:
            if self._opened is None:
                self._stack.enter_context(locked(self.folder))
                source = self._stack.enter_context(
                    open_machines(self._options, lambda line: echo(line, error=True))
                )
                asked = self._request.model
                assert asked
                request = dataclasses.replace(
                    self._request, model=asked.model_copy(update={"name": model})
                )
                config = config_of(request, read_prices(), source)
                adopt(self.folder, config)
                environment = keep(this_environment(config.image), self.folder)
                self._opened = (source, config, environment)
            return self._opened
