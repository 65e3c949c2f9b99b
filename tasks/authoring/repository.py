"""Repositories of git as text: streams for `git fast-import`, from which they are made in setup."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

__all__ = ["Commit", "history"]

BEGIN = 1_790_000_000
"""The time of the first commit, in seconds since 1970; each one follows an hour after the last."""


@dataclass(frozen=True)
class Commit:
    """A commit: the texts of the files that it adds or changes, by path."""

    subject: str
    files: Mapping[str, str]
    branch: str = "main"
    begins_at: str = ""
    """The branch that a new one starts from; empty if the branch is there or is the first."""
    author: str = "Ida Holm <ida@bakery.example>"


def history(commits: Iterable[Commit]) -> str:
    """The stream of these commits. The same commits have the same hashes whenever it is read."""
    parts: list[str] = []
    for number, commit in enumerate(commits):
        moment = BEGIN + 3600 * number
        parts.append(f"commit refs/heads/{commit.branch}\n")
        parts += [f"{role} {commit.author} {moment} +0000\n" for role in ("author", "committer")]
        parts.append(_data(commit.subject))
        if commit.begins_at:
            parts.append(f"from refs/heads/{commit.begins_at}\n")
        for path, text in commit.files.items():
            parts.append(f"M 100644 inline {path}\n{_data(text)}")
    return "".join(parts)


def _data(text: str) -> str:
    return f"data {len(text.encode())}\n{text}\n"
