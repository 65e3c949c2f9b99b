"""The libraries that speak to models, imported on first use: they take seconds to load."""

from __future__ import annotations

import os
from types import ModuleType

__all__ = ["libraries"]


def libraries() -> tuple[ModuleType, ModuleType]:
    """litellm, and openai, whose errors litellm's derive from."""
    # Without this, litellm fetches its price list from the network on import.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm
    import openai

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    return litellm, openai
