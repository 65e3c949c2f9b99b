"""Queries about the desktop, answered by a process in the guest (`guest.questions.ask`)."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, Field, JsonValue
from typing_extensions import TypedDict

from ambidex.host.client.guest import Guest
from ambidex.host.errors import GuestError
from ambidex.host.untrusted import MalformedError
from ambidex.host.untrusted.parsing import json_value, typed

__all__ = ["CODE", "QuestionRefusedError", "ask", "ask_files"]

CODE = "/opt/ambidex"
"""Location of our code in a guest, with the libraries in `site/`."""
MAIN = (
    f"import sys; sys.path[:0] = ['/opt', '{CODE}/site'];"
    " from ambidex.guest.questions.ask import main; main()"
)
GRACE = 30.0


Window = TypedDict(
    "Window", {"title": str, "class": str, "names": list[str], "width": int, "height": int}
)
"""One window; its other fields are not used."""


class Texts(TypedDict):
    """The texts of a page in the requested places."""

    url: str
    found: list[list[str]]


class Fault(TypedDict):
    """The reason why the desktop cannot answer."""

    code: str
    message: str
    hint: str


def _moment(text: str) -> str:
    datetime.fromisoformat(text)
    return text


ANSWERS: dict[str, Any] = {
    "activate": str | None,
    "address": str | None,
    "answering": bool,
    "appearance": Annotated[list[JsonValue], Field(min_length=2, max_length=2)],
    "clock": Annotated[str, AfterValidator(_moment)],
    "close": str | None,
    "close_tabs": list[str],
    "desktop": dict[str, str | None],
    "end_browser": bool,
    "get": str | None,
    "information": list[str | None],
    "lacking": list[str],
    "listing": dict[str, JsonValue] | None,
    "open_tabs": list[str],
    "opened": dict[str, JsonValue],
    "printed": str,
    "profile_json": dict[str, JsonValue] | None,
    "profile_rows": list[list[JsonValue]] | None,
    "recompute": bool,
    "recreation": str,
    "shown": str | None,
    "shown_as": str | None,
    "tabs": list[dict[str, JsonValue]],
    "terminal": str | None,
    "texts": Texts | None,
    "wait_until_gone": bool,
    "wait_until_saved": bool,
    "wait_until_written": bool,
    "wallpaper": str | None,
    "windows": list[Window],
    "xml": str,
}
"""The type of the answer to each question."""


class QuestionRefusedError(Exception):
    """The desktop cannot answer, because no browser runs or a page does not load, for example.
    `code` tells the cases apart."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


def ask(guest: Guest, do: str, *, takes: float = 30.0, **arguments: object) -> Any:
    """Ask a question and return the answer. Raises `QuestionRefusedError` if the desktop cannot
    answer, and `GuestError` if the process in the guest fails.

    `takes` is the number of seconds that the question itself may take.
    """
    result = guest.run(
        # Isolated from libraries that the desktop user may have installed.
        ["python3", "-I", "-B", "-c", MAIN],
        cwd="/",
        input=json.dumps({"do": do, "with": arguments}),
        timeout=takes + GRACE,
    )
    if result.timed_out:
        raise GuestError(f"{do} was not answered within {takes + GRACE:g} s")
    if result.returncode:
        raise GuestError(f"{do} failed inside the guest: {result.stderr.strip()[-800:]}")
    if result.truncated:
        raise QuestionRefusedError(f"the answer to {do} is too long", "too_much")
    what = f"the answer to {do}"
    match json_value(result.stdout, what):
        case {"error": error}:
            fault = typed(Fault, error, what)
            raise QuestionRefusedError(f"{fault['message']} {fault['hint']}".strip(), fault["code"])
        case {"value": value}:
            return typed(ANSWERS[do], value, what)
    raise MalformedError(f"{what} has neither a value nor an error")


def ask_files(guest: Guest, do: str, **arguments: object) -> Any:
    """Ask the guest's collector a question that files alone can answer; `GuestRefusalError` if it
    cannot."""
    return typed(ANSWERS[do], guest.ask_files(do, **arguments), f"the answer to {do}")
