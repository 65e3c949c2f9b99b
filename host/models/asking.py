"""One question to a model, and the text of its answer, in the format of any API."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from ambidex.host import Form, Model, Request, Usage
from ambidex.host.errors import ContextLimitError
from ambidex.host.untrusted import MalformedError
from ambidex.host.untrusted.parsing import json_value, typed

__all__ = ["Reply", "TextModel"]


class Part(BaseModel):
    """A part of an answer that may hold text."""

    model_config = ConfigDict(extra="ignore")

    type: str
    text: str = ""


class Message(BaseModel):
    """The message of a chat answer."""

    model_config = ConfigDict(extra="ignore")

    content: str


class Choice(BaseModel):
    """One of the choices of a chat answer."""

    model_config = ConfigDict(extra="ignore")

    message: Message


class ChatAnswer(BaseModel):
    """An answer of OpenAI's chat completions."""

    model_config = ConfigDict(extra="ignore")

    choices: list[Choice] = Field(min_length=1)

    @property
    def text(self) -> str:
        """The text of the first choice."""
        return self.choices[0].message.content


class MessagesAnswer(BaseModel):
    """An answer of Anthropic's messages."""

    model_config = ConfigDict(extra="ignore")

    content: list[Part]

    @property
    def text(self) -> str:
        """All its text."""
        return "".join(part.text for part in self.content if part.type == "text")


class OutputItem(BaseModel):
    """An item of an answer of OpenAI's responses; only messages have content."""

    model_config = ConfigDict(extra="ignore")

    type: str
    content: list[Part] | None = None


class ResponsesAnswer(BaseModel):
    """An answer of OpenAI's responses."""

    model_config = ConfigDict(extra="ignore")

    output: list[OutputItem]

    @property
    def text(self) -> str:
        """The text of all its messages."""
        messages = (item for item in self.output if item.type == "message")
        parts = (part for message in messages for part in message.content or ())
        return "".join(part.text for part in parts if part.type == "output_text")


FORMATS: dict[Form, type[ChatAnswer | MessagesAnswer | ResponsesAnswer]] = {
    "chat": ChatAnswer,
    "messages": MessagesAnswer,
    "responses": ResponsesAnswer,
}


NOTHING = Usage()


@dataclass(frozen=True)
class Reply:
    """What a model said."""

    text: str
    flaw: str = ""
    """Why there is no text."""
    answer: Mapping[str, Any] = field(default_factory=dict)
    usage: Usage = NOTHING


@dataclass(frozen=True)
class TextModel:
    """A model, and the API through which it is asked."""

    model: Model
    api: Form

    def ask(self, rules: str, text: str) -> Reply:
        """Ask one question. An answer without text is a reply with a flaw, and so is a text that is
        too long for the model; `ModelError` if the model could not be asked, or refused."""
        name = self.model.name
        try:
            answer = self.model.ask(Request(self.api, _body(self.api, rules, text)))
        except ContextLimitError as error:
            return Reply("", str(error), usage=Usage(requests=1))
        try:
            body = json_value(json.dumps(answer.body, default=str), f"the answer of {name}")
            said = typed(FORMATS[self.api], body, f"the answer of {name}").text
        except MalformedError as error:
            return Reply("", str(error), usage=answer.usage)
        flaw = "" if said.strip() else f"the answer of {name} has no text"
        return Reply(said, flaw, body, answer.usage)


def _body(api: Form, rules: str, text: str) -> dict[str, Any]:
    user = {"role": "user", "content": text}
    match api:
        case "chat":
            return {"messages": [{"role": "system", "content": rules}, user]}
        case "messages":
            return {"system": rules, "messages": [user]}
        case "responses":
            return {"instructions": rules, "input": [user]}
