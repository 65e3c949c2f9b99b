"""The tool foundry: from a task or a wish to a reviewed tool in mcp_tools/.

    propose → filter → wrap → gate → trial → measure → review → admit

A candidate is a directory (`toolgen.store`) that holds everything known about it, so an interrupted
pipeline resumes where it stopped. A model writes the code, guests run it, people decide at the end.
Generated code never runs on the host: the host only reads its text, and only guests that are
reverted before each use execute it.
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
    "ModelUsage",
    "Origin",
    "Outcome",
    "Reasons",
    "Retirement",
    "Review",
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
"""All stages, in order."""
ORDER = {stage: number for number, stage in enumerate(STAGES, 1)}
"""The position of each stage, from 1."""

Origin = Literal["task", "wish", "recording", "server", "openapi"]
"""Where a candidate comes from: a task that was solved in code, a wish in words, actions that
repeat in recorded runs, a tool of an MCP server, an operation of an OpenAPI file."""

NAME = r"^[a-z][a-z0-9_-]{0,63}$"
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Outcome(StrEnum):
    """How a stage ended. `WAITING`: for people, or until a limit is raised. `ERROR`: a machine or a
    model failed, which says nothing about the candidate; the stage is run again."""

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
    """One result of examining a draft. A refusal must be fixed; anything else is information for
    the reviewers."""

    line: int
    """Line of tool.py; 0 if the finding is about the whole draft."""
    rule: str
    text: str
    refused: bool = True


class ModelUsage(Strict):
    """Calls, tokens and cost of asking models."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float | None = 0.0
    """None if the price of one of the models is unknown."""

    def __add__(self, other: ModelUsage) -> ModelUsage:
        unknown = self.dollars is None or other.dollars is None
        return ModelUsage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            dollars=None if unknown else (self.dollars or 0.0) + (other.dollars or 0.0),
        )


class Candidate(Strict):
    """`candidate.json`: the source of a candidate. Never rewritten."""

    name: Annotated[str, Field(pattern=NAME)]
    app: str
    """The app that the tool is for, such as `calc`."""
    origin: Origin
    created: str
    """UTC, ISO 8601, as are all times in this package."""
    model: str
    wish: str
    """What the tool should do, in words."""
    task: str = ""
    """Directory of the task that the tool is made from, or tested on."""
    task_hash: str = ""
    source: str = ""
    """If imported: the server's command or address, or the file. If mined: the runs."""
    parameters: dict[str, Any] | None = None
    """If imported: the JSON schema of its arguments."""
    examples: tuple[tuple[str, ...], ...] = ()
    """If mined: some recorded sequences, each as the text of its calls."""


class Draft(Strict):
    """`drafts/<n>/draft.json`: one version of the tool and its tests."""

    n: Annotated[int, Field(ge=1)]
    origin: Annotated[str, Field(alias="from")]
    """The stage or the reviewer that caused this draft to be written."""
    sha256: Sha256
    """Over tool.py and test_tool.py: verdicts refer to it."""


class StageResult(Strict):
    """`stages/<order>-<stage>.json`: the latest result of a stage, and the draft it is about."""

    stage: Stage
    draft: int | None
    """None before the first draft."""
    outcome: Outcome
    reason: str
    """One sentence."""
    findings: tuple[Finding, ...] = ()
    evidence: tuple[str, ...] = ()
    """Paths relative to the candidate's directory."""
    started: str
    ended: str
    usage: ModelUsage = ModelUsage()


class Reasons(Strict):
    """Comments on each criterion of the rubric; empty where a reviewer has none."""

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
    """False for a model's opinion, which is not counted."""
    draft: int
    sha256: Sha256
    verdict: Verdict
    reasons: Reasons = Reasons()
    comment: str = ""
    given: str
    """When the verdict was given."""


class Admission(Strict):
    """`admitted.json`: the files that were written into a source tree, and who approved them."""

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
    """`retired.json`: the tool was removed from the source tree."""

    tool: str
    by: str
    at: str
    files: tuple[str, ...]
    root: str
    why: str
