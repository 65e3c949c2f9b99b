"""Models through litellm: any vendor by name, any compatible server by address."""

from __future__ import annotations

import os
import queue
import random
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from types import ModuleType
from typing import Any

from ambidex.host import Answer, Form, Request, Usage
from ambidex.host.errors import ContextLimitError, ModelError
from ambidex.host.models.context_overflow import is_overflow
from ambidex.host.models.effort import effort_settings
from ambidex.host.models.libraries import event_loop, libraries
from ambidex.host.models.prices import Prices, Tokens
from ambidex.host.models.refusals import Refusal, read_refusal
from ambidex.host.records.config import ModelConfig

__all__ = ["LiteModel", "pause"]

LONGEST_PAUSE = 60.0
"""Maximum seconds between two attempts of a request."""
NOTICED = 0.1
"""Seconds within which an interrupt is noticed while a model is asked."""
VENDOR: dict[Form, str] = {"chat": "openai", "messages": "anthropic", "responses": "openai"}
"""The vendor of each API, whose protocol a server at a `base_url` is assumed to speak."""
CONTENT_KEY: dict[Form, str] = {"chat": "choices", "messages": "content", "responses": "output"}
"""The key of an answer's content in its body."""


class LiteModel:
    """A `host.Model` through litellm. One instance serves a whole run, so that its rate limit
    covers all machines."""

    def __init__(
        self, config: ModelConfig, prices: Prices, stopped: threading.Event | None = None
    ) -> None:
        """`stopped` ends every wait of a request with a `ModelError`."""
        self.name = config.name
        # Imported here, so that the time of the first request does not include it.
        self._libraries = libraries()
        self._stopped = stopped or threading.Event()
        self._config = config
        self._prices = prices
        self._lock = threading.Lock()
        self._next = 0.0
        """Monotonic time at which `requests_per_minute` allows the next request."""

    def ask(self, request: Request) -> Answer:
        """See `host.Model`. Requests refused for load or lost are retried, which is safe: asking a
        model changes nothing in the guest."""
        litellm, openai = self._libraries
        transient = (
            litellm.RateLimitError,
            litellm.Timeout,
            litellm.APIConnectionError,
            litellm.InternalServerError,
            litellm.ServiceUnavailableError,
            litellm.BadGatewayError,
        )
        retries = 0
        while True:
            self._wait_for_turn()
            try:
                body = self._answer(litellm, request)
                break
            except openai.OpenAIError as error:  # the base class of all of litellm's errors
                refusal = read_refusal(error)
                if _is_overflow(error, litellm.ContextWindowExceededError):
                    message = f"{self.name}'s context is full: {refusal.text}"
                    raise ContextLimitError(message) from error
                # Some vendors' "overloaded" (529) has no class of its own.
                can_pass = isinstance(error, transient) or getattr(error, "status_code", 0) >= 500
                if refusal.fatal or not can_pass or retries >= self._config.retries:
                    raise self._failed(error, refusal, retries) from error
                if self._stopped.wait(pause(error, retries)):
                    raise self._interrupted() from error
                retries += 1
        tokens = _tokens(request.form, body)
        cost = self._prices.cost(self.name, tokens)
        usage = Usage(
            input_tokens=tokens.input,
            output_tokens=tokens.output,
            cached_tokens=tokens.cached,
            reasoning_tokens=tokens.reasoning,
            cost=cost,
            requests=1,
            retries=retries,
        )
        return Answer(body, usage)

    def _answer(self, litellm: ModuleType, request: Request) -> Mapping[str, Any]:
        """The body of the answer. An interrupt does not wait for it: the request is sent from a
        thread of its own, which is then abandoned."""
        done: queue.SimpleQueue[Mapping[str, Any] | Exception] = queue.SimpleQueue()

        def send() -> None:
            try:
                done.put(self._send(litellm, request))
            except Exception as error:  # noqa: BLE001 - raised in the thread that waits
                done.put(error)

        threading.Thread(target=send, name=f"{self.name} is asked", daemon=True).start()
        while not self._stopped.is_set():
            with suppress(queue.Empty):
                body = done.get(timeout=NOTICED)
                if isinstance(body, Exception):
                    raise body
                return body
        raise self._interrupted()

    def _send(self, litellm: ModuleType, request: Request) -> Mapping[str, Any]:
        settings: dict[str, Any] = {**self._settings(request.form), **request.body}
        match request.form:
            case "chat":
                if request.seed is not None and self._config.seeded:
                    settings["seed"] = request.seed
                answer = litellm.completion(max_tokens=self._config.max_tokens, **settings)
            case "messages":
                answer = event_loop().call(self._message, litellm, settings)
            case "responses":
                answer = litellm.responses(max_output_tokens=self._config.max_tokens, **settings)
        body = answer if isinstance(answer, dict) else answer.model_dump(mode="json")
        key = CONTENT_KEY[request.form]
        content = body.get(key)
        if content is None or (request.form == "chat" and not content):
            raise ModelError(f"the answer of {self.name} has no {key}")
        if body.get("status") == "failed":
            error = body.get("error") or {}
            if is_overflow(f"{error.get('code')} {error.get('message')}"):
                raise ContextLimitError(f"{self.name}'s context is full: {error.get('message')}")
            raise ModelError(f"{self.name} failed: {error.get('message')}")
        return body

    async def _message(self, litellm: ModuleType, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        # litellm speaks this API only asynchronously. It gets a client of its own, since it closes
        # none of those it caches.
        from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

        client = AsyncHTTPHandler(timeout=self._config.timeout)
        try:
            answer: Mapping[str, Any] = await litellm.anthropic.messages.acreate(
                max_tokens=self._config.max_tokens, client=client, **settings
            )
            return answer
        finally:
            await client.client.aclose()

    def _settings(self, form: Form) -> dict[str, Any]:
        config = self._config
        settings: dict[str, Any] = {
            "model": config.name,
            "timeout": config.timeout,
            "max_retries": 0,
            **effort_settings(form, config.effort),
        }
        if config.temperature is not None:
            settings["temperature"] = config.temperature
        if config.top_p is not None:
            settings["top_p"] = config.top_p
        if config.key:
            settings["api_key"] = os.environ.get(config.key, "")
        if config.base_url:
            address = config.base_url.rstrip("/")
            if form == "messages":  # for this API alone, litellm appends the version itself
                address = address.removesuffix("/v1")
            settings |= {"api_base": address, "custom_llm_provider": VENDOR[form]}
            # Local servers need no key, but the client insists on one.
            key = os.environ.get(f"{VENDOR[form].upper()}_API_KEY", "none")
            settings.setdefault("api_key", key)
        return settings

    def _wait_for_turn(self) -> None:
        if self._config.requests_per_minute is None:
            return
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + 60 / self._config.requests_per_minute
        if self._stopped.wait(turn - now):
            raise self._interrupted()

    def _interrupted(self) -> ModelError:
        return ModelError(f"the run was interrupted before {self.name} answered")

    def _failed(self, error: Exception, refusal: Refusal, retries: int) -> ModelError:
        after = f" after {retries + 1} attempts" if retries else ""
        status = f"HTTP {refusal.status}: " if refusal.status else ""
        return ModelError(
            f"{self.name} did not answer{after}: {status}{refusal.text}",
            hint=refusal.hint,
            refused=is_refusal(error),
            fatal=refusal.fatal,
        )


def _is_overflow(error: Exception, known: type[Exception]) -> bool:
    """Whether the request was too long. `known` is the class that litellm has for some of these
    errors, and for a tool's description that is too long."""
    if isinstance(error, known):
        return "string too long" not in str(error).lower()
    details = getattr(error, "body", None)  # the vendor's error, with a code that str() lacks
    return is_overflow(f"{error} {details}", getattr(error, "status_code", 0))


def is_refusal(error: Exception) -> bool:
    """Whether the vendor rejected this particular request, and would accept others: its content is
    against the rules."""
    return getattr(error, "status_code", 0) in (400, 413, 422)


def pause(error: Exception, retries: int) -> float:
    """Seconds to wait before retrying: the vendor's `retry-after`, or exponential backoff."""
    requested = str((getattr(error, "litellm_response_headers", None) or {}).get("retry-after", ""))
    if requested.replace(".", "", 1).isdigit():
        return min(float(requested), LONGEST_PAUSE)
    longest: float = min(2.0**retries, LONGEST_PAUSE)
    return longest * random.uniform(0.5, 1.0)  # jitter, so that not all retry at once


def _tokens(form: Form, body: Mapping[str, Any]) -> Tokens:
    usage = body.get("usage") or {}

    def count(name: str, inside: Mapping[str, Any] = usage) -> int:
        return int(inside.get(name) or 0)

    def reasoning(details: str, name: str = "reasoning_tokens") -> int | None:
        value = (usage.get(details) or {}).get(name)
        return None if value is None else int(value)

    match form:
        case "chat":
            cached = count("cached_tokens", usage.get("prompt_tokens_details") or {})
            return Tokens(
                input=count("prompt_tokens"),
                output=count("completion_tokens"),
                cached=cached,
                reasoning=reasoning("completion_tokens_details"),
            )
        case "messages":
            cached, written = count("cache_read_input_tokens"), count("cache_creation_input_tokens")
            return Tokens(
                input=count("input_tokens") + cached + written,
                output=count("output_tokens"),
                cached=cached,
                written=written,
                reasoning=reasoning("output_tokens_details", "thinking_tokens"),
            )
        case "responses":
            cached = count("cached_tokens", usage.get("input_tokens_details") or {})
            return Tokens(
                input=count("input_tokens"),
                output=count("output_tokens"),
                cached=cached,
                reasoning=reasoning("output_tokens_details"),
            )
