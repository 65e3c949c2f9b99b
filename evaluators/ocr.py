"""The text in a picture, read by tesseract. In the box where verdicts are given no program can be
started: there the reader is another one, which asks for it."""

from __future__ import annotations

import io
import subprocess
from collections.abc import Callable
from contextvars import ContextVar

from PIL import Image

from ambidex.evaluators import UnreadableError

__all__ = ["READER", "text_in"]

WITHIN = 60
PROGRAM = "tesseract"


def _run(picture: bytes) -> str:
    try:
        done = subprocess.run(
            [PROGRAM, "stdin", "stdout"],
            input=picture,
            capture_output=True,
            check=False,
            timeout=WITHIN,
        )
    except subprocess.TimeoutExpired:
        raise UnreadableError(f"the text of the picture was not read within {WITHIN} s") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()[-300:]
        raise UnreadableError(f"the text of the picture could not be read: {said}")
    return done.stdout.decode(errors="replace")


READER: ContextVar[Callable[[bytes], str]] = ContextVar("reader", default=_run)
"""Gives the text of a picture, which is PNG; `UnreadableError` where it cannot be read."""


def text_in(picture: Image.Image) -> str:
    """What can be read in the picture; FileNotFoundError where there is no tesseract."""
    held = io.BytesIO()
    picture.save(held, "PNG")
    return READER.get()(held.getvalue())
