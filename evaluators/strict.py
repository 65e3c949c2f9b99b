"""The base of every record that is read from disk, from a model or from a guest."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

__all__ = ["Strict"]


class Strict(BaseModel):
    """A frozen record: unknown keys, infinities and NaN are errors, so that a misspelt key, or a
    record of another version, is never read as a default."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, protected_namespaces=()
    )
