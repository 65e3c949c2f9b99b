"""From a run, and optionally a run of null agents and a proof, to a passport.

Every number is computed by the report's own functions. What is stated depends on the directories
only, not on where they are or on when the passport is made.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import JsonValue, ValidationError

from ambidex.evaluators.strict import explain
from ambidex.host.agents.null import SAYS_INFEASIBLE
from ambidex.host.errors import UsageError
from ambidex.host.passport import (
    MachineFacts,
    ModelFacts,
    NullFacts,
    Passport,
    ProofFacts,
    ProofStatus,
    RunFacts,
    TaskFacts,
    TrialFacts,
)
from ambidex.host.records.config import NAME as CONFIG
from ambidex.host.records.config import ModelConfig, RunConfig, read_config
from ambidex.host.records.environment import FOLDER as ENVIRONMENTS
from ambidex.host.records.environment import Environment
from ambidex.host.records.rows import NAME as RESULTS
from ambidex.host.records.rows import Row, read_rows
from ambidex.host.records.trajectory import NAME as TRAJECTORY
from ambidex.host.report.findings import find
from ambidex.host.report.report_lines import Line, lines
from ambidex.host.report.text_report import as_json
from ambidex.host.runs.null import NullRun
from ambidex.host.runs.prove import verdicts
from ambidex.tasks import Suite
from ambidex.tasks.hashing import hash_of_files

__all__ = ["Proof", "build", "endpoint_class", "evidence_hash"]

SETTINGS = (
    *("condition", "exposure", "limits", "runs", "threshold", "settle", "seed", "literal_sleeps"),
    *("checkpoints", "repeats", "keep", "jury"),
)
"""Fields of the configuration that are stated as they are."""
PRIVATE = ("name", "base_url", "key", "dialect")
"""Fields of a model that are not among its parameters."""


class Proof:
    """A finished proof and the suite that it is about."""

    def __init__(self, folder: Path, suite: Suite) -> None:
        self.folder, self.suite = folder, suite


def build(
    run: Path, null: NullRun | None = None, proof: Proof | None = None, *, name: str = ""
) -> Passport:
    """The passport of a run; `name` is stated instead of its directory's. `UsageError` if a
    directory is not a run or a file of it is damaged."""
    name = name or run.resolve().name
    config, rows = read_config(run), read_rows(run)
    if not rows:
        raise UsageError(f"{run} has no row yet", hint="Finish the run first.")
    report_lines = lines([run])
    tried = _tried(config, null) if null else ()
    solvable = [name for name in tried if null and name in null.solvable]
    environments = dict(_environments(run, rows))
    return Passport(
        run=run_facts(run).model_copy(update={"name": name}),
        agents=config.agents,
        begun=min(row.started for row in rows),
        last=max(row.started for row in rows),
        settings=config.model_dump(mode="json", include=set(SETTINGS)),
        version=config.version,
        code=_several(row.code for row in rows),
        environments=environments,
        suite=Path(config.suite).name,
        suite_hash=_suite_hash(config.tasks),
        left_out=config.left_out,
        machine=_machine(config, rows, environments.values()),
        models=tuple(_models(config, rows)),
        prompts=config.prompts,
        prices=config.prices,
        numbers=_numbers(report_lines, name),
        numbers_without_solvable=_numbers(lines([run], without=null), name)
        if solvable and len(tried) == len(config.tasks)
        else (),
        warnings=tuple(
            text.replace(str(run), name)
            for line in report_lines
            for text in (line.warning, line.gap)
            if text
        ),
        verdicts_differ=tuple(
            f"{row.folder}: {row.score:g}, strict {row.strict:g}"
            for row in rows
            if row.score is not None and row.strict is not None and row.strict != row.score
        ),
        tasks=_tasks(config, rows, null, tried, proof),
        trials=tuple(_trials(run, rows)),
        null=_null(config, null, tried) if null else None,
        proof=_proof(config, proof) if proof else None,
    )


def run_facts(run: Path) -> RunFacts:
    """The hashes of a run's directory."""
    return RunFacts(
        name=run.resolve().name,
        configuration=_hash(run / CONFIG),
        rows=_hash(run / RESULTS),
    )


def evidence_hash(trial: Path) -> str:
    """SHA-256 over the names and contents of a trial's evidence; empty if there is none. The host
    writes no links there: one that somebody added is hashed as what it says, and not followed."""
    folder = trial / "evidence"
    if not folder.is_dir():
        return ""
    named: list[tuple[str, Path]] = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            named.append((f"{name} -> {path.readlink()}", Path(os.devnull)))
        elif path.is_file():
            named.append((name, path))
    return hash_of_files(named)


def endpoint_class(model: ModelConfig) -> str:
    """Where a model's server is, without its address."""
    if not model.base_url:
        return "vendor"
    host = urlsplit(model.base_url).hostname or ""
    try:
        address = ip_address(host)
    except ValueError:
        if host == "localhost":
            return "loopback"
        inside = "." not in host or host.endswith((".local", ".lan", ".internal", ".home.arpa"))
        return "private network" if inside else "public host"
    if address.is_loopback:
        return "loopback"
    return "private network" if address.is_private else "public host"


def _numbers(report_lines: Sequence[Line], name: str) -> tuple[JsonValue, ...]:
    """The report as JSON, with the run's name instead of its path."""
    report = json.loads(json.dumps(as_json(report_lines, find(report_lines))))
    for line in report:
        for part in (line, *line["against"]):
            part["run"] = name
    return tuple(report)


