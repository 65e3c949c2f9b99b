"""Collected files as such: there or not, their text, their bytes, and listings of folders."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated

from pydantic import Field

from ambidex.evaluators import Score
from ambidex.evaluators.evidence import read, read_text
from ambidex.evaluators.manifest import source_of
from ambidex.evaluators.registry import EvidenceName, TaskFile, evaluator
from ambidex.evaluators.values import shown, verdict


@evaluator
def exists(evidence: Path, *, file: EvidenceName) -> Score:
    """The file was collected; it may be empty."""
    return Score(1.0, f"{file} is there ({len(read(evidence, file))} bytes)")


@evaluator
def absent(evidence: Path, *, file: EvidenceName) -> Score:
    """The file was asked for and not found in the guest: nor was a folder or a link of its name."""
    source = source_of(evidence, file)
    there = (evidence / file).exists() or (source is not None and source.state != "absent")
    what = f" ({source.flaw})" if source and source.flaw else ""
    return verdict([f"{file} is there{what}"] if there else [], f"{file} is not there")


@evaluator
def text_equals(evidence: Path, *, file: EvidenceName, text: str, exact: bool = False) -> Score:
    """The file says this text and no more; blanks at line ends and lines at the end do not count.

    With `exact`, they do.
    """
    seen, expected = read_text(evidence, file), text
    if not exact:
        seen, expected = _trimmed(seen), _trimmed(expected)
    wrong = [] if seen == expected else [f"{file} says {shown(seen)}, not {shown(expected)}"]
    return verdict(wrong, f"{file} says what it should")


@evaluator
def text_contains(
    evidence: Path,
    *,
    file: EvidenceName,
    texts: Annotated[list[str], Field(min_length=1)],
    absent: list[str] | None = None,
) -> Score:
    """Each text stands in the file, and none of `absent`."""
    seen = read_text(evidence, file)
    wrong = [f"{shown(each)} is missing from {file}" for each in texts if each not in seen]
    wrong += [f"{shown(each)} is in {file}" for each in absent or [] if each in seen]
    return verdict(wrong, f"{file} says all {len(texts)} texts")


@evaluator
def same_bytes(evidence: Path, *, file: EvidenceName, expected: TaskFile) -> Score:
    """The file is, byte by byte, a file of the task."""
    seen, wanted = read(evidence, file), expected.read_bytes()
    wrong = [] if seen == wanted else [f"{file} differs: {_sum(seen)}, not {_sum(wanted)}"]
    return verdict(wrong, f"{file} is the same as {expected.name}")


@evaluator
def listing_equals(
    evidence: Path,
    *,
    file: EvidenceName,
    paths: list[str],
    ignore: list[str] | None = None,
) -> Score:
    """The file lists these paths, one a line in any order, and no others.

    Made for what a task collects with `list`. `ignore` names paths that may be there or not.
    """
    listed = {line for line in read_text(evidence, file).splitlines() if line.strip()}
    seen = listed - set(ignore or [])
    wrong = [f"{each} is missing" for each in sorted(set(paths) - seen)]
    wrong += [f"{shown(each)} should not be there" for each in sorted(seen - set(paths))]
    return verdict(wrong, f"{file} lists all {len(paths)} paths and no others")


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines()).rstrip("\n")


def _sum(content: bytes) -> str:
    return f"{len(content)} bytes, sha256 {hashlib.sha256(content).hexdigest()[:12]}"
