"""The options of a gateway, as they stand in an experiment's file and in `run.json`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from ambidex.evaluators.strict import Strict

__all__ = ["GatewayForm", "GatewayOptions"]

GatewayForm = Literal["find", "route"]


class GatewayOptions(Strict):
    """A pair of tools that stand for all tools of toolsets: one searches, one executes."""

    form: GatewayForm = "find"
    """`find`: `find_tools` and `call_tool`, as in TheMCPCompany; `route`: `route` and
    `execute-tool`, as in LiveMCPBench."""
    toolsets: Annotated[tuple[str, ...], Field(min_length=1)]
    """Paths of compiled toolsets."""
    top: Annotated[int, Field(ge=1, le=100)] = 5
    """Number of tools that a search returns."""
    direct_calls: bool = False
    """Whether tools that were found are also offered under their own names from then on. Only
    with `find`."""

    @model_validator(mode="after")
    def _direct_calls_need_find(self) -> GatewayOptions:
        if self.direct_calls and self.form != "find":
            raise ValueError("direct_calls requires form = 'find'")
        return self
