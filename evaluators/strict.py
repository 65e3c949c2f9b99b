"""The base class of all records read from disk, from a model or from a guest, and the messages for
invalid ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import BaseModel, ConfigDict, ValidationError

__all__ = ["Strict", "explain", "key_path", "problems_of"]

LONGEST_KEY = 40
"""Maximum length of one part of a key in a message: a guest may have chosen it."""
PLAIN = {
    "Input should be": "must be",
    "greater than or equal to": "at least",
    "less than or equal to": "at most",
}
"""Words of pydantic, and plainer ones."""


class Strict(BaseModel):
    """A frozen record that rejects unknown keys, infinities and NaN, so that a misspelt key or a
    record of another version is never read as a default."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, protected_namespaces=()
    )


def problems_of(error: ValidationError) -> Iterator[tuple[tuple[int | str, ...], str]]:
    """The location and the message of each invalid value. A list that only seems too short because
    of an invalid item is no problem of its own."""
    items = error.errors(include_url=False, include_context=False)
    places = [item["loc"] for item in items]
    for item in items:
        where = item["loc"]
        inside = any(len(place) > len(where) and place[: len(where)] == where for place in places)
        if item["type"] == "too_short" and inside:
            continue
        match item["type"]:
            case "extra_forbidden":
                message = f"unknown key (value {repr(item['input'])[:LONGEST_KEY]})"
            case "missing":
                message = "required, but missing"
            case _:
                message = item["msg"].removeprefix("Value error, ")
                for theirs, plain in PLAIN.items():
                    message = message.replace(theirs, plain)
                if message.startswith("must ") and isinstance(item["input"], str | int | float):
                    message += f", not {repr(item['input'])[:LONGEST_KEY]}"
        yield item["loc"], message


def key_path(place: Sequence[int | str]) -> str:
    """A location in a record as people write it: `setup[0].to`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part[:LONGEST_KEY]}" for part in place)
    return "".join(parts).removeprefix(".")


def explain(error: ValidationError, *, whole: str = "the whole", most: int = 20) -> str:
    """One line that names up to `most` invalid values; `whole` names the record itself."""
    problems = [f"{key_path(place) or whole}: {message}" for place, message in problems_of(error)]
    more = f"; and {len(problems) - most} more" if len(problems) > most else ""
    return "; ".join(problems[:most]) + more
