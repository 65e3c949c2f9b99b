"""What tests that ask a model through litellm share."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def nothing_of_litellm_stays() -> Iterator[None]:
    """litellm takes the event loop of the main thread, or makes one that nobody closes, and keeps
    its clients with their connections for ten minutes: some later test would be blamed for either.
    """
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    if litellm := sys.modules.get("litellm"):
        kept = litellm.in_memory_llm_clients_cache
        for client in kept.cache_dict.values():
            if close := getattr(client, "close", None):
                left = close()
                if asyncio.iscoroutine(left):
                    loop.run_until_complete(left)
        kept.flush_cache()
    asyncio.set_event_loop(None)
    loop.close()
