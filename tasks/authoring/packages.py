"""Office documents whose bytes depend on their content alone."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

__all__ = ["write_document", "write_package", "write_workbook"]

MOMENT = "2025-01-02T08:00:00Z"
"""The time at which every document was made, according to its properties."""
STAMPS = re.compile(
    rb"(<(?:dcterms:(?:created|modified)|meta:creation-date|dc:date)\b[^>]*>)[^<]*(</)"
)


def write_workbook(workbook: Any, path: Path) -> None:
    """Write a workbook of openpyxl."""
    write_package(workbook.save, path)


def write_document(document: Any, path: Path) -> None:
    """Write a document of python-docx, python-pptx or odfpy."""
    write_package(document.save, path)


def write_package(save: Callable[[io.BytesIO], object], path: Path) -> None:
    """Write the package that `save` writes to a file, with fixed times in it."""
    buffer = io.BytesIO()
    save(buffer)
    with ZipFile(buffer) as source, ZipFile(path, "w") as target:
        for item in source.infolist():
            content = source.read(item)
            if item.filename in ("docProps/core.xml", "meta.xml"):
                content = STAMPS.sub(rb"\g<1>" + MOMENT.encode() + rb"\g<2>", content)
            stored = item.filename == "mimetype"
            info = ZipInfo(item.filename)
            info.compress_type = ZIP_STORED if stored else ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            target.writestr(info, content)
