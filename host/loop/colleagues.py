"""A model answers as the colleagues in the chat, while an episode runs.

The guest has no network and no key, so a service that asks leaves its questions there, and a thread
of the host fetches them, asks the model, and passes the answers on (`guest.service_questions`).
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ambidex.host import Usage
from ambidex.host.client.answers import Question
from ambidex.host.client.guest import Guest
from ambidex.host.errors import ModelError
from ambidex.host.models.asking import TextModel
from ambidex.host.models.prompts import prompt
from ambidex.host.records.colleagues import ColleagueRecord
from ambidex.host.records.trajectory import Trajectory
from ambidex.host.untrusted.parsing import typed
from ambidex.vm.closing import Closing

__all__ = ["AskedColleagues", "Conversation", "Message"]

WAIT = 2.0
"""Seconds that the guest waits for a question before it says that there is none."""
LATEST, LONGEST = 30, 4000
"""How many of the latest messages, and characters of each, the model is shown: an agent could
otherwise write so much that no colleague can be asked, and its trial would be void. An answer is
cut, too."""


class Fact(BaseModel):
    """Something that a colleague knows."""

    model_config = ConfigDict(extra="ignore")

    about: str
    say: str


class Message(BaseModel):
    """A message in the room."""

    model_config = ConfigDict(extra="ignore")

    by: Literal["user", "colleague"]
    text: str


class Conversation(BaseModel):
    """A question of the service `colleagues`: what the desktop user and a colleague have said to
    each other, ending with the message to answer."""

    model_config = ConfigDict(extra="ignore")

    login: str
    name: str
    facts: list[Fact]
    messages: list[Message]

    @property
    def rules(self) -> str:
        """Who the model is, and what it knows."""
        return prompt("colleague", person=self.name, facts=self.facts)

    @property
    def text(self) -> str:
        """The conversation, a paragraph for each message."""
        names = {"user": "Colleague", "colleague": self.name}
        shown = self.messages[-LATEST:]
        return "\n\n".join(f"{names[one.by]}: {one.text[:LONGEST]}" for one in shown)


@dataclass
class AskedColleagues(Closing):
    """Answers the questions of a guest's services until it is closed, in a thread of its own."""

    guest: Guest
    """A connection of its own, which is closed at the end."""
    model: TextModel
    trajectory: Trajectory
    answers: int = 0
    usage: Usage = field(default_factory=Usage)
    _error: Exception | None = None

    def __post_init__(self) -> None:
        self._services = self.guest.questions().services
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="colleagues", daemon=True)
        if self._services:
            self._thread.start()
        else:
            self.guest.close()

    @property
    def record(self) -> ColleagueRecord | None:
        """What the row says; None if no service of the guest asks anything."""
        if not self._services:
            return None
        usage = self.usage
        return ColleagueRecord(
            model=self.model.model.name,
            answers=self.answers,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cost=usage.cost,
        )

    def check(self) -> None:
        """Raise what ended the thread: `ModelError` if the model could not be asked or said
        nothing, `GuestError` if the guest did not answer."""
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """Answer what has been asked, and end. Raises as `check`."""
        self._closed.set()
        if self._services:
            self._thread.join()
            self.check()

    def __exit__(self, *error: object) -> None:
        if error[0] is None:
            self.close()
        else:  # the episode has failed: nobody reads an answer any more
            self._closed.set()

    def _serve(self) -> None:
        try:
            with self.guest:
                answers: list[dict[str, str]] = []
                while True:
                    last = self._closed.is_set()
                    wait = 0.0 if last else WAIT
                    questions = self.guest.questions(answers, wait).questions
                    answers = [self._answer(question) for question in questions]
                    if last and not answers:
                        return
        except Exception as error:  # noqa: BLE001 - raised by `check` in the thread of the trial
            self._error = error

    def _answer(self, question: Question) -> dict[str, str]:
        asked = typed(Conversation, question.content, f"a question of {question.service}")
        reply = self.model.ask(asked.rules, asked.text)
        if reply.flaw:
            raise ModelError(f"no answer for the colleague {asked.name}: {reply.flaw}")
        text = reply.text.strip()[:LONGEST]
        self.answers += 1
        self.usage += reply.usage
        self.trajectory.colleague(
            login=asked.login,
            messages=[one.model_dump() for one in asked.messages],
            answer=text,
            exchange=reply.answer,
        )
        return {"service": question.service, "id": question.id, "text": text}
