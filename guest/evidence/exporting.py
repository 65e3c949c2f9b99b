"""Runs the program that prints a service's state, as the service's account."""

from __future__ import annotations

import subprocess
import tempfile
from typing import Any

from ambidex.guest import HarnessError
from ambidex.guest.wire import WorkerReply

__all__ = ["LARGEST", "export"]

LARGEST = 32 << 20
"""Bytes of an export that are passed on."""
MESSAGE = 2000
"""Characters of a failed program's error output that are passed on."""


def export(given: dict[str, Any], body: bytes) -> WorkerReply:
    """The output of the program `argv`, as the body; `truncated` says that it was longer.

    `HarnessError` if it fails or takes longer than `within` seconds.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        try:
            status = subprocess.run(
                given["argv"],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                cwd="/",
                timeout=given["within"],
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            message = f"The export took longer than {given['within']:g} s."
            raise HarnessError(message, code="timeout", status=503) from None
        except OSError as error:
            raise HarnessError(f"{given['argv'][0]}: {error}", code="not_started") from None
        errors.seek(0)
        if status:
            message = errors.read().decode(errors="replace")[-MESSAGE:].strip()
            raise HarnessError(
                f"The export failed (exit status {status}): {message}", code="failed", status=503
            )
        output.seek(0)
        content = output.read(LARGEST + 1)
    return WorkerReply({"truncated": len(content) > LARGEST}, content[:LARGEST])
