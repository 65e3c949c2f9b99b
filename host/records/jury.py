"""The jury of a run: the models that judge tasks with key points, and how they are asked."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from ambidex.evaluators.key_points import Form as AnswerForm
from ambidex.evaluators.key_points import Rule
from ambidex.evaluators.strict import Strict
from ambidex.host import Form

__all__ = ["Jury", "JuryRecord", "Source", "jury_command"]

Source = Literal["people", "model"]


class Jury(Strict):
    """Judges, and how they are asked."""

    judges: Annotated[
        tuple[str, ...], Field(description="Models that judge tasks with key points.")
    ] = ()
    each: Annotated[int, Field(ge=1, le=25, description="How often each judge is asked.")] = 1
    form: Annotated[
        AnswerForm,
        Field(
            description="points: each key point alone, with quotes; "
            "status: all at once, as LiveMCPBench does."
        ),
    ] = "points"
    rule: Annotated[
        Rule, Field(description="How several verdicts become one: majority, or best of them.")
    ] = "majority"
    key_points: Annotated[
        Source, Field(description="Key points by people, or extracted by the first judge.")
    ] = "people"
    base_url: Annotated[str, Field(description="The server of the judges.")] = ""
    api: Annotated[Form, Field(description="The API that the judges are asked through.")] = "chat"
    key: Annotated[str, Field(description="The environment variable with their API key.")] = ""
    temperature: Annotated[float | None, Field(description="The judges' temperature.")] = None
    max_tokens: Annotated[int, Field(ge=1, description="The longest answer, in tokens.")] = 4096

    @property
    def seats(self) -> tuple[str, ...]:
        """The model of each verdict: every judge, `each` times."""
        return self.judges * self.each


class JuryRecord(Strict):
    """The jury that judged a trial, as stored in its row."""

    jury: Jury
    prompts: str
    """Hash of the judges' prompts."""
    sitting: str
    """Hash of jury, prompts and key points; names the judges' answers in the evidence."""
    requests: Annotated[int, Field(ge=0)] = 0
    cost: Annotated[float | None, Field(ge=0)] = 0.0
    """US dollars for all its judges; None if unknown. Not part of the trial's own cost."""


def jury_command(run: Path) -> str:
    """The command that judges the unjudged trials of a run, for a shell."""
    return shlex.join(["ambidex", "jury", str(run)])
