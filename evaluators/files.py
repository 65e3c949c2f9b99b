"""Evaluators of plain files: existence, text, bytes, folder listings, and archives."""

from __future__ import annotations

import hashlib
import posixpath
from pathlib import Path
from typing import Annotated

from pydantic import Field

from ambidex.evaluators import Score
from ambidex.evaluators.evidence import read, read_text
from ambidex.evaluators.manifest import source_of
from ambidex.evaluators.members import members
from ambidex.evaluators.registry import EvidenceName, TaskFile, evaluator
from ambidex.evaluators.values import shown, verdict


@evaluator
def exists(evidence: Path, *, file: EvidenceName) -> Score:
    """The file exists; it may be empty."""
    return Score(1.0, f"{file} exists ({len(read(evidence, file))} bytes)")


@evaluator
def absent(evidence: Path, *, file: EvidenceName) -> Score:
    """The file does not exist in the guest, nor does a folder or a link with its name."""
    source = source_of(evidence, file)
    exists = (evidence / file).exists() or (source is not None and source.state != "absent")
    detail = f" ({source.flaw})" if source and source.flaw else ""
    return verdict([f"{file} exists{detail}"] if exists else [], f"{file} does not exist")


@evaluator
def text_equals(evidence: Path, *, file: EvidenceName, text: str, exact: bool = False) -> Score:
    """The file has exactly this text, apart from blanks at line ends and empty lines at the end.

    With `exact`, those count too.
    """
    actual, expected = read_text(evidence, file), text
    if not exact:
        actual, expected = _trimmed(actual), _trimmed(expected)
    wrong = (
        []
        if actual == expected
        else [f"{file} has the text {shown(actual)}, not {shown(expected)}"]
    )
    return verdict(wrong, f"{file} has the expected text")


@evaluator
def text_contains(
    evidence: Path,
    *,
    file: EvidenceName,
    texts: Annotated[list[str], Field(min_length=1)],
    absent: list[str] | None = None,
) -> Score:
    """The file contains each of the texts and none of `absent`."""
    content = read_text(evidence, file)
    wrong = [f"{shown(text)} is missing from {file}" for text in texts if text not in content]
    wrong += [f"{shown(text)} is in {file}" for text in absent or [] if text in content]
    return verdict(wrong, f"{file} contains all {len(texts)} texts")


@evaluator
def same_bytes(evidence: Path, *, file: EvidenceName, expected: TaskFile) -> Score:
    """The file is identical, byte by byte, to a file of the task."""
    actual, reference = read(evidence, file), expected.read_bytes()
    wrong = (
        []
        if actual == reference
        else [f"{file} differs: {_digest(actual)}, not {_digest(reference)}"]
    )
    return verdict(wrong, f"{file} is identical to {expected.name}")


@evaluator
def listing_equals(
    evidence: Path,
    *,
    file: EvidenceName,
    paths: list[str],
    ignore: list[str] | None = None,
) -> Score:
    """The file lists exactly these paths, one per line in any order.

    Meant for listings that a task collects with `list`. `ignore` names paths that may be listed or
    not.
    """
    listed = {line for line in read_text(evidence, file).splitlines() if line.strip()}
    listed -= set(ignore or [])
    wrong = [f"{path} is missing" for path in sorted(set(paths) - listed)]
    wrong += [f"{shown(path)} should not be there" for path in sorted(listed - set(paths))]
    return verdict(wrong, f"{file} lists all {len(paths)} paths and no others")


@evaluator
def archive_holds(
    evidence: Path,
    *,
    file: EvidenceName,
    files: dict[str, TaskFile],
    texts: dict[str, str] | None = None,
    inside: list[str] | None = None,
) -> Score:
    """The archive holds exactly these files, and each has the bytes of a file of the task.

    `files` gives the task's file by the path in the archive; `texts` the text of further files,
    apart from blanks at line ends and empty lines at the end. `inside` names folders of the archive
    that may hold it all: packing a folder or what is in it is then equally right.
    """
    packed = members(read(evidence, file), file)
    for folder in inside or []:
        prefix = folder.rstrip("/") + "/"
        if packed and all(name.startswith(prefix) for name in packed):
            packed = {name.removeprefix(prefix): content for name, content in packed.items()}
            break
    packed = {posixpath.normpath(name): content for name, content in packed.items()}
    expected = files.keys() | (texts or {}).keys()
    wrong = [f"{shown(name)} is missing from {file}" for name in sorted(expected - packed.keys())]
    wrong += [f"{shown(name)} should not be in {file}" for name in sorted(packed.keys() - expected)]
    wrong += [
        f"{shown(name)} in {file} is another file than {path.name}"
        for name, path in files.items()
        if name in packed and packed[name] != path.read_bytes()
    ]
    wrong += [
        f"{shown(name)} in {file} has another text"
        for name, text in (texts or {}).items()
        if name in packed and _trimmed(packed[name].decode(errors="replace")) != _trimmed(text)
    ]
    return verdict(wrong, f"{file} holds the {len(expected)} expected files")


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines()).rstrip("\n")


def _digest(content: bytes) -> str:
    return f"{len(content)} bytes, sha256 {hashlib.sha256(content).hexdigest()[:12]}"
