"""Evaluators of archives: zip, and tar whether compressed or not. Nothing is unpacked to disk."""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import Annotated

from pydantic import Field

from ambidex.evaluators import Score
from ambidex.evaluators.evidence import read
from ambidex.evaluators.members import members
from ambidex.evaluators.registry import EvidenceName, TaskFile, evaluator
from ambidex.evaluators.values import shown, verdict

__all__ = ["members_equal"]


@evaluator
def members_equal(
    evidence: Path,
    *,
    file: EvidenceName,
    files: Annotated[dict[str, TaskFile], Field(min_length=1)],
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
        if name in packed and _lines(packed[name].decode(errors="replace")) != _lines(text)
    ]
    return verdict(wrong, f"{file} holds the {len(expected)} expected files")


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().splitlines()]
