"""Names of tools. A name depends on its server and its operation alone, so that it stays the same
when another operation is added."""

from __future__ import annotations

import re
from hashlib import sha256

from ambidex.host.toolsets import LONGEST_NAME

__all__ = ["slug", "tool_name"]

PLAIN = re.compile(r"(?!.*--)[A-Za-z0-9_-]+")
SEPARATED = re.compile(r"[A-Za-z0-9]+(?:[./_-][A-Za-z0-9]+)+")
"""An operation whose separators can be replaced without a loss."""
UNNAMEABLE = re.compile(r"[^A-Za-z0-9_-]+")


def tool_name(server: str, operation: str) -> str:
    """The name of a tool: `server_operation`, at most 64 letters, digits, `_` and `-`.

    `/` becomes `--` and `.` becomes `---`. An operation with other characters, or whose name is too
    long, also has eight digits of its hash, so that two operations have two names.
    """
    prefix = f"{slug(server)}_" if server else ""
    if PLAIN.fullmatch(operation):
        name = prefix + operation
    elif SEPARATED.fullmatch(operation):
        name = prefix + operation.replace(".", "---").replace("/", "--")
    else:
        return _hashed(prefix + slug(operation), operation)
    return name if len(name) <= LONGEST_NAME else _hashed(name, operation)


def slug(text: str) -> str:
    """A text with `_` for everything that a name may not contain."""
    return UNNAMEABLE.sub("_", text).strip("_")


def _hashed(name: str, identity: str) -> str:
    digits = sha256(identity.encode()).hexdigest()[:8]
    return f"{name[: LONGEST_NAME - len(digits) - 1].rstrip('_-')}_{digits}"
