"""One trial, from the revert of its machine to its row; every fate of an error is decided here."""

from __future__ import annotations

import json
import shutil
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from ambidex.evaluators import Score
from ambidex.host import Agent, Briefing, Stop
from ambidex.host.agents import roles_of
from ambidex.host.client.guest import Guest
from ambidex.host.errors import (
    FINAL,
    VOID,
    GuestError,
    MachineError,
    ended_by,
    independent_of_agent,
)
from ambidex.host.loop.branch_point import Origin, bring_stage, origin_of
from ambidex.host.loop.checkpointing import SNAPSHOTS, Keeping
from ambidex.host.loop.episode import InterruptedEpisodeError, run_episode
from ambidex.host.loop.interim_verdicts import Checkpoints, reached, said
from ambidex.host.loop.progress import Episode
from ambidex.host.loop.replay_prefix import Rehearsed, rehearse
from ambidex.host.loop.stage import STAGE, Backstage, collect, set_stage
from ambidex.host.loop.supervision import Watched
from ambidex.host.loop.verdicts import verdict_on
from ambidex.host.models.exposure import offer_of, restrict_modality
from ambidex.host.records.announcement import announced
from ambidex.host.records.config import SCHEMA, Job, RunConfig, offered
from ambidex.host.records.rows import Failure, Parent, Phase, Row
from ambidex.host.records.trajectory import Trajectory
from ambidex.tasks import Suite, Task, Verdict
from ambidex.tasks.osworld.task import OSWorldBody
from ambidex.vm import Machine

__all__ = ["MakeAgent", "Trial"]

MakeAgent = Callable[[str, Task, Briefing], Agent]
"""The agent of that name for one episode of a task."""

CONSOLE_LINES = 20


