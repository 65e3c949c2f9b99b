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
from ambidex.host.records.config import RunConfig, adopt, code_hash, locked
from ambidex.host.records.environment import keep, this_environment
from ambidex.host.records.jobs import Job
from ambidex.host.records.rows import NAME as RESULTS
from ambidex.host.records.rows import Key, Row, Rows, finished, read_rows
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
        self._playing = 0
        self._attempts: dict[Key, list[Row]] = defaultdict(list)

    def close(self) -> None:
        """End the machines."""
        self._stack.close()
        self._opened = None
        self._idle.clear()
        self._attempts.clear()

    def close_unused(self) -> None:
        """End the machines if no trial is being played. The next trial opens new ones."""
        with self._lock:
            if not self._playing:
                self.close()

    def play(self, task: str, number: int, model: InspectModel) -> Row:
        """Play one attempt of a trial and store its row. Waits for a free machine. A trial that
        has a score in the run's directory is not played again."""
        if number > self._request.options.runs:
            planned = self._request.options.runs
            raise UsageError(
                f"epoch {number} of {planned}: choose their number with -T runs=N, not --epochs N"
            )
        with self._free:
            with self._lock:
                source, config, environment = self._open(model.name)
                machine = self._idle.pop() if self._idle else self._new(source)
                self._playing += 1
            try:
                return self._play(Job(task, "model", number), machine, config, environment, model)
            finally:
                with self._lock:
                    self._playing -= 1
                    self._idle.append(machine)

    def _new(self, source: Source) -> Machine:
        return self._stack.enter_context(closing(source.make()))

    def _play(
        self, job: Job, machine: Machine, config: RunConfig, environment: str, model: InspectModel
    ) -> Row:
        before = self._attempts[job.key]
        if done := finished(before):
            return done[job.key]
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
        unproved = sum(row.unproved for row in before)
        row = trial.attempt(job, len(before) + 1, machine, unproved)
        with self._lock:
            before.append(row)
            Rows(self.folder).add(row)
        return row

    def _open(self, model: str) -> tuple[Source, RunConfig, str]:
        """The machines, the configuration of the run, and the digest of its environment."""
        if self._opened is None:
            with ExitStack() as stack:
                stack.enter_context(locked(self.folder))
                source = stack.enter_context(
                    open_machines(self._options, lambda line: echo(line, error=True))
                )
                asked = self._request.model
                assert asked
                named = asked.model_copy(update={"name": model})
                request = dataclasses.replace(self._request, model=named)
                config = config_of(request, read_prices(), source)
                adopt(self.folder, config)
                environment = keep(this_environment(config.image), self.folder)
                if (self.folder / RESULTS).is_file():
                    for row in read_rows(self.folder):
                        self._attempts[row.key].append(row)
                self._stack.push(stack.pop_all())
            self._opened = (source, config, environment)
        return self._opened
