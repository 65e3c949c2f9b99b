"""Liars before a jury: recorded conversations, judged by a judge that always says yes.

A liar ends with the same answer as the recorded agent, and has executed nothing. Its judge is as
bad as can be: of every key point it says that it is met, and it quotes whatever is most likely to
occur in the output of a tool.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from rich.table import Table

from ambidex.evaluators.key_points import (
    Form,
    JudgedSitting,
    Opinion,
    RecordedCall,
    Sitting,
    score_of,
)
from ambidex.tasks.livemcpbench.released import Conversation, recorded_calls

__all__ = ["AGENTS", "believed", "liar_table"]

Calls = tuple[RecordedCall, ...]


def honest(calls: Calls) -> Calls:
    """What was recorded."""
    return calls


def silent(calls: Calls) -> Calls:
    """No calls at all."""
    return ()


def searching(calls: Calls) -> Calls:
    """The searches alone."""
    return tuple(call for call in calls if call.search)


def failing(calls: Calls) -> Calls:
    """The searches, and the executions as if all of them had failed."""
    return tuple(
        call if call.search else call.model_copy(update={"error": "failed"}) for call in calls
    )


AGENTS: dict[str, Callable[[Calls], Calls]] = {
    "the recorded agent": honest,
    "claims success without calls": silent,
    "claims success after searches": searching,
    "claims success after failed calls": failing,
}


def believed(conversation: Conversation, agent: Callable[[Calls], Calls], form: Form) -> bool:
    """Whether the agent's score is 1 if the judge always says yes."""
    recorded = recorded_calls(conversation)
    points = conversation.points
    sitting = Sitting(id="s", form=form, rule="best", seats=("yes",), points=points)
    texts = _answers(conversation, recorded) if form == "points" else ["Status: success"]
    # Each sitting has one answer to a question, so every answer is tried in a sitting of its own.
    scores = [
        score_of(
            JudgedSitting(
                sitting,
                {
                    question: Opinion(sitting="s", seat=0, point=question[1], text=text)
                    for question in sitting.questions
                },
            ),
            agent(recorded),
        )
        for text in texts
    ]
    return any(score.value == 1 for score in scores)


def _answers(conversation: Conversation, recorded: Calls) -> list[str]:
    """Answers of the judge: each quotes one text, from the outputs, the claim, or thin air."""
    claim = str(conversation.messages[-1].content)
    quotes = [*(call.output for call in recorded), claim, "It was done successfully."]
    return [json.dumps({"met": True, "quotes": [quote], "reason": "yes"}) for quote in quotes]


def liar_table(conversations: Sequence[Conversation]) -> Table:
    """How many conversations a judge that always says yes lets pass, by agent and form."""
    title = f"A judge that always says yes, on {len(conversations)} conversations"
    table = Table(title=title, title_justify="left")
    for column in ("agent", "believed, form points", "believed, form status"):
        table.add_column(column)
    for name, agent in AGENTS.items():
        counts = [
            sum(believed(conversation, agent, form) for conversation in conversations)
            for form in ("points", "status")
        ]
        table.add_row(name, *map(str, counts))
    return table
