"""Requests to the REST APIs of GitHub and Notion."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx

from ambidex.evaluators.bounded import BoundsError, parse_json
from ambidex.host.errors import StageError
from ambidex.vm.closing import Closing

__all__ = ["RestApi", "github", "notion"]

Wait = Callable[[float], None]
ANSWERS_WITHIN = 60.0
"""Seconds for one answer."""
PATIENCE = 3600.0
"""Seconds for which a request is sent again while a rate limit refuses it: GitHub counts by the
hour."""
FIRST_WAIT = 60.0
"""Seconds to wait if a refusal does not say how long, as GitHub recommends; doubled each time."""
QUOTED = 300
"""Characters of an answer in an error."""


class RestApi(Closing):
    """Requests to the API of `service` with one token. A request that a rate limit refuses is sent
    again after `wait`, which is given seconds and may raise."""

    def __init__(
        self, service: str, address: str, token: str, headers: Mapping[str, str], wait: Wait
    ) -> None:
        named = {**headers, "User-Agent": "ambidex", "Authorization": f"Bearer {token}"}
        self._service = service
        self._client = httpx.Client(base_url=address, headers=named, timeout=ANSWERS_WITHIN)
        self._wait = wait

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def ask(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, *, tolerated: int = 0
    ) -> dict[str, Any] | None:
        """The object that the service answers, empty if the answer has no content; None if its
        status is `tolerated`. `StageError` if it refuses the request or does not answer."""
        what, waited, pause = f"{method} {path}", 0.0, FIRST_WAIT
        while True:
            try:
                answer = self._client.request(method, path, json=body)
            except httpx.HTTPError as error:
                why = f"{type(error).__name__} {error}".strip()
                raise StageError(f"{self._service} did not answer {what}: {why}") from None
            if answer.status_code == tolerated:
                return None
            if answer.is_success:
                return self._object(answer, what)
            if not _is_rate_limit(answer) or waited >= PATIENCE:
                text = " ".join(answer.text.split())[:QUOTED]
                raise StageError(f"{self._service} refused {what}: {answer.status_code} {text}")
            asked = _asked_wait(answer) or pause
            self._wait(asked)
            waited, pause = waited + asked, pause * 2

    def _object(self, answer: httpx.Response, what: str) -> dict[str, Any]:
        if not answer.content:
            return {}
        try:
            content = parse_json(answer.content)
        except BoundsError as error:
            why = f"{self._service}'s answer to {what} cannot be read: {error}"
            raise StageError(why) from None
        return content if isinstance(content, dict) else {}


def github(address: str, token: str, wait: Wait = time.sleep) -> RestApi:
    """GitHub's API at an address."""
    headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
    return RestApi("GitHub", address, token, headers, wait)


def notion(address: str, token: str, wait: Wait = time.sleep) -> RestApi:
    """Notion's API at an address."""
    return RestApi("Notion", address, token, {"Notion-Version": "2025-09-03"}, wait)


def _is_rate_limit(answer: httpx.Response) -> bool:
    """Whether the request may succeed later: too many were sent. A missing permission also has
    status 403, without these signs."""
    if answer.status_code not in (403, 429):
        return False
    spent = answer.headers.get("x-ratelimit-remaining") == "0"
    return spent or "retry-after" in answer.headers or "rate limit" in answer.text.lower()


def _asked_wait(answer: httpx.Response) -> float:
    """The seconds for which the service asks to wait; 0 if it does not say."""
    after = answer.headers.get("retry-after", "")
    if after.isdecimal():
        return float(after)
    reset = answer.headers.get("x-ratelimit-reset", "")
    if answer.headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        return max(1.0, float(reset) - time.time())
    return 0.0
