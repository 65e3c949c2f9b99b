"""What an office would ask a person while a tool works: asked of nobody, declined and said."""

from __future__ import annotations

import functools
from typing import Any

__all__ = ["decliner"]

NO = {f"com.sun.star.task.XInteraction{answer}" for answer in ("Abort", "Disapprove")}


@functools.cache
def _kind() -> type:
    import unohelper
    from com.sun.star.task import XInteractionHandler2

    class Decliner(unohelper.Base, XInteractionHandler2):  # type: ignore[misc]
        def __init__(self) -> None:
            self.asked: list[str] = []

        def handle(self, request: Any) -> None:
            self.handleInteractionRequest(request)

        def handleInteractionRequest(self, request: Any) -> bool:
            about = request.getRequest()
            self.asked.append(str(getattr(about, "Message", "")) or type(about).__name__)
            for each in request.getContinuations():
                kinds = {one.typeName for one in each.getTypes()}
                if kinds & NO:
                    each.select()
                    break
            return True

    return Decliner


def decliner() -> Any:
    """An interaction handler that says no to every question; `asked` has what the questions were
    about.
    """
    return _kind()()
