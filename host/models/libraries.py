"""The libraries that speak to models, imported on first use: they take seconds to load."""

from __future__ import annotations

import atexit
import os
import threading
from types import ModuleType

from anyio.from_thread import BlockingPortal, start_blocking_portal

__all__ = ["event_loop", "libraries"]


def libraries() -> tuple[ModuleType, ModuleType]:
    """litellm, and openai, whose errors litellm's derive from."""
    # Without this, litellm fetches its price list from the network on import.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm
    import openai

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    return litellm, openai


STARTING = threading.Lock()
STARTED: list[BlockingPortal] = []


def event_loop() -> BlockingPortal:
    """The event loop, in a thread of its own, in which this process runs litellm's asynchronous
    functions. They need one that stays: litellm has one worker that logs, which loses what it holds
    when the loop changes while another thread asks."""
    with STARTING:
        if not STARTED:
            context = start_blocking_portal(name="litellm")
            portal = context.__enter__()
            # Requests that an interrupt abandoned are cancelled.
            atexit.register(context.__exit__, None, None, None)
            atexit.register(portal.call, portal.stop, True)
            STARTED.append(portal)
    return STARTED[0]
