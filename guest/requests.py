"""The requests of the host, and their validation."""

from __future__ import annotations

import json
from typing import Any, Optional, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request

from ambidex.guest import HarnessError

__all__ = [
    "ClockRequest",
    "CommandRequest",
    "FileQuery",
    "QuestionRequest",
    "RequestModel",
    "ScreenshotQuery",
    "SuiteQuery",
    "TokenRequest",
    "TreeQuery",
    "WindowRequest",
    "parse_body",
    "validate",
]

M = TypeVar("M", bound=BaseModel)


class RequestModel(BaseModel):
    """Refuses unknown fields."""

    model_config = ConfigDict(extra="forbid")


class ScreenshotQuery(RequestModel):
    """Query of a screenshot."""

    settle: float = Field(0, ge=0, le=120)
    work: float = Field(0, ge=0, le=720)
    still: float = Field(0.3, ge=0, le=30)
    known: str = ""


class ClockRequest(RequestModel):
    """A time for the machine's clock, in seconds since 1970."""

    clock: float = Field(gt=0)


class TokenRequest(RequestModel):
    """A token for the tools."""

    token: str = Field(min_length=16)


class CommandRequest(RequestModel):
    """A command to run."""

    argv: list[str] = Field(min_length=1)
    cwd: Optional[str] = None
    env: dict[str, str] = {}
    input: Optional[str] = None
    timeout: float = Field(60, gt=0, le=3600)
    background: bool = False


class FileQuery(RequestModel):
    """Query of a file or folder."""

    path: str = Field(min_length=1)


class QuestionRequest(RequestModel):
    """A question that can be answered from files."""

    do: str = Field(min_length=1)
    given: dict[str, Any] = Field({}, alias="with")


class SuiteQuery(RequestModel):
    """Query of a test suite, whose source is the body."""

    address: str = Field(min_length=1, max_length=100)
    modules: str
    function: str = Field(pattern=r"^[A-Za-z_]\w*$")
    within: float = Field(gt=0, le=600)


class WindowRequest(RequestModel):
    """A window to wait for."""

    title: str = Field(min_length=1)
    timeout: float = Field(30, gt=0, le=600)


class TreeQuery(RequestModel):
    """Bounds of an accessibility tree."""

    depth: int = Field(30, ge=1, le=100)
    nodes: int = Field(500, ge=1, le=20_000)
    seconds: float = Field(5, gt=0, le=120)


def validate(model: type[M], fields: Any) -> M:
    """Validate the fields of a request; 400 names every invalid one."""
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        problems = [
            f"{'.'.join(map(str, item['loc'])) or 'body'}: {item['msg']}"
            for item in error.errors(include_url=False)
        ]
        allowed = ", ".join(model.model_fields)
        message, hint = f"{'; '.join(problems)}.", f"Fields: {allowed}."
        raise HarnessError(message, code="bad_request", hint=hint) from None


async def parse_body(request: Request, model: type[M]) -> M:
    """Parse and validate the JSON body of a request."""
    try:
        fields = json.loads(await request.body())
    except ValueError as error:
        raise HarnessError(f"The body is not JSON: {error}.", code="bad_request") from None
    return validate(model, fields)
