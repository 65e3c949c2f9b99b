"""How often a row's tools were called."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ambidex.evaluators.strict import Strict
from ambidex.host import GATEWAY, is_gui
from ambidex.host.records.config import Modality

__all__ = ["CallCount", "Count"]

Count = Annotated[int, Field(ge=0)]


class CallCount(Strict):
    """How often one tool was called in an episode, and how many of the calls failed."""

    tool: str
    app: str
    """Empty if the tool was not on offer; `gateway` for a gateway's own tools. What a gateway
    executed has an entry of its own, with the tool's server here."""
    calls: Count
    errors: Count
    repeats: Count = 0
    """Successful calls that repeated an earlier one: same arguments, same result, and nothing
    changed in between."""

    @property
    def modality(self) -> Modality | None:
        """None for a name that was not on offer, and for a gateway's own tool."""
        if self.app in ("", GATEWAY):
            return None
        return "gui" if is_gui(self.app) else "tools"
