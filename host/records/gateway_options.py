"""The options of a gateway, as they stand in an experiment's file and in `run.json`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from ambidex.evaluators.strict import Strict

__all__ = ["GatewayForm", "GatewayOptions", "RetrieverKind"]

GatewayForm = Literal["find", "route"]
RetrieverKind = Literal["bm25", "embedder", "product", "fused"]


class GatewayOptions(Strict):
    """A pair of tools that stand for all tools of toolsets: one searches, one executes."""

    form: GatewayForm = "find"
    """`find`: `find_tools` and `call_tool`, as in TheMCPCompany; `route`: `route` and
    `execute-tool`, as in LiveMCPBench."""
    toolsets: Annotated[tuple[str, ...], Field(min_length=1)]
    """Paths of compiled toolsets."""
    top: Annotated[int, Field(ge=1, le=100)] = 5
    """Number of tools that a search returns."""
    retriever: RetrieverKind = "bm25"
    """How tools are ranked. `bm25`: by the words that they share with the search; `embedder`: by
    the similarity of vectors; `product`: by the similarities of server and tool, as in
    LiveMCPBench; `fused`: by the ranks of `bm25` and `embedder` together."""
    embedder: str = "ambidex.host.models.minilm:MiniLM"
    """`module:Class` or `module:function` that turns texts into vectors, for all but `bm25`."""
    servers: Annotated[int, Field(ge=0)] = 5
    """For `product`: only tools of this many best servers are ranked; 0: of all servers."""
    direct_calls: bool = False
    """Whether tools that were found are also offered under their own names from then on. Only
    with `find`."""

    @model_validator(mode="after")
    def _direct_calls_need_find(self) -> GatewayOptions:
        if self.direct_calls and self.form != "find":
            raise ValueError("direct_calls requires form = 'find'")
        return self
