"""Where the machine's services answer, and what is sent to them as a credential."""

from __future__ import annotations

import json
from pathlib import Path

from ambidex.mcp_tools import ToolError

__all__ = ["DECLARED", "address_of", "token_of"]

DECLARED = Path("/usr/share/ambidex/services.json")
"""The services of the image, as `vm/building/services.py` declares them."""
TOKENS = "~/.config/{}/token"
"""The desktop user's token of a service."""


def address_of(service: str) -> str:
    """The address at which a service of the image answers; empty if the image has none of that
    name, or the service has no address."""
    if not DECLARED.exists():
        return ""
    for one in json.loads(DECLARED.read_text(encoding="utf-8")):
        if one["name"] == service:
            return str(one["page"])
    return ""


def token_of(service: str) -> str:
    """The desktop user's token of a service; empty if there is none.

    `ToolError` if the name is not one that a folder may have, or the token cannot be read.
    """
    if "/" in service or service.startswith("."):
        return ""
    try:
        return Path(TOKENS.format(service)).expanduser().read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as error:
        raise ToolError(
            f"The token of {service} cannot be read: {error}.", code="missing"
        ) from None