def _environments(run: Path, rows: Sequence[Row]) -> Iterable[tuple[str, Environment]]:
    for digest in _several(row.environment for row in rows):
        path = run / ENVIRONMENTS / f"{digest[:12]}.json"
        try:
            yield digest, Environment.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            continue  # a run that was copied without them: `verify` says so
        except ValidationError as error:
            raise UsageError(f"{path} cannot be read: {explain(error)}") from None


def _machine(
    config: RunConfig, rows: Sequence[Row], environments: Iterable[Environment]
) -> MachineFacts:
    known = list(environments)
    return MachineFacts(
        provider=config.provider,
        image=config.image,
        accelerators=_several(one.accelerator or "unknown" for one in known) or ("unknown",),
        guest_code=_several(one.guest_code for one in known),
        catalogue=config.catalogue,
        served=_several(row.catalogue for row in rows),
        screens=_several(f"{row.screen[0]}×{row.screen[1]}" for row in rows if row.screen),
        network=config.network,
    )


def _models(config: RunConfig, rows: Sequence[Row]) -> Iterable[ModelFacts]:
    days = _several(row.started[:10] for row in rows if row.model or row.colleagues)
    models = {
        "model": config.model,
        "grounder": config.grounder,
        "colleagues": config.colleague_model,
    }
    for role, model in models.items():
        if model is not None:
            yield ModelFacts(
                name=model.name,
                role=role,
                endpoint=endpoint_class(model),
                dialect=model.dialect,
                parameters=model.model_dump(mode="json", exclude=set(PRIVATE)),
                days=days,
            )


def _trials(run: Path, rows: Sequence[Row]) -> Iterable[TrialFacts]:
    texts = (run / RESULTS).read_bytes().split(b"\n")
    latest = {row.folder: row for row in rows}  # earlier attempts were moved aside
    for row, text in zip(rows, texts, strict=False):
        kept = run / row.folder if latest[row.folder] is row else None
        yield TrialFacts(
            task=row.task,
            agent=row.agent,
            trial=row.trial,
            attempt=row.attempt,
            fate=row.fate,
            score=row.score,
            strict=row.strict,
            stop=row.stop,
            steps=row.steps,
            assisted=row.assisted,
            row=sha256(text).hexdigest(),
            evidence=evidence_hash(kept) if kept else "",
            trajectory=_hash(kept / TRAJECTORY) if kept else "",
        )


def _tasks(
    config: RunConfig,
    rows: Sequence[Row],
    null: NullRun | None,
    tried: Sequence[str],
    proof: Proof | None,
) -> dict[str, TaskFacts]:
    feasible = {row.task: row.feasible for row in rows}
    statuses = _statuses(config, proof) if proof else {}
    return {
        name: TaskFacts(
            hash=hash,
            feasible=feasible.get(name),
            proof=statuses[name][0] if proof else None,
            claims=statuses[name][1] if proof else {},
            null=_null_scores(null, name) if null and name in tried else {},
            solved_by_null=null.solvable.get(name, ()) if null and name in tried else (),
        )
        for name, hash in config.tasks.items()
    }


def _tried(config: RunConfig, null: NullRun) -> tuple[str, ...]:
    """The tasks of the run, in the same version, that every null agent has a score for."""
    return tuple(
        name
        for name, hash in config.tasks.items()
        if null.config.tasks.get(name) == hash and not null.untried(name)
    )


def _null_scores(null: NullRun, task: str) -> dict[str, float | None]:
    return {
        agent: max((row.score or 0.0 for row in null.scored.get((task, agent), ())), default=None)
        for agent in null.config.agents
    }


def _null(config: RunConfig, null: NullRun, tried: Sequence[str]) -> NullFacts:
    solvable = {task: agents for task, agents in null.solvable.items() if task in tried}
    rightly = tuple(task for task in null.rightly_infeasible if task in tried)
    by_agent = Counter(agent for agents in solvable.values() for agent in agents)
    by_agent[SAYS_INFEASIBLE] += len(rightly)
    return NullFacts(
        run=run_facts(null.folder),
        agents=null.config.agents,
        solved={agent: by_agent[agent] for agent in null.config.agents},
        solvable=solvable,
        rightly_infeasible=rightly,
        untried=tuple(name for name in config.tasks if name not in tried),
    )


def _proof(config: RunConfig, proof: Proof) -> ProofFacts:
    statuses = _statuses(config, proof).values()
    return ProofFacts(
        run=run_facts(proof.folder), counts=dict(Counter(status for status, _ in statuses))
    )


def _statuses(
    config: RunConfig, proof: Proof
) -> dict[str, tuple[ProofStatus, dict[str, float | None]]]:
    """The status of each task of the run, with the scores of its claims."""
    claims = verdicts(proof.suite, read_rows(proof.folder))
    proved = read_config(proof.folder).tasks
    now = {task.name: task.hash for task in proof.suite.tasks}
    found: dict[str, tuple[ProofStatus, dict[str, float | None]]] = {}
    for name, hash in config.tasks.items():
        own = [claim for claim in claims if claim.job.task == name]
        scores = {one.job.agent: one.row.score if one.row else None for one in own}
        status: ProofStatus
        if name not in proved or not own:
            status, scores = "not in the proof", {}
        elif {proved[name], now[name]} != {hash}:
            status, scores = "another version", {}
        elif any(claim.row is None for claim in own):
            status = "incomplete"
        else:
            status = "proved" if all(claim.holds for claim in own) else "failed"
        found[name] = (status, scores)
    return found


def _suite_hash(tasks: Mapping[str, str]) -> str:
    listed = "".join(f"{name} {hash}\n" for name, hash in sorted(tasks.items()))
    return sha256(listed.encode()).hexdigest()


def _several(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({value for value in values if value}))


def _hash(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
