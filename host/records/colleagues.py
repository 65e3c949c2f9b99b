"""The model behind the colleagues in a firm's chat, if they do not follow their scripts."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ambidex.evaluators.strict import Strict
from ambidex.host import Form

__all__ = ["ColleagueRecord", "Colleagues"]


class Colleagues(Strict):
    """Who plays them, and how the model is asked."""

    model: Annotated[
        str,
        Field(description="A model that answers as the colleagues in the chat, not their scripts."),
    ] = ""
    base_url: Annotated[str, Field(description="The server of that model.")] = ""
    api: Annotated[Form, Field(description="The API that it is asked through.")] = "chat"
    key: Annotated[str, Field(description="The environment variable with its API key.")] = ""
    temperature: Annotated[float | None, Field(description="Its temperature.")] = None
    max_tokens: Annotated[int, Field(ge=1, description="Its longest answer, in tokens.")] = 1024


class ColleagueRecord(Strict):
    """What a model answered as colleagues, as stored in a trial's row."""

    model: str
    answers: Annotated[int, Field(ge=0)] = 0
    input_tokens: Annotated[int, Field(ge=0)] = 0
    output_tokens: Annotated[int, Field(ge=0)] = 0
    cost: Annotated[float | None, Field(ge=0)] = 0.0
    """US dollars; None if unknown. Not part of the trial's own cost."""
