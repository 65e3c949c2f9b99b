"""Reasoning effort: how each API is asked for it, and which models can be."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from ambidex.host import Form
from ambidex.host.errors import UsageError
from ambidex.host.models.libraries import libraries
from ambidex.host.records.config import Effort, ModelConfig

__all__ = ["check_effort", "effort_settings"]

MESSAGES: tuple[Effort, ...] = ("low", "medium", "high", "xhigh", "max")
"""What Anthropic's API calls an effort."""
LEAST_THOUGHT = 1024
"""Anthropic's least budget for thinking, in tokens; an answer has to have more."""


def effort_settings(form: Form, effort: Effort | None) -> Mapping[str, Any]:
    """The fields of a request, as litellm takes them."""
    if effort is None:
        return {}
    match form:
        case "chat":
            return {"reasoning_effort": effort}
        case "messages":
            return {"output_config": {"effort": effort}}
        case "responses":
            return {"reasoning": {"effort": effort}}


def check_effort(config: ModelConfig, form: Form | None) -> None:
    """`UsageError` if the configured effort could not be sent, or would be dropped on the way.
    `form` is None for an API that is unknown; nothing is checked then."""
    if config.effort is None or form is None:
        return
    litellm, openai = libraries()
    try:
        reason = _why_not(config, form, litellm)
    except openai.OpenAIError as error:
        reason = str(error).partition(" To drop")[0].replace("\n", " ")
    if reason:
        raise UsageError(
            f"{config.name} cannot be asked for the effort {config.effort}: {reason}",
            hint="Choose another effort, or none, to get the model's default.",
        )


def _why_not(config: ModelConfig, form: Form, litellm: ModuleType) -> str:
    if form != "messages":
        name, vendor = config.name, "openai"
        if not config.base_url:
            name, vendor, *_ = litellm.get_llm_provider(config.name)
        litellm.utils.get_optional_params(
            model=name, custom_llm_provider=vendor, reasoning_effort=config.effort
        )
        return ""
    # litellm drops what it thinks the model cannot do, and only logs a warning.
    if config.effort not in MESSAGES:
        return f"Anthropic's API knows {', '.join(MESSAGES)}"
    if not litellm.supports_reasoning(config.name, "anthropic" if config.base_url else None):
        return "litellm knows no model of that name that reasons, and would not send it"
    if config.max_tokens <= LEAST_THOUGHT:
        return f"max_tokens must be more than {LEAST_THOUGHT}"
    if config.temperature is not None:
        return "Anthropic's API takes no temperature with it"
    return ""
