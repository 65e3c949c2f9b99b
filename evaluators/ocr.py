"""Text recognition in pictures with tesseract.

The sandbox in which evaluators run cannot start programs, so `READER` is replaced there by one that
asks the host.
"""

from __future__ import annotations

import io
import subprocess
from collections.abc import Callable
from contextvars import ContextVar
from functools import lru_cache

from PIL import Image

from ambidex.evaluators import UnreadableError

__all__ = ["READER", "text_in"]

WITHIN = 60
PROGRAM = "tesseract"


def _run(picture: bytes) -> str:
    try:
        process = subprocess.run(
            [PROGRAM, "stdin", "stdout"],
            input=picture,
            capture_output=True,
            check=False,
            timeout=WITHIN,
        )
    except subprocess.TimeoutExpired:
        raise UnreadableError(
            f"reading the text of the picture took longer than {WITHIN} s"
        ) from None
    if process.returncode:
        output = process.stderr.decode(errors="replace").strip()[-300:]
        raise UnreadableError(f"the text of the picture could not be read: {output}")
    return process.stdout.decode(errors="replace")


READER: ContextVar[Callable[[bytes], str]] = ContextVar("reader", default=_run)
"""Returns the text of a PNG picture, or raises `UnreadableError`."""


def text_in(picture: Image.Image) -> str:
    """Recognise the text in a picture; FileNotFoundError if tesseract is not installed."""
    png = io.BytesIO()
    picture.save(png, "PNG")
    return _text(READER.get(), png.getvalue())


# A metric's two verdicts read the same picture one after the other.
@lru_cache(maxsize=1)
def _text(reader: Callable[[bytes], str], picture: bytes) -> str:
    return reader(picture)
