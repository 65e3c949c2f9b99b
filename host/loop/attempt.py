"""One attempt at a trial on one machine: revert, set the stage, play the episode, collect, judge.

`phase` names the part in progress, so that a failed attempt can be placed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from ambidex.host import Agent, Briefing, Stop, ToolSpec, is_gui
from ambidex.host.accounts.opening import Account, account_of
from ambidex.host.client.answers import Health
from ambidex.host.client.guest import Guest
from ambidex.host.errors import GuestError, NoDesktopError
from ambidex.host.loop.branch_point import BranchPoint, copy_stage
from ambidex.host.loop.checkpointing import CheckpointSaver
from ambidex.host.loop.colleagues import AskedColleagues
from ambidex.host.loop.episode import Hooks, InterruptedEpisodeError, run_episode
from ambidex.host.loop.interim_verdicts import InterimJudge
from ambidex.host.loop.outcomes import outcome_of, write_score
from ambidex.host.loop.progress import Episode
from ambidex.host.loop.replay_prefix import ReplayedPrefix, offered_before, replay_prefix
from ambidex.host.loop.stage import STAGE, StageContext, collect, set_stage
from ambidex.host.loop.stage_cache import StageCache
from ambidex.host.loop.supervision import SupervisedTrial
from ambidex.host.loop.verdicts import verdict_on
from ambidex.host.models.asking import TextModel
from ambidex.host.models.exposure import Offer, offer_of, restrict_modality
from ambidex.host.records.announcement import announced
from ambidex.host.records.config import RunConfig, offered, tools_of
from ambidex.host.records.jobs import Job
from ambidex.host.records.retrieval import retrieval_of
from ambidex.host.records.rows import Phase
from ambidex.host.records.trajectory import Trajectory, calls_of, replies_of
from ambidex.host.toolsets.gateway import Gateway, open_gateway
from ambidex.host.toolsets.toolset_tools import open_tools
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
    stages: StageCache | None = None
    """The saved stages it may start from; None: it executes the task's setup."""
    colleagues: TextModel | None = None
    """The model that answers as the colleagues in the chat; None: they follow their scripts."""
    stage: Literal["", "set", "restored"] = ""
    """See `Row.stage`."""
    phase: Phase = "revert"
    seconds: dict[str, float] = field(default_factory=dict)
    episode: Episode = field(default_factory=Episode)
    trajectory: Trajectory | None = None
    agent_is_root: bool | None = None
    account: Account | None = None
    """What the task has in an account of the user's."""

    @property
    def steps(self) -> int:
        """Steps of the episode so far."""
        return self.episode.steps

    @property
    def acted(self) -> int:
        """Calls that the agent has made."""
        return self.trajectory.acted if self.trajectory else 0

    def run(self, make_agent: MakeAgent) -> dict[str, Any]:
        """Run all phases; returns the row's fields of a scored trial, or of one that a jury will
        judge."""
        with ExitStack() as held:
            with self._timed("revert"):
                self._revert(held)
            held.enter_context(announced(self.folder, self.machine.vnc))
            guest = held.enter_context(Guest(self.machine.endpoint, self.machine.token))
            trajectory = self.trajectory = held.enter_context(Trajectory(self.folder))
            with self._timed("setup"):
                account = account_of(self.task, self.job.trial, self.folder, self._check_interrupt)
                self.account = held.enter_context(account)
                health = self._healthy(guest)
                served = guest.tools()
                self._refuse_gui_without_one(served)
                self._set_stage(guest)
            self._offer_stage(guest)
            fields = self._play(make_agent, guest, served, trajectory)
            if self.config.repeats:
                with self._timed("collect"):
                    fields["repeats"] = self._repeat_verdict()
            with self._timed("collect"):
                self._collect(guest)
        with self._timed("judge"):
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

    def _revert(self, held: ExitStack) -> None:
        """Revert the machine to where the attempt starts: a branch point, a saved stage, or the
        snapshot of the task."""
        services = self.task.spec.services
        if self.point:
            self.machine.revert(self.point.checkpoint, services)
            return
        if self.stages is not None:
            files = self.folder / STAGE
            restored = self.stages.restored(self.task, self.machine, files)
            if held.enter_context(restored):
                self.stage = "restored"
                return
        self.machine.revert(self.task.spec.snapshot, services)

    def _set_stage(self, guest: Guest) -> None:
        if self.point:
            copy_stage(self.point, self.folder)
        elif self.stage != "restored":
            set_stage(self.task, guest, self._context(self.machine))
            self.stage = "set"

    def _offer_stage(self, guest: Guest) -> None:
        if self.stages is not None and self.stage == "set":
            began = time.monotonic()
            self.stages.offer(self.task, self.machine, guest, self.folder / STAGE)
            self.seconds["stage"] = time.monotonic() - began

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
        more = open_tools(config.exposure, config.condition, config.image)
        remote = self.account.tools if self.account else None
        if more:
            served = (*served, *more.specs().values())
        if remote:
            served = (*served, *remote.specs().values())
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
        colleagues: AskedColleagues | None = None
        try:
            if point:
                offer = restrict_modality(offer, point.fork.hand, point.fork.lasting)
                if gateway:
                    found = gateway.restore(offered_before(point))
                    served = (*served, *found.values())
                    offer = self._given(point, gateway, served, offer)
                with self._timed("rehearsal"):
                    prefix = replay_prefix(agent, point, served, trajectory)
                person.steps, person.assisted = prefix.human, prefix.assisted
            self.phase, self.episode = "episode", prefix.start.episode
            with self._colleagues(trajectory) as colleagues:
                run_episode(
                    agent,
                    guest,
                    tools,
                    config.limits,
                    trajectory,
                    offer=offer,
                    others=tuple(filter(None, (gateway or more, remote))),
                    settle=config.settle,
                    hooks=Hooks(
                        partial(self._ends, colleagues), person, saver.save, judge.after_step
                    ),
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
            "retrieval": retrieval_of(self.folder) if gateway else None,
            "checkpoints": tuple(judge.outcomes),
            "colleagues": colleagues.record if colleagues else None,
        }

    @contextmanager
    def _colleagues(self, trajectory: Trajectory) -> Iterator[AskedColleagues | None]:
        if self.colleagues is None:
            yield None
            return
        guest = Guest(self.machine.endpoint, self.machine.token)
        with AskedColleagues(guest, self.colleagues, trajectory) as asked:
            yield asked

    def _ends(self, colleagues: AskedColleagues | None) -> bool:
        """Whether the run is shutting down; raises what ended the colleagues' answers."""
        if colleagues is not None:
            colleagues.check()
        return self.interrupted()

    def _given(
        self, point: BranchPoint, gateway: Gateway, served: Sequence[ToolSpec], offer: Offer
    ) -> Offer:
        """The offer of a branch that is given its task's useful tools; see `Fork.given`."""
        useful = self.task.spec.useful_tools
        match point.fork.given:
            case "answer":
                gateway.add_to_next_answer(useful)
            case "set":
                return gateway.replaced(offer, useful, {tool.name: tool for tool in served})
        return offer

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
                # This fork is thrown away: a program may judge it itself.
                context = replace(self._context(fork), fork=None)
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
            self.account,
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
    def _timed(self, phase: Phase) -> Iterator[None]:
        self.phase, began = phase, time.monotonic()
        try:
            yield
        finally:
            self.seconds[phase] = self.seconds.get(phase, 0.0) + time.monotonic() - began
