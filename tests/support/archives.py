"""Archives as guests get them."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping

__all__ = ["tar_of"]


def tar_of(files: Mapping[str, str]) -> bytes:
    """A tar archive of these files."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as tar:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            tar.addfile(entry, io.BytesIO(text.encode()))
    return target.getvalue()
