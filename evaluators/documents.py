"""The evaluator of the exported state of the firm's files (`vm/images/services/documents`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from ambidex.evaluators import Score
from ambidex.evaluators.exports.compare import Content, compare, read_both
from ambidex.evaluators.registry import EvidenceName, evaluator

__all__: list[str] = []


class File(Content):
    """A file."""

    sha256: str = Field(min_length=1)
    text: str | None = None


class Export(Content):
    """An export."""

    folders: list[str]
    files: dict[str, File]


@evaluator
def changes(
    evidence: Path,
    *,
    values: dict[str, Any] | None = None,
    patterns: dict[str, str] | None = None,
    gone: list[str] | None = None,
    free: list[str] | None = None,
    file: EvidenceName = "documents.json",
) -> Score:
    """Since setup, the files have changed to these values, by path, and in nothing else. `patterns`
    are values as regular expressions; at the paths that match `gone` there is nothing any more; of
    those that match `free`, anything may have become.

    Paths: `files/sales/plan.txt` is the text of a file, or its SHA-256 if it is not a short text;
    `folders/sales/old` is true for a folder.
    """
    earlier, later = read_both(evidence, file, Export)
    before, after = (_view(one) for one in (earlier, later))
    return compare(before, after, values or {}, patterns or {}, gone or [], free or [])


def _view(export: Export) -> dict[str, Any]:
    files = {
        path: (one.sha256 if one.text is None else one.text.strip() or "(empty)")
        for path, one in export.files.items()
    }
    return {"files": files, "folders": dict.fromkeys(export.folders, True)}
