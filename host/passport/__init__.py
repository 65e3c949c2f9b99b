"""Score passports: what somebody else needs to check the numbers of a run.

A passport is one JSON file. It is canonical (keys sorted, a fixed layout), so that the same run
gives the same bytes, and these bytes are what is signed.

    building    from a run, a run of null agents and a proof to a passport
    verifying   recompute a passport from the same directories, and name the first mismatch
    signing     signatures by ssh-keygen
    page        the passport as an HTML page
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from ambidex.evaluators.strict import Strict
from ambidex.host.records.environment import Environment

__all__ = [
    "NAME",
    "MachineFacts",
    "ModelFacts",
    "NullFacts",
    "Passport",
    "ProofFacts",
    "ProofStatus",
    "RunFacts",
    "TaskFacts",
    "TrialFacts",
    "canonical",
]

NAME = "passport.json"

ProofStatus = Literal["proved", "failed", "incomplete", "another version", "not in the proof"]
Unit = Annotated[float, Field(ge=0, le=1)]


class RunFacts(Strict):
    """A run's directory: its name, and hashes of its files."""

    name: str
    configuration: str
    """SHA-256 of `run.json`."""
    rows: str
    """SHA-256 of `results.jsonl`."""


class ModelFacts(Strict):
    """A model and how it was asked."""

    name: str
    role: str
    endpoint: str
    """The class of its host: `vendor`, `loopback`, `private network` or `public host`."""
    dialect: str
    parameters: dict[str, JsonValue]
    """Those that were set; the address and the name of the key's variable are not among them."""
    days: tuple[str, ...]
    """UTC dates on which attempts that asked it began."""


class MachineFacts(Strict):
    """What the trials ran on. A run that was resumed elsewhere has several of some."""

    provider: str
    image: str
    """Name and digest; the digest covers the base image and the guest's code."""
    accelerators: tuple[str, ...]
    """`kvm`, `tcg` (emulation), `none` (no virtual machine), or `unknown` in older runs."""
    guest_code: tuple[str, ...]
    """Digests of the guest's code and libraries."""
    catalogue: str
    """Hash of the tools' descriptions that the run was configured with."""
    served: tuple[str, ...]
    """Hashes of the tools as guests served them."""
    screens: tuple[str, ...]
    network: bool = False
    """Whether guests had a network."""


class TaskFacts(Strict):
    """A task of the run, and what is known about its check."""

    hash: str
    feasible: bool | None
    """None if the task has no row."""
    proof: ProofStatus | None = None
    """None if no proof was given."""
    claims: dict[str, float | None] = Field(default_factory=dict)
    """Scores of the proof by agent: 1 is expected of oracles, 0 of all others."""
    null: dict[str, float | None] = Field(default_factory=dict)
    """The highest score of each null agent."""
    solved_by_null: tuple[str, ...] = ()
    """The null agents that solved it, other than rightly as infeasible."""


class TrialFacts(Strict):
    """One attempt: the verdict, and hashes of what it rests on."""

    task: str
    agent: str
    trial: int
    attempt: int
    fate: str
    score: Unit | None
    strict: Unit | None
    stop: str | None
    steps: int
    assisted: bool
    row: str
    """SHA-256 of its line in `results.jsonl`."""
    evidence: str
    """SHA-256 over its evidence; empty if it has none."""
    trajectory: str
    """SHA-256 of its trajectory; empty if it has none."""

    @property
    def name(self) -> str:
        """How messages call it."""
        return f"{self.task} by {self.agent}, trial {self.trial}, attempt {self.attempt}"


class NullFacts(Strict):
    """A run of null agents on the same tasks."""

    run: RunFacts
    agents: tuple[str, ...]
    solved: dict[str, int]
    """Number of tasks that each agent solved, infeasible ones rightly called so among them."""
    solvable: dict[str, tuple[str, ...]]
    """Tasks that were solved without doing them, with the agents that did."""
    rightly_infeasible: tuple[str, ...]
    untried: tuple[str, ...]
    """Tasks of the run that have no score of every null agent, or only one of another version."""


class ProofFacts(Strict):
    """A proof of the same tasks."""

    run: RunFacts
    counts: dict[ProofStatus, int]


class Passport(Strict):
    """Everything that a passport states."""

    format: Literal["ambidex passport 1"] = "ambidex passport 1"
    run: RunFacts
    agents: tuple[str, ...]
    begun: str
    """When the first attempt began, UTC."""
    last: str
    """When the last attempt began."""
    settings: dict[str, JsonValue]
    """Of the run's configuration: condition, limits, exposure, repeats, seed and the like."""
    version: str
    code: tuple[str, ...]
    """Hashes of the code that ran and judged the trials."""
    environments: dict[str, Environment]
    """By their digest."""
    suite: str
    suite_hash: str
    """SHA-256 over the names and hashes of its tasks."""
    left_out: dict[str, str]
    """Tasks that could not run, with the reason."""
    machine: MachineFacts
    models: tuple[ModelFacts, ...]
    prompts: str
    prices: str
    numbers: tuple[JsonValue, ...]
    """The report of the run, as `ambidex report --json` prints it."""
    numbers_without_solvable: tuple[JsonValue, ...]
    """The report without the tasks that null agents solved; empty if there are none."""
    warnings: tuple[str, ...]
    """Why the numbers should not be published as they are."""
    verdicts_differ: tuple[str, ...]
    """Trials whose strict verdict differs from the score."""
    tasks: dict[str, TaskFacts]
    trials: tuple[TrialFacts, ...]
    null: NullFacts | None
    proof: ProofFacts | None


def canonical(document: Mapping[str, object] | Passport) -> bytes:
    """The one form of a passport in bytes: UTF-8, keys sorted, an indent of one blank, a line feed
    at the end."""
    plain = document.model_dump(mode="json") if isinstance(document, Passport) else document
    text = json.dumps(plain, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False)
    return text.encode() + b"\n"
