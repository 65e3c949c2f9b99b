"""One attempt at a trial on one machine: revert, set the stage, play the episode, collect, judge.

Each method is a stage; `phase` names the one in progress, so that a failed attempt can be placed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ambidex.host import Agent, Briefing, Stop, ToolSpec, is_gui
from ambidex.host.client.answers import Health
from ambidex.host.client.guest import Guest
from ambidex.host.errors import GuestError, NoDesktopError
from ambidex.host.loop.branch_point import BranchPoint, copy_stage
from ambidex.host.loop.checkpointing import CheckpointSaver
from ambidex.host.loop.episode import Hooks, InterruptedEpisodeError, run_episode
from ambidex.host.loop.interim_verdicts import InterimJudge
from ambidex.host.loop.outcomes import outcome_of, write_score
from ambidex.host.loop.progress import Episode
from ambidex.host.loop.replay_prefix import ReplayedPrefix, replay_prefix
from ambidex.host.loop.stage import STAGE, StageContext, collect, set_stage
from ambidex.host.loop.supervision import SupervisedTrial
from ambidex.host.loop.verdicts import verdict_on
from ambidex.host.models.exposure import offer_of, restrict_modality
from ambidex.host.records.announcement import announced
from ambidex.host.records.config import RunConfig, offered, tools_of
from ambidex.host.records.jobs import Job
from ambidex.host.records.rows import Phase
from ambidex.host.records.trajectory import Trajectory, calls_of, replies_of
from ambidex.host.toolsets.gateway import open_gateway
from ambidex.tasks import Task, Verdict
from ambidex.tasks.livemcpbench.body import KeyPointBody
from ambidex.vm import Machine
from ambidex.vm.disk import DiskOwner

__all__ = ["Attempt", "MakeAgent"]

YEAR = 366 * 86400.0
"""Seconds."""

MakeAgent = Callable[[str, Task, Briefing], Agent]
"""Makes the agent of that name for one episode of a task."""


@dataclass
class Attempt:
    """An attempt in progress. `run` returns the fields of its row; whatever it raises, the
    attributes say how far it got."""

    config: RunConfig
    job: Job
    task: Task
    folder: Path
    machine: Machine
    interrupted: Callable[[], bool]
    point: BranchPoint | None = None
    """Where it starts, if it is a branch."""
    phase: Phase = "revert"
    seconds: dict[str, float] = field(default_factory=dict)
    episode: Episode = field(default_factory=Episode)
    trajectory: Trajectory | None = None
    agent_is_root: bool | None = None

    @property
    def steps(self) -> int:
        """Steps of the episode so far."""
        return self.episode.steps

    @property
    def acted(self) -> int:
        """Calls that the agent has made."""
        return self.trajectory.acted if self.trajectory else 0

    def run(self, make_agent: MakeAgent) -> dict[str, Any]:
        """Run all stages; returns the row's fields of a scored trial, or of one that a jury will
        judge."""
        with self._stage("revert"):
            place = self.point.checkpoint if self.point else self.task.spec.snapshot
            self.machine.revert(place, self.task.spec.services)
        with (
            announced(self.folder, self.machine.vnc),
            Guest(self.machine.endpoint, self.machine.token) as guest,
            Trajectory(self.folder) as trajectory,
        ):
            self.trajectory = trajectory
            with self._stage("setup"):
                health = self._healthy(guest)
                served = guest.tools()
                self._refuse_gui_without_one(served)
                self._set_stage(guest)
            fields = self._play(make_agent, guest, served, trajectory)
            if self.config.repeats:
                with self._stage("collect"):
                    fields["repeats"] = self._repeat_verdict()
            with self._stage("collect"):
                self._collect(guest)
        with self._stage("judge"):
            verdict, stop = self._judge()
        self.seconds |= vars(self.episode.seconds)
        outcome = outcome_of(self.episode, verdict, stop)
        known = {"catalogue": health.catalogue, "screen": health.screen}
        fate = "scored" if verdict else "unjudged"
        return {"fate": fate, **known, **fields, **dict(outcome)}

    def _healthy(self, guest: Guest) -> Health:
        health = guest.health()
        # A branch starts from a guest that an agent may have changed already.
        self.agent_is_root = health.agent_is_root or bool(self.point and self.point.agent_is_root)
        if not health.ready:
            raise GuestError(f"the guest is not ready after a revert: {health.missing()}")
        return health

    def _refuse_gui_without_one(self, served: Sequence[ToolSpec]) -> None:
        hand = self.point.fork.hand if self.point else None
        tools = tools_of(self.task.spec, served)
        if "gui" in (self.config.condition, hand) and not any(is_gui(tool.app) for tool in tools):
            raise NoDesktopError(
                "the task has no GUI here: this guest has no desktop, and offers no browser",
                hint="Use --condition tools, or an image with a desktop.",
            )

    def _set_stage(self, guest: Guest) -> None:
        if self.point:
            copy_stage(self.point, self.folder)
        else:
            set_stage(self.task, guest, self._context(self.machine))

    def _play(
        self,
        make_agent: MakeAgent,
        guest: Guest,
        served: tuple[ToolSpec, ...],
        trajectory: Trajectory,
    ) -> dict[str, Any]:
        """The episode; returns the row's fields that only it knows."""
        config, point = self.config, self.point
        seed = point.seed if point else config.seed + self.job.trial
        branch = self.job.trial if point else 0
        briefing = Briefing(self.task.spec.instruction, config.limits, seed, branch)
        agent = make_agent(self.job.agent, self.task, briefing)
        trajectory.start(
            task=self.task.name,
            task_hash=self.task.hash,
            instance=self.task.instance,
            instruction=briefing.instruction,
            agent=self.job.agent,
            trial=self.job.trial,
            condition=config.condition,
            seed=seed,
            **({"from": point.reference} if point else {}),
        )
        tools = offered(tools_of(self.task.spec, served), config.condition)
        gateway = open_gateway(config.exposure, config.condition, config.image)
        if gateway:
            gui = {name: tool for name, tool in tools.items() if is_gui(tool.app)}
            tools, served = gui | gateway.own, (*served, *gateway.own.values())
        offer = offer_of(config.exposure, tools, self.task, seed)
        if gateway:
            offer = gateway.with_found(offer)
        apps = {tool.name: tool.app for tool in served}
        first = point.step if point else 1
        saver = CheckpointSaver(config.keep, self.machine, self.folder, first)
        judge = InterimJudge(
            config.checkpoints, self.task, self.machine, self.folder, self._context
        )
        person = SupervisedTrial(
            self.folder, guest, trajectory, config.settle, apps, self._check_interrupt
        )
        prefix = ReplayedPrefix()
        try:
            if point:
                offer = restrict_modality(offer, point.fork.hand, point.fork.lasting)
                with self._stage("rehearsal"):
                    prefix = replay_prefix(agent, point, served, trajectory)
                person.steps, person.assisted = prefix.human, prefix.assisted
            self.phase, self.episode = "episode", prefix.start.episode
            run_episode(
                agent,
                guest,
                tools,
                config.limits,
                trajectory,
                offer=offer,
                gateway=gateway,
                settle=config.settle,
                hooks=Hooks(self.interrupted, person, saver.save, judge.after_step),
                start=prefix.start,
            )
        except BaseException as error:
            trajectory.end(stop=None, error=f"{type(error).__name__}: {error}")
            raise
        trajectory.end(stop=self.episode.stop, answer=self.episode.answer)
        if config.checkpoints:
            self.seconds["checkpoints"] = judge.seconds
        if config.keep:
            self.seconds["keep"] = saver.seconds
        return {
            "ended_by": "person" if person.ended else "agent",
            "offered": tuple(sorted(self.episode.offered)),
            "assisted": person.assisted,
            "retriever": gateway.retriever.name if gateway else "",
            "checkpoints": tuple(judge.outcomes),
        }

    def _repeat_verdict(self) -> dict[str, float]:
        """The scores of the finished episode on forks of the machine, by evidence directory."""
        assert self.episode.stop is not None
        scores = {}
        later = [0.0] * self.config.repeats
        if isinstance(self.machine, DiskOwner):  # the clock of a virtual machine is its own
            later.append(YEAR)
        for number, offset in enumerate(later, 1):
            evidence = self.folder / f"evidence.fork-{number}{'-a-year-on' if offset else ''}"
            with self.machine.fork() as fork, Guest(fork.endpoint, fork.token) as guest:
                if offset:
                    guest.set_clock(time.time() + offset)
                context = self._context(fork)
                collect(self.task, guest, evidence, self.episode.answer, context)
                verdict = verdict_on(self.task, evidence, self.episode.stop, context)
            scores[evidence.name] = verdict.score.value
        return scores

    def _collect(self, guest: Guest) -> None:
        context = self._context(self.machine)
        collect(self.task, guest, self.folder / "evidence", self.episode.answer, context)

    def _judge(self) -> tuple[Verdict | None, Stop]:
        """The verdict, None if it is a jury's, and how the agent ended the episode."""
        assert self.episode.stop is not None
        if isinstance(self.task.body, KeyPointBody) and self.episode.stop is not Stop.INFEASIBLE:
            return None, self.episode.stop
        context = self._context(self.machine)
        verdict = verdict_on(self.task, self.folder / "evidence", self.episode.stop, context)
        write_score(self.folder, verdict, self.episode.stop, self.config.threshold)
        return verdict, self.episode.stop

    def _context(self, machine: Machine) -> StageContext:
        return StageContext(
            self.folder / STAGE,
            partial(self._fresh, machine),
            self.config.literal_sleeps,
            bool(self.agent_is_root),
            machine.disk if isinstance(machine, DiskOwner) else None,
            partial(self._forked, machine),
            partial(replies_of, self.folder),
            partial(calls_of, self.folder),
        )

    @contextmanager
    def _fresh(self, machine: Machine) -> Iterator[Guest]:
        machine.revert(self.task.spec.snapshot, self.task.spec.services)
        with Guest(machine.endpoint, machine.token) as guest:
            guest.wait_ready()
            yield guest

    @contextmanager
    def _forked(self, machine: Machine) -> Iterator[Guest]:
        with machine.fork() as fork, Guest(fork.endpoint, fork.token) as guest:
            yield guest

    def _check_interrupt(self) -> None:
        if self.interrupted():
            raise InterruptedEpisodeError

    @contextmanager
    def _stage(self, phase: Phase) -> Iterator[None]:
        self.phase, began = phase, time.monotonic()
        try:
            yield
        finally:
            self.seconds[phase] = self.seconds.get(phase, 0.0) + time.monotonic() - began
