"""New tools: from a task or a wish to a reviewed file in mcp_tools/, with evidence at each step.

    propose → filter → wrap → gate → trial → measure → review → admit

A candidate is a directory (`toolgen.store`), and everything that is known of it lies there, so a
pipeline that was killed goes on where it was. A model writes the code, guests run it, people decide
at the end. Generated code never runs on the host: it is read as text here, and executed in reverted
guests only.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field

from ambidex.evaluators.strict import Strict

__all__ = [
    "ORDER",
    "STAGES",
    "Admission",
    "Candidate",
    "Draft",
    "Finding",
    "Origin",
    "Outcome",
    "Reasons",
    "Retirement",
    "Review",
    "Spent",
    "Stage",
    "StageResult",
    "Verdict",
]

Stage = Literal["propose", "filter", "wrap", "gate", "trial", "measure", "review", "admit"]
STAGES: tuple[Stage, ...] = (
    "propose",
    "filter",
    "wrap",
    "gate",
    "trial",
    "measure",
    "review",
    "admit",
)
"""In their order."""
ORDER = {stage: number for number, stage in enumerate(STAGES, 1)}

Origin = Literal["task", "wish", "recording", "server", "openapi"]
"""Where a candidate comes from: a task that was solved in code, a wish in words, actions that
repeat in recorded runs, a tool of an MCP server, an operation of an OpenAPI file."""

NAME = r"^[a-z][a-z0-9_-]{0,63}$"
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Outcome(StrEnum):
    """How a stage ended. `WAITING` is for people, or for a limit to be raised; `ERROR` says nothing
    about the candidate (a machine or a model failed) and is tried again."""

    PASSED = "passed"
    FAILED = "failed"
    WAITING = "waiting"
    ERROR = "error"


class Verdict(StrEnum):
    """What a reviewer decides."""

    ACCEPT = "accept"
    REVISE = "revise"
    REJECT = "reject"


@dataclass(frozen=True)
class Finding:
    """One thing that a stage says of a draft. A refusal must be mended; the rest is for
    reviewers."""

    line: int
    """Of tool.py; 0 where it is about the whole."""
    rule: str
    text: str
    refused: bool = True


class Spent(Strict):
    """What asking models took."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float | None = 0.0
    """None where one of the models has no known price."""

    def __add__(self, other: Spent) -> Spent:
        unknown = self.dollars is None or other.dollars is None
        return Spent(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            dollars=None if unknown else (self.dollars or 0.0) + (other.dollars or 0.0),
        )


class Candidate(Strict):
    """`candidate.json`: what a candidate came from. Never rewritten."""

    name: Annotated[str, Field(pattern=NAME)]
    app: str
    """The app whose tool it is to be, such as `calc`."""
    origin: Origin
    created: str
    """UTC, ISO 8601; so are all moments here."""
    model: str
    wish: str
    """What the tool is to do, in words."""
    task: str = ""
    """Directory of the task that it was made from, or is proved by."""
    task_hash: str = ""
    source: str = ""
    """Of an imported one the server's command or address, or the file; of a mined one the runs."""
    parameters: dict[str, Any] | None = None
    """JSON schema of an imported one's arguments."""
    examples: tuple[tuple[str, ...], ...] = ()
    """Of a mined one: the calls of some recorded sequences, each as a line of words."""


class Draft(Strict):
    """`drafts/<n>/draft.json`."""

    n: Annotated[int, Field(ge=1)]
    origin: Annotated[str, Field(alias="from")]
    """The stage or the reviewer whose doing it is."""
    sha256: Sha256
    """Over tool.py and test_tool.py: what a verdict is about."""


class StageResult(Strict):
    """`stages/<order>-<stage>.json`: how a stage ended last, and with which draft."""

    stage: Stage
    draft: int | None
    """None before there is one."""
    outcome: Outcome
    reason: str
    """One sentence."""
    findings: tuple[Finding, ...] = ()
    evidence: tuple[str, ...] = ()
    """Paths relative to the candidate's directory."""
    started: str
    ended: str
    usage: Spent = Spent()


class Reasons(Strict):
    """The rubric of a review; empty where a reviewer has nothing to say."""

    correct: str = ""
    general: str = ""
    safe: str = ""
    useful: str = ""
    not_a_duplicate: str = ""
    well_described: str = ""


class Review(Strict):
    """`reviews/<draft>-<reviewer>.json`: one reviewer's verdict on one draft."""

    reviewer: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$")]
    human: bool
    """A model's opinion counts for nothing by itself."""
    draft: int
    sha256: Sha256
    verdict: Verdict
    reasons: Reasons = Reasons()
    comment: str = ""
    given: str


class Admission(Strict):
    """`admitted.json`: what was written where, and by whose word."""

    tool: str
    """Its name in the catalogue."""
    draft: int
    sha256: Sha256
    reviewers: tuple[str, ...]
    by: str
    at: str
    files: tuple[str, ...]
    """Written or changed, relative to the root of the tree."""
    root: str
    why: str


class Retirement(Strict):
    """`retired.json`: the tool was taken out again."""

    tool: str
    by: str
    at: str
    files: tuple[str, ...]
    root: str
    why: str
