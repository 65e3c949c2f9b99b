"""Recognise that a model's server rejected a request because it is too long for the model."""

from __future__ import annotations

import re

__all__ = ["is_overflow"]

STATUS = (400, 413, 422)
"""Besides 5xx, which some local servers send. A limit on tokens per minute (429) is no overflow."""

WORDS = re.compile(
    "|".join(
        (
            "context_length_exceeded|exceed_context_size",  # codes: OpenAI, llama.cpp
            "exceeds? the context (window|length)",  # OpenAI, Ollama
            "maximum (context|prompt) length",  # OpenAI, vLLM, DeepSeek; xAI
            "model's maximum context|longer than the maximum model length",  # vLLM
            "longer than the model's context length",  # SGLang
            "prompt is too long|exceeds? context limit",  # Anthropic
            "input is too long|too many input tokens",  # Bedrock
            "input token count.*exceeds the maximum",  # Gemini
            "reduce the length of the (messages|prompt)",  # Groq, OpenAI
            "exceeds? the available context size|context size (has been )?exceeded",  # llama.cpp
            "greater than the context length",  # LM Studio
            "context window exceeds limit|exceeded model token limit",  # MiniMax, Moonshot
        )
    ),
    re.IGNORECASE,
)
"""What litellm's `ContextWindowExceededError` does not cover in all three APIs."""


def is_overflow(text: str, status: int = STATUS[0]) -> bool:
    """Whether an error with this text and HTTP status says that the request is too long."""
    return (status in STATUS or status >= 500) and bool(WORDS.search(text))
