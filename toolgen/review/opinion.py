"""A model's opinion of a draft: stored with people's verdicts, shown after them, never counted."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import Field, ValidationError

from ambidex.evaluators.strict import Strict, explain
from ambidex.host import Model
from ambidex.host.errors import ModelError, UsageError
from ambidex.host.models.prompts import prompt
from ambidex.toolgen import Reasons, Review, Verdict
from ambidex.toolgen.gate.tools_text import DeclaredTool
from ambidex.toolgen.models.asking import CallLimitError, CallLimits, Conversation, user
from ambidex.toolgen.models.prompts import FOLDER
from ambidex.toolgen.review.card import Cards
from ambidex.toolgen.store import Folder
from ambidex.toolgen.verdicts import RUBRIC, Submission, current_draft, record_opinion

__all__ = ["ask_opinion"]

TRIES = 2
"""Maximum answers until one can be parsed."""
JSON = re.compile(r"\{.*\}", re.DOTALL)
NAME = re.compile(r"[^A-Za-z0-9._@+-]+")


class Opinion(Strict):
    """The JSON of a model's answer."""

    verdict: Verdict
    reasons: Reasons = Reasons()
    comment: str = Field("", max_length=10_000)


def ask_opinion(
    folder: Folder, model: Model, existing: Sequence[DeclaredTool], limits: CallLimits
) -> Review:
    """Ask a model for its opinion of the latest draft and store it under the model's name. The
    model is not told what people said. `ModelError` if its answers cannot be parsed."""
    draft = current_draft(folder)
    if draft is None:
        raise UsageError(f"{folder.path.name} has no draft yet")
    opinion = _ask(folder, draft.n, Conversation(model, folder, limits), Cards(existing))
    name = NAME.sub("-", model.name).strip("-")[-50:].lstrip("-.")
    submission = Submission(draft=draft.n, sha256=draft.sha256, **dict(opinion))
    return record_opinion(folder, name, submission)


def _ask(folder: Folder, draft: int, conversation: Conversation, cards: Cards) -> Opinion:
    (tool, test), candidate, trouble = folder.text(draft), folder.candidate(), ""
    # The card for a reviewer who has not given a verdict, so that it contains no other reviews.
    card = cards.card(folder, "")
    for _ in range(TRIES):
        words = prompt(
            "opinion",
            folder=FOLDER,
            wish=candidate.wish,
            app=candidate.app,
            tool=tool,
            test=test,
            stages=card["stages"],
            nearest=card["nearest"],
            rubric=RUBRIC,
            trouble=trouble,
        )
        try:
            answer = conversation.ask("review", [user(words)])
        except CallLimitError as error:
            raise UsageError(f"limit reached: {error}") from None
        try:
            return _parse(answer)
        except ValueError as error:
            trouble = str(error)
    raise ModelError(f"the model's answers could not be parsed as an opinion: {trouble}")


def _parse(answer: str) -> Opinion:
    match = JSON.search(answer)
    if match is None:
        raise ValueError("no JSON object in the answer")
    try:
        return Opinion.model_validate_json(match[0])
    except ValidationError as error:
        raise ValueError(explain(error)) from None
