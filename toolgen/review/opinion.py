"""A model's opinion of a draft: kept beside people's verdicts, shown after them, never counted."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import Field, ValidationError

from ambidex.evaluators.strict import Strict, explain
from ambidex.host import Model
from ambidex.host.errors import ModelError, UsageError
from ambidex.host.models.prompts import prompt
from ambidex.toolgen import Reasons, Review, Verdict
from ambidex.toolgen.gate.tools_text import Declared
from ambidex.toolgen.models.asking import CallLimitError, Caps, Talk, user
from ambidex.toolgen.models.prompts import FOLDER
from ambidex.toolgen.review.card import Cards
from ambidex.toolgen.store import Folder
from ambidex.toolgen.verdicts import RUBRIC, Said, current, keep_opinion

__all__ = ["ask_opinion"]

TRIES = 2
"""Answers that may be needed until one can be read."""
JSON = re.compile(r"\{.*\}", re.DOTALL)
NAME = re.compile(r"[^A-Za-z0-9._@+-]+")


class Thought(Strict):
    """What a model answers."""

    verdict: Verdict
    reasons: Reasons = Reasons()
    comment: str = Field("", max_length=10_000)


def ask_opinion(folder: Folder, model: Model, house: Sequence[Declared], caps: Caps) -> Review:
    """What the model says of the latest draft, kept under its name. It is told nothing that people
    said. `ModelError` where its answers cannot be read."""
    draft = current(folder)
    if draft is None:
        raise UsageError(f"{folder.path.name} has no draft yet")
    thought = _thought(folder, draft.n, Talk(model, folder, caps), Cards(house))
    name = NAME.sub("-", model.name).strip("-")[-50:].lstrip("-.")
    said = Said(draft=draft.n, sha256=draft.sha256, **dict(thought))
    return keep_opinion(folder, name, said)


def _thought(folder: Folder, draft: int, talk: Talk, cards: Cards) -> Thought:
    (tool, test), said, trouble = folder.text(draft), folder.candidate(), ""
    # As a person who has said nothing yet is told.
    card = cards.card(folder, "")
    for _ in range(TRIES):
        asked = prompt(
            "opinion",
            folder=FOLDER,
            wish=said.wish,
            app=said.app,
            tool=tool,
            test=test,
            stages=card["stages"],
            nearest=card["nearest"],
            rubric=RUBRIC,
            trouble=trouble,
        )
        try:
            answer = talk.ask("review", [user(asked)])
        except CallLimitError as reached:
            raise UsageError(f"nothing is asked: {reached}") from None
        try:
            return _read(answer)
        except ValueError as error:
            trouble = str(error)
    raise ModelError(f"the answers could not be read as an opinion: {trouble}")


def _read(answer: str) -> Thought:
    found = JSON.search(answer)
    if found is None:
        raise ValueError("it has no JSON object")
    try:
        return Thought.model_validate_json(found[0])
    except ValidationError as error:
        raise ValueError(explain(error)) from None