@dataclass(frozen=True)
class Trial:
    """Runs one attempt at a job on a machine and returns its row; raises only
    `InterruptedEpisodeError`."""

    config: RunConfig
    suite: Suite
    make_agent: MakeAgent
    run: Path
    """The run's directory."""
    interrupted: Callable[[], bool]
    code: str
    """See `Row.code`."""
    environment: str = ""
    """See `Row.environment`."""

    def attempt(self, job: Job, attempt: int, machine: Machine, unproved: int = 0) -> Row:
        """Do it. The machine is reverted first, so whatever state it was in does not matter.

        `unproved` is how many earlier attempts ended void after the agent had acted: one more is a
        score of 0.
        """
        task = next(task for task in self.suite.tasks if task.name == job.task)
        folder = _fresh(self.run / self.name_of(job))
        seconds: dict[str, float] = {}
        row = Row(
            schema_number=SCHEMA,
            suite=self.suite.name,
            task=task.name,
            task_hash=task.hash,
            agent=job.agent,
            trial=job.trial,
            attempt=attempt,
            condition=self.config.condition,
            tool_beneficial=task.spec.tool_beneficial,
            feasible=task.spec.feasible,
            useful_tools=tuple(task.spec.useful_tools),
            domain=task.domain,
            threshold=self.config.threshold,
            model=self.config.model.name if self.config.model and roles_of(job.agent) else "",
            fate="bug",
            folder=folder.name,
            config=self.config.hash,
            code=self.code,
            provider=self.config.provider,
            environment=self.environment,
            assets=task.body.assets_digest() if isinstance(task.body, OSWorldBody) else "",
            parent=self._parent(job),
            started=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        start = time.monotonic()
        progress = Progress()
        try:
            result = self._play(job, task, folder, machine, seconds, progress)
        except InterruptedEpisodeError:
            raise
        except VOID as error:
            failure = _failure(error, _console(machine, error))
            result = {"fate": "void", "failure": failure, "ended_by": ended_by(error)}
            if unproved and progress.acted and not failure.proved:
                result |= _forfeited(error, progress)
        except Exception as error:  # noqa: BLE001 - the one place where a bug becomes a row
            trace = "".join(traceback.format_exception(error))
            result = {
                "fate": "bug",
                "failure": _failure(error).model_copy(update={"traceback": trace}),
                "ended_by": "harness",
            }
        if result["fate"] != "scored" or result.get("forfeit"):
            result |= {"phase": progress.phase, "acted": progress.acted}
        result["agent_is_root"] = progress.agent_is_root
        seconds["total"] = time.monotonic() - start
        timed = {"seconds": {part: round(value, 4) for part, value in seconds.items()}}
        return Row.model_validate(row.model_dump() | result | timed)

    def _go_on(self) -> None:
        if self.interrupted():
            raise InterruptedEpisodeError

    def name_of(self, job: Job) -> str:
        """The trial's directory: `<task>.<trial>`, with the agent's name where several share a
        run."""
        if len(self.config.agents) == 1:
            return f"{job.task}.{job.trial}"
        return f"{job.task}.{job.agent.replace(':', '-').replace('/', '-')}.{job.trial}"

    def _backstage(self, machine: Machine, task: Task, folder: Path) -> Backstage:
        @contextmanager
        def fresh() -> Iterator[Guest]:
            machine.revert(task.spec.snapshot)
            with Guest(machine.endpoint, machine.token) as guest:
                guest.wait_ready()
                yield guest

        return Backstage(folder / STAGE, fresh, self.config.literal_sleeps)

    def _play(
        self,
        job: Job,
        task: Task,
        folder: Path,
        machine: Machine,
        seconds: dict[str, float],
        progress: Progress,
    ) -> dict[str, Any]:
        origin = self._origin(job)
        with _clock(seconds, "revert"):
            machine.revert(origin.place if origin else task.spec.snapshot)
        with ExitStack() as stack:
            stack.enter_context(announced(folder, machine))
            guest = stack.enter_context(Guest(machine.endpoint, machine.token))
            trajectory = stack.enter_context(Trajectory(folder))
            progress.trajectory = trajectory
            progress.phase = "setup"
            with _clock(seconds, "setup"):
                health = guest.health()
                progress.agent_is_root = health.agent_is_root
                if not health.ready:
                    raise GuestError(f"the guest is not ready after a revert: {health.missing()}")
                served = guest.tools()
                tools = offered(served, self.config.condition)
                if origin:
                    bring_stage(origin, folder)
                else:
                    set_stage(task, guest, self._backstage(machine, task, folder))
            limits = self.config.limits
            seed = origin.seed if origin else self.config.seed + job.trial
            branch = job.trial if origin else 0
            briefing = Briefing(task.spec.instruction, limits, seed, branch)
            agent = self.make_agent(job.agent, task, briefing)
            trajectory.start(
                task=task.name,
                task_hash=task.hash,
                instruction=briefing.instruction,
                agent=job.agent,
                trial=job.trial,
                condition=self.config.condition,
                seed=seed,
                **({"from": origin.said} if origin else {}),
            )
            backstage = partial(self._backstage, task=task, folder=folder)
            checkpoints = Checkpoints(self.config.checkpoints, task, machine, folder, backstage)
            keeping = Keeping(self.config.keep, machine, folder, origin.step if origin else 1)
            apps = {tool.name: tool.app for tool in served}
            person = Watched(folder, guest, trajectory, self.config.settle, apps, self._go_on)
            offer, rehearsed = offer_of(self.config.exposure, tools, task, seed), Rehearsed()
            try:
                if origin:
                    progress.phase = "rehearsal"
                    offer = restrict_modality(offer, origin.fork.hand, origin.fork.lasting)
                    with _clock(seconds, "rehearsal"):
                        rehearsed = rehearse(agent, origin, served, trajectory)
                    person.steps, person.assisted = rehearsed.human, rehearsed.assisted
                progress.phase, progress.episode = "episode", rehearsed.begun.episode
                episode = run_episode(
                    agent,
                    guest,
                    tools,
                    limits,
                    trajectory,
                    offer=offer,
                    settle=self.config.settle,
                    interrupted=self.interrupted,
                    person=person,
                    begun=rehearsed.begun,
                    keep=keeping.before,
                    after=checkpoints.after,
                )
            except BaseException as error:
                trajectory.end(stop=None, error=f"{type(error).__name__}: {error}")
                raise
            assert episode.stop is not None
            trajectory.end(stop=episode.stop, answer=episode.answer)
            progress.phase = "collect"
            with _clock(seconds, "collect"):
                collect(task, guest, folder / "evidence", episode.answer, backstage(machine))
        progress.phase = "judge"
        with _clock(seconds, "judge"):
            verdict = verdict_on(task, folder / "evidence", episode.stop, backstage(machine))
        _write_score(folder, verdict, episode.stop, self.config.threshold)
        seconds |= vars(episode.seconds)
        if self.config.checkpoints:
            seconds["checkpoints"] = checkpoints.seconds
        if self.config.keep:
            seconds["keep"] = keeping.seconds
        return {
            "fate": "scored",
            "ended_by": "person" if person.ended else "agent",
            "catalogue": health.catalogue,
            "screen": health.screen,
            "offered": tuple(sorted(episode.offered)),
            "assisted": person.assisted,
            "checkpoints": tuple(checkpoints.reached),
            **dict(reached(episode, verdict, episode.stop)),
        }

    def _origin(self, job: Job) -> Origin | None:
        fork = self.config.fork
        return origin_of(fork, job.branch) if fork and job.branch else None

    def _parent(self, job: Job) -> Parent | None:
        fork, branch = self.config.fork, job.branch
        if fork is None or branch is None:
            return None
        return Parent(run=fork.run, trial=branch.trial, step=branch.step, hand=fork.hand or "")


@dataclass
class Progress:
    """How far a trial is, for the row of one that fails."""

    phase: Phase = "revert"
    trajectory: Trajectory | None = None
    episode: Episode = field(default_factory=Episode)
    agent_is_root: bool | None = None

    @property
    def acted(self) -> int:
        """Calls that the agent has made."""
        return self.trajectory.acted if self.trajectory else 0


def _forfeited(error: Exception, progress: Progress) -> dict[str, Any]:
    """What a row says of a trial that ended void after the agent had acted, again."""
    cause = f"{type(error).__name__} during {progress.phase}: {error}"
    reason = f"scored 0: it failed twice after the agent had acted. {cause}"
    numbers = reached(progress.episode, Verdict(Score(0.0, reason)), Stop.DONE).model_dump()
    return numbers | {"fate": "scored", "stop": None, "forfeit": cause}


def _fresh(folder: Path) -> Path:
    """An empty directory; what an earlier attempt left is kept beside it."""
    if folder.exists():
        number = 1
        while (aside := folder.with_name(f"{folder.name}.earlier-{number}")).exists():
            number += 1
        folder.rename(aside)
        # Kept machines are large, and nobody goes on from what came to nothing.
        shutil.rmtree(aside / SNAPSHOTS, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def _write_score(folder: Path, verdict: Verdict, stop: Stop, threshold: float) -> None:
    words = said(verdict)
    known = {"value": words.pop("score"), "reason": words.pop("reason"), "stop": stop}
    if verdict.strict is not None:
        known |= words
    if threshold != 1.0:
        known["threshold"] = threshold
    (folder / "score.json").write_text(json.dumps(known) + "\n", encoding="utf-8")


def _failure(error: Exception, console: str = "") -> Failure:
    hint = str(getattr(error, "hint", ""))
    return Failure(
        type=type(error).__name__,
        message=str(error),
        hint=hint,
        console=console,
        final=isinstance(error, FINAL),
        proved=independent_of_agent(error),
    )


def _console(machine: Machine, error: Exception) -> str:
    if not isinstance(error, MachineError | GuestError):
        return ""
    try:
        return "\n".join(machine.console().splitlines()[-CONSOLE_LINES:])
    except (MachineError, OSError) as silent:
        return f"(no console: {silent})"


@contextmanager
def _clock(seconds: dict[str, float], part: str) -> Iterator[None]:
    start = time.monotonic()
    try:
        yield
    finally:
        seconds[part] = time.monotonic() - start
