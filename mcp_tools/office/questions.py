"""Declining LibreOffice's questions during a tool call, so that no dialog appears."""

from __future__ import annotations

import functools
from typing import Any

__all__ = ["decliner"]

NEGATIVE = {f"com.sun.star.task.XInteraction{answer}" for answer in ("Abort", "Disapprove")}


@functools.cache
def _decliner_class() -> type:
    import unohelper
    from com.sun.star.task import XInteractionHandler2

    class Decliner(unohelper.Base, XInteractionHandler2):  # type: ignore[misc]
        def __init__(self) -> None:
            self.asked: list[str] = []

        def handle(self, request: Any) -> None:
            self.handleInteractionRequest(request)

        def handleInteractionRequest(self, request: Any) -> bool:
            question = request.getRequest()
            self.asked.append(str(getattr(question, "Message", "")) or type(question).__name__)
            for answer in request.getContinuations():
                kinds = {kind.typeName for kind in answer.getTypes()}
                if kinds & NEGATIVE:
                    answer.select()
                    break
            return True

    return Decliner


def decliner() -> Any:
    """An interaction handler that declines every question and records it in `asked`."""
    return _decliner_class()()
