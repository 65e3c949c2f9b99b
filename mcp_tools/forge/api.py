"""Requests to the forge's REST API, with the token of the desktop user."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError

__all__ = ["ADDRESS", "Number", "Project", "call", "page", "person", "project_path"]

ADDRESS = "http://localhost:8081"
TOKEN = Path("~/.config/forge/token")
ANSWERS_WITHIN = 60.0
"""Seconds."""
LARGEST = 1_000_000
"""Bytes of a page that are read."""
CODES = {401: "permission", 403: "permission", 404: "not_found", 409: "refused"}

Project = Annotated[
    str,
    Field(description="name of the project, such as website; of a fork: forks/<owner>/<name>"),
]
Number = Annotated[int, Field(ge=1, description="its number, without #")]
Fields = Mapping[str, str | int | bool | list[str] | None]


def call(path: str, query: Optional[Fields] = None, form: Optional[Fields] = None) -> Any:
    """The answer of the API to a request: GET, or POST if there is a `form`.

    Values that are None are left out. `ToolError` has the forge's own message.
    """
    body = None if form is None else _encode({"wait": "true", **form}).encode()
    address = f"{ADDRESS}/api/0/{path}"
    if query:
        address = f"{address}?{_encode(query)}"
    return json.loads(_open(address, body))


def page(path: str) -> bytes:
    """The content of a page that is not part of the API; `ToolError` if it is too large."""
    content = _open(f"{ADDRESS}/{path}", None)
    if len(content) > LARGEST:
        raise ToolError(f"{path} has more than {LARGEST:,} bytes.", code="too_large")
    return content


def project_path(project: str) -> str:
    """The path of a project in the API's addresses."""
    name = urllib.parse.quote(project.strip("/"))
    return f"fork/{name[len('forks/') :]}" if name.startswith("forks/") else name


def person(user: Optional[Mapping[str, Any]]) -> Optional[str]:
    """The name of a person."""
    return None if user is None else str(user["name"])


def _encode(fields: Fields) -> str:
    given = {name: value for name, value in fields.items() if value is not None}
    words = {True: "true", False: "false"}
    plain = {k: words[v] if isinstance(v, bool) else v for k, v in given.items()}
    return urllib.parse.urlencode(plain, doseq=True)


def _open(address: str, body: Optional[bytes]) -> bytes:
    try:
        token = TOKEN.expanduser().read_text(encoding="ascii").strip()
    except OSError as error:
        raise ToolError(f"The forge's token cannot be read: {error}.", code="missing") from None
    request = urllib.request.Request(address, body, {"Authorization": f"token {token}"})
    try:
        with urllib.request.urlopen(request, timeout=ANSWERS_WITHIN) as answer:
            content: bytes = answer.read(LARGEST + 1)
            return content
    except urllib.error.HTTPError as error:
        code = CODES.get(error.code, "refused" if error.code < 500 else "failed")
        raise ToolError(f"The forge refused: {_reason(error)}.", code=code) from None
    except TimeoutError:
        raise ToolError("The forge did not answer in time.", code="timeout") from None
    except OSError as error:
        raise ToolError(f"The forge does not answer: {error}.", code="not_running") from None


def _reason(error: urllib.error.HTTPError) -> str:
    try:
        answer = json.loads(error.read(LARGEST))
        details = answer.get("errors") or answer.get("error") or error.reason
    except ValueError:
        return f"{error.url} answers {error.code} {error.reason}"
    if isinstance(details, dict):
        details = "; ".join(f"{name}: {' '.join(words)}" for name, words in details.items())
    return str(details).rstrip(".")
