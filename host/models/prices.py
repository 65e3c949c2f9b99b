"""Prices of models: the table that comes with Ambidex, and a user's table that overrides it."""

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

__all__ = ["BUILTIN", "Price", "Prices", "Tokens", "read_prices"]

BUILTIN = Path(__file__).with_name("prices.toml")


class Tokens(Strict):
    """Tokens that one request used."""

    input: int = 0
    """All input tokens: new, `cached` and `written` ones."""
    output: int = 0
    cached: int = 0
    written: int = 0
    reasoning: int | None = None
    """Those of `output` that were spent on reasoning; None if unknown."""


class Price(Strict):
    """US dollars per million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: Annotated[float | None, Field(ge=0)] = None
    """Input read from the prompt cache; None: the price of `input`."""
    written: Annotated[float | None, Field(ge=0)] = None
    """Input written to the prompt cache; None: the price of `input`."""

    def of(self, tokens: Tokens) -> float:
        """The cost of these tokens in US dollars."""
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
        """The cost in US dollars; None if the model's price is unknown. The table may omit the
        vendor that litellm puts before a model's name.
        """
        price = self.models.get(model) or self.models.get(model.rpartition("/")[2])
        return price.of(tokens) if price else None

    @property
    def hash(self) -> str:
        """SHA-256 of the table."""
        return sha256(self.model_dump_json().encode()).hexdigest()


def read_prices(own: Path | None = None) -> Prices:
    """The built-in price table, overridden by the table in `own`; `UsageError` if a table is
    invalid."""
    builtin = _read(BUILTIN)
    if own is None:
        return builtin
    custom = _read(own)
    source = f"{custom.source}; others: {builtin.source}, {builtin.as_of}"
    models = {**builtin.models, **custom.models}
    return Prices(as_of=custom.as_of, source=source, models=models)


def _read(path: Path) -> Prices:
    try:
        return Prices.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise UsageError(f"cannot read the price table {path}: {error.strerror}") from None
    except ValidationError as error:
        raise UsageError(f"not a price table: {path}: {explain(error)}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"not a price table: {path}: {error}") from None
