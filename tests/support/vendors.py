"""The types of the vendors' own SDKs, made strict, to check requests and answers.

pydantic ignores unknown keys of a TypedDict, and validates an Iterable only when it is iterated:
both would let an invented field pass. So the types are rebuilt with lists and without unknown
keys.
"""

from __future__ import annotations

import collections.abc
import functools
from collections.abc import Mapping
from types import GenericAlias
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import typing_extensions
from pydantic import BaseModel, TypeAdapter

from ambidex.host import Form

SENT: Mapping[Form, Mapping[str, Any]] = {
    "chat": {"model": "m"},
    "messages": {"model": "m", "max_tokens": 1},
    "responses": {"model": "m"},
}
"""What `LiteModel` adds, as far as the vendors' types ask for it."""
LITELLM = ("extra_headers",)
"""What is litellm's to read and not sent in the body."""


class Exchanged(NamedTuple):
    """A vendor's types of the bodies of one form."""

    request: Any
    answer: type[BaseModel]


def types_of(form: Form) -> Exchanged:
    """The types of a form. An SDK is imported when it is needed: that takes seconds."""
    if form == "messages":
        from anthropic.types.beta import BetaMessage
        from anthropic.types.beta.message_create_params import MessageCreateParamsNonStreaming

        return Exchanged(MessageCreateParamsNonStreaming, BetaMessage)
    if form == "chat":
        from openai.types.chat import ChatCompletion
        from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming

        return Exchanged(CompletionCreateParamsNonStreaming, ChatCompletion)
    from openai.types.responses import Response
    from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming

    return Exchanged(ResponseCreateParamsNonStreaming, Response)


def check_request(form: Form, body: Mapping[str, Any]) -> None:
    """`ValidationError` if the vendor's SDK could not send this body."""
    sent = {key: value for key, value in body.items() if key not in LITELLM}
    _adapter(form).validate_python({**SENT[form], **sent})


def check_answer(form: Form, body: Mapping[str, Any]) -> None:
    """`ValidationError` or `AssertionError` if the vendor's SDK could not read this body."""
    _no_extras(types_of(form).answer.model_validate(body), "answer")


@functools.cache
def _adapter(form: Form) -> TypeAdapter[Any]:
    return TypeAdapter(_strict(types_of(form).request, {}))


def _strict(kind: Any, known: dict[Any, Any]) -> Any:
    if typing_extensions.is_typeddict(kind):
        if kind not in known:
            known[kind] = Any  # a recursive type; no request here nests so deep
            hints = typing_extensions.get_type_hints(kind, include_extras=True)
            fields = {name: _strict(hint, known) for name, hint in hints.items()}
            make: Any = typing_extensions.TypedDict
            made = make(kind.__name__, fields, total=kind.__total__)
            made.__pydantic_config__ = {"extra": "forbid"}
            known[kind] = made
        return known[kind]
    origin, inside = get_origin(kind), get_args(kind)
    if not inside or origin is None:
        return kind
    if origin is Annotated:
        return Annotated[(_strict(inside[0], known), *inside[1:])]
    if origin in (typing_extensions.Required, typing_extensions.NotRequired):
        return origin[_strict(inside[0], known)]
    if origin is Literal:
        return kind
    strict = tuple(_strict(each, known) for each in inside)
    if origin in (collections.abc.Iterable, collections.abc.Sequence, list):
        return GenericAlias(list, strict[:1])
    if origin in (dict, collections.abc.Mapping):
        return GenericAlias(dict, strict[:2])
    # Anything else is a file to upload, which is not sent here.
    return Union[strict] if origin is Union else bytes  # noqa: UP007


def _no_extras(value: object, where: str) -> None:
    if isinstance(value, BaseModel):
        assert not value.model_extra, f"{where} has {value.model_extra}"
        for name in type(value).model_fields:
            _no_extras(getattr(value, name), f"{where}.{name}")
    elif isinstance(value, list):
        for at, each in enumerate(value):
            _no_extras(each, f"{where}[{at}]")
