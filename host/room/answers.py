"""Answers of the room's routes to requests that cannot be carried out."""

from __future__ import annotations

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ambidex.evaluators.strict import explain

__all__ = ["malformed", "refused"]


async def refused(request: Request, error: Exception) -> Response:
    """409 with the message of a `UsageError` or `BusyError`."""
    hint = getattr(error, "hint", "")
    return JSONResponse({"error": f"{error}. {hint}" if hint else str(error)}, 409)


def malformed(error: ValidationError) -> Response:
    """400 with what is wrong with the body of a request."""
    return JSONResponse({"error": explain(error, whole="the request")}, 400)
