"""Models through litellm: any vendor by its name, any compatible server by its address."""

from __future__ import annotations

import asyncio
import os
import random
import threading
import time
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from ambidex.host import Answer, Form, Request, Usage
from ambidex.host.errors import ModelError
from ambidex.host.models.prices import Prices, Tokens
from ambidex.host.records.config import ModelConfig

__all__ = ["LiteModel", "pause"]

LONGEST_PAUSE = 60.0
"""Seconds between two tries of a request."""
VENDOR: dict[Form, str] = {"chat": "openai", "messages": "anthropic", "responses": "openai"}
"""Whose form it is: what a server at a `base_url` is taken to speak."""
SAID: dict[Form, str] = {"chat": "choices", "messages": "content", "responses": "output"}
"""Where an answer is in the body."""


class LiteModel:
    """A `host.Model`; one for a whole run, so that its limit on requests holds for all machines."""

    def __init__(self, config: ModelConfig, prices: Prices) -> None:
        self.name = config.name
        self._config = config
        self._prices = prices
        self._lock = threading.Lock()
        self._next = 0.0
        """When the next request may be sent, by `requests_per_minute`."""

    def ask(self, request: Request) -> Answer:
        """See `host.Model`. A request that is refused for load or lost is sent again: asking
        changes nothing in the guest."""
        litellm, openai = _libraries()
        lost = (
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
                body = self._send(litellm, request)
                break
            except openai.OpenAIError as error:  # what all of litellm's errors are
                # Not every vendor's "overloaded" (529) has a class of its own.
                if not isinstance(error, lost) and getattr(error, "status_code", 0) < 500:
                    raise self._failed(error) from error
                if retries >= self._config.retries:
                    raise self._failed(error, f" after {retries + 1} tries") from error
                time.sleep(pause(error, retries))
                retries += 1
        tokens = _tokens(request.form, body)
        cost = self._prices.cost(self.name, tokens)
        used = (tokens.input, tokens.output, tokens.cached, cost)
        return Answer(body, Usage(*used, requests=1, retries=retries))

    def _send(self, litellm: ModuleType, request: Request) -> Mapping[str, Any]:
        settings: dict[str, Any] = {**self._settings(request.form), **request.body}
        match request.form:
            case "chat":
                if request.seed is not None and self._config.seeded:
                    settings["seed"] = request.seed
                answer = litellm.completion(max_tokens=self._config.max_tokens, **settings)
            case "messages":
                # A loop that is nobody else's and not the thread's: what is there stays as it is.
                with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
                    answer = runner.run(self._message(litellm, settings))
            case "responses":
                answer = litellm.responses(max_output_tokens=self._config.max_tokens, **settings)
        body = answer if isinstance(answer, dict) else answer.model_dump(mode="json")
        said = body.get(SAID[request.form])
        if said is None or (request.form == "chat" and not said):
            raise ModelError(f"the answer of {self.name} has no {SAID[request.form]}")
        if body.get("status") == "failed":
            raise ModelError(f"{self.name} failed: {(body.get('error') or {}).get('message')}")
        return body

    async def _message(self, litellm: ModuleType, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        # Only asynchronously does litellm ask in this form; the clients that it keeps would outlive
        # their loop.
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
        said: dict[str, Any] = {"model": config.name, "timeout": config.timeout, "max_retries": 0}
        if config.temperature is not None:
            said["temperature"] = config.temperature
        if config.top_p is not None:
            said["top_p"] = config.top_p
        if config.key:
            said["api_key"] = os.environ.get(config.key, "")
        if config.base_url:
            address = config.base_url.rstrip("/")
            if form == "messages":  # litellm adds the version itself, in this form only
                address = address.removesuffix("/v1")
            said |= {"api_base": address, "custom_llm_provider": VENDOR[form]}
            # A local server asks for none.
            said.setdefault("api_key", os.environ.get(f"{VENDOR[form].upper()}_API_KEY", "none"))
        return said

    def _wait_for_turn(self) -> None:
        if self._config.requests_per_minute is None:
            return
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + 60 / self._config.requests_per_minute
        time.sleep(turn - now)

    def _failed(self, error: Exception, after: str = "") -> ModelError:
        said = f"{self.name} did not answer{after}: {type(error).__name__}: {error}"
        hint = "Check the model's name, its address and its key."
        return ModelError(said, hint=hint, refused=refusal(error))


def _libraries() -> tuple[ModuleType, ModuleType]:
    # litellm otherwise fetches its price list from the network when imported.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm
    import openai

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    return litellm, openai


def refusal(error: Exception) -> bool:
    """Whether a vendor refuses this request, and would not refuse another one of the same caller:
    the context is too long, or what it says is against the rules."""
    return getattr(error, "status_code", 0) in (400, 413, 422)


def pause(error: Exception, retries: int) -> float:
    """Seconds before a request is sent again: what the vendor asks for, or longer each time."""
    asked = str((getattr(error, "litellm_response_headers", None) or {}).get("retry-after", ""))
    if asked.replace(".", "", 1).isdigit():
        return min(float(asked), LONGEST_PAUSE)
    longest: float = min(2.0**retries, LONGEST_PAUSE)
    return longest * random.uniform(0.5, 1.0)  # so that not all come back at once


def _tokens(form: Form, body: Mapping[str, Any]) -> Tokens:
    used = body.get("usage") or {}

    def count(name: str, inside: Mapping[str, Any] = used) -> int:
        return int(inside.get(name) or 0)

    match form:
        case "chat":
            cached = count("cached_tokens", used.get("prompt_tokens_details") or {})
            return Tokens(
                input=count("prompt_tokens"), output=count("completion_tokens"), cached=cached
            )
        case "messages":
            cached, written = count("cache_read_input_tokens"), count("cache_creation_input_tokens")
            return Tokens(
                input=count("input_tokens") + cached + written,
                output=count("output_tokens"),
                cached=cached,
                written=written,
            )
        case "responses":
            cached = count("cached_tokens", used.get("input_tokens_details") or {})
            return Tokens(input=count("input_tokens"), output=count("output_tokens"), cached=cached)
