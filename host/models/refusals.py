"""Read the errors of models' servers: the server's own text, and whether a repeat could help."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Refusal", "read_refusal"]

LONGEST = 2000
"""Characters of a server's text that are shown."""
FATAL = (400, 401, 403, 404)
"""HTTP statuses that a server would repeat for the same request: it is wrong, or not allowed."""
HTML = re.compile(r"<!doctype html|<html[\s>]", re.IGNORECASE)
TITLE = re.compile(r"<title>(.*?)</title>", re.IGNORECASE | re.DOTALL)
LITELLM = re.compile(r"^((litellm\.)?\w+(Error|Exception): |\w+Exception - )+")
"""What litellm puts before a vendor's message."""
HINTS = {
    401: "Check the API key.",
    403: "Check that the API key may use this model.",
    404: "Check the model's name and the server's address, which usually ends in /v1.",
}
NO_KEY = re.compile(r"api.?key|credentials", re.IGNORECASE)
TIMEOUTS = ("APITimeoutError", "Timeout", "ReadTimeout", "TimeoutException")
SLOW = "The server may be overloaded, or still loading the model."
CUT_OFF = ("RemoteProtocolError", "IncompleteRead", "ReadError")
"""Names of errors of the HTTP clients."""
CONNECTION = "Check that the server is running, and its address."
PAGE = "Check the server's address (usually it ends in /v1), and any proxy on the way."


@dataclass(frozen=True)
class Refusal:
    """A request that a server did not answer."""

    status: int
    """The HTTP status; 0 if there was no response."""
    text: str
    """What the server said, bounded; or why it could not be reached."""
    fatal: bool
    """Whether the server would refuse the same request again."""
    hint: str = ""


def read_refusal(error: Exception) -> Refusal:
    """Read an error of litellm."""
    chain = [*_chain(error)]
    responses = [(r.status_code, r.text) for e in chain if (r := _response(e)) is not None]
    status, text = next((pair for pair in responses if pair[1].strip()), (0, ""))
    message = LITELLM.sub("", str(error))
    if not status:  # litellm makes up a response, and its status, where it could read none
        page = next((shown for e in chain if HTML.search(shown := f"{e} {_document(e)}")), "")
        if page:
            return Refusal(200, f"an HTML page instead of JSON{_title(page)}", True, PAGE)
        if any(type(e).__name__ in ("ConnectError", "ConnectTimeout") for e in chain):
            reason = str(next((e for e in reversed(chain) if isinstance(e, OSError)), message))
            return Refusal(0, f"no connection: {reason}", False, CONNECTION)
        if any(type(e).__name__ in TIMEOUTS for e in chain):
            return Refusal(0, "no response in time", False, SLOW)
        if any(type(e).__name__ in CUT_OFF for e in chain):
            return Refusal(0, "the connection ended before the response was complete", False)
        if document := next((shown for e in chain if (shown := _document(e))), ""):
            return Refusal(200, f"not JSON: {_bounded(document)}", False)
        if NO_KEY.search(message):  # the client did not even send the request
            return Refusal(0, _bounded(message), True, HINTS[401])
        fatal = getattr(error, "status_code", 0) in FATAL
        return Refusal(0, _bounded(message), fatal)
    if HTML.search(text):
        text = f"an HTML page instead of JSON{_title(text)}"
        return Refusal(status, text, status in FATAL, HINTS.get(status, PAGE))
    return Refusal(status, _bounded(_said(text)), status in FATAL, HINTS.get(status, ""))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        seen.append(error)
        yield error
        error = error.__cause__ or error.__context__


def _response(error: BaseException) -> Any:
    """The HTTP response that an error carries, if its body can be read."""
    response = getattr(error, "response", None)
    return response if isinstance(getattr(response, "text", None), str) else None


def _document(error: BaseException) -> str:
    return str(error.doc) if isinstance(error, json.JSONDecodeError) else ""


def _title(page: str) -> str:
    title = TITLE.search(page)
    return f", titled {title[1].strip()[:100]!r}" if title else ""


def _said(text: str) -> str:
    """The message in the body of an error, as the vendors and common servers put it."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return text
    inside = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(inside, dict):
        for key in ("message", "detail", "error"):
            if isinstance(inside.get(key), str) and inside[key]:
                return str(inside[key])
    return inside if isinstance(inside, str) else text


def _bounded(text: str) -> str:
    text = text.strip()
    left = len(text) - LONGEST
    return text if left <= 0 else f"{text[:LONGEST]} [and {left} more characters]"
