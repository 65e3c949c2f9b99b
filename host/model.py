"""Models through litellm: any vendor by its name, any OpenAI-compatible server by its address."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from host import Completion, Usage
from host.config import ModelConfig
from host.errors import ModelError

__all__ = ["LiteModel"]

RETRIES = 3
"""Of a request that was refused for load or lost; asking a model again changes nothing in the
guest."""


class LiteModel:
    """A `host.Model`. With `base_url`, the name is what that server calls the model."""

    def __init__(self, config: ModelConfig) -> None:
        self._config = config

    def complete(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]
    ) -> Completion:
        """See `host.Model`."""
        # litellm otherwise fetches its price list from the network when imported.
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        import litellm
        import openai

        litellm.suppress_debug_info = True
        litellm.telemetry = False
        config = self._config
        where: dict[str, Any] = {}
        if config.base_url:
            key = os.environ.get("OPENAI_API_KEY", "none")  # a local server asks for none
            where = {"api_base": config.base_url, "custom_llm_provider": "openai", "api_key": key}
        if config.temperature is not None:
            where["temperature"] = config.temperature
        try:
            answer = litellm.completion(
                model=config.name,
                messages=list(messages),
                tools=list(tools),
                timeout=config.timeout,
                max_retries=RETRIES,
                **where,
            )
        except openai.OpenAIError as error:  # what all of litellm's errors are
            raise ModelError(
                f"the model {config.name} did not answer: {type(error).__name__}: {error}",
                hint="Check --model, --base-url and the key in the environment.",
            ) from error
        return _completion(answer)


def _completion(answer: Any) -> Completion:
    if not answer.choices:
        raise ModelError("the model's answer has no choices")
    message = answer.choices[0].message
    calls = tuple(
        (call.id or "", call.function.name or "", call.function.arguments or "{}")
        for call in message.tool_calls or ()
    )
    used = getattr(answer, "usage", None)
    cost = getattr(answer, "_hidden_params", {}).get("response_cost")
    usage = Usage(
        getattr(used, "prompt_tokens", 0) or 0,
        getattr(used, "completion_tokens", 0) or 0,
        float(cost) if cost else None,  # 0.0 is what litellm says of a model it has no price for
    )
    return Completion(message.content or "", calls, usage)
