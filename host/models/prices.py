"""What models cost: a dated table, and a file of one's own before it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from ambidex.evaluators.strict import Strict, explain
from ambidex.host.errors import UsageError

__all__ = ["OWN", "Price", "Prices", "Tokens", "read_prices"]

OWN = Path(__file__).with_name("prices.toml")


class Tokens(Strict):
    """What one request took."""

    input: int = 0
    """All of it: new, `cached` and `written`."""
    output: int = 0
    cached: int = 0
    written: int = 0


class Price(Strict):
    """US dollars per million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: Annotated[float | None, Field(ge=0)] = None
    """As `input` where it is not given; so is `written`."""
    written: Annotated[float | None, Field(ge=0)] = None

    def of(self, tokens: Tokens) -> float:
        """US dollars for that many."""
        new = tokens.input - tokens.cached - tokens.written
        cached = self.input if self.cached is None else self.cached
        written = self.input if self.written is None else self.written
        total = new * self.input + tokens.cached * cached + tokens.written * written
        return (total + tokens.output * self.output) / 1e6


class Prices(Strict):
    """A price table."""

    as_of: date
    source: str
    models: Mapping[str, Price] = {}

    def cost(self, model: str, tokens: Tokens) -> float | None:
        """US dollars; None where the model's price is not known. A vendor before the name, as
        litellm writes it, may be left out of the table.
        """
        price = self.models.get(model) or self.models.get(model.rpartition("/")[2])
        return price.of(tokens) if price else None

    @property
    def hash(self) -> str:
        """SHA-256 of the table."""
        return sha256(self.model_dump_json().encode()).hexdigest()


def read_prices(own: Path | None = None) -> Prices:
    """The table that comes with Ambidex, and `own` before it; `UsageError` names what is wrong."""
    table = _read(OWN)
    if own is None:
        return table
    mine = _read(own)
    source = f"{mine.source}; others: {table.source}, {table.as_of}"
    models = {**table.models, **mine.models}
    return Prices(as_of=mine.as_of, source=source, models=models)


def _read(path: Path) -> Prices:
    try:
        return Prices.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise UsageError(f"no price table at {path}: {error.strerror}") from None
    except ValidationError as error:
        raise UsageError(f"not a price table: {path}: {explain(error)}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"not a price table: {path}: {error}") from None
