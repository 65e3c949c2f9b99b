"""A repository as MCPMark's archives hold it: its history, issues and pull requests.

<archive>/<folder>/meta.json       name and default branch
                   issues.json     issues with their comments, in the order of their creation
                   pulls.json      pull requests; a branch of a fork is kept under another name
                   repo/           a clone
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ambidex.evaluators.bounded import BoundsError, parse_json
from ambidex.evaluators.strict import explain
from ambidex.host.errors import StageError

__all__ = ["Comment", "Issue", "Pull", "Template", "unpacked", "without_mentions"]

T = TypeVar("T")
Text = Annotated[str, Field(max_length=1 << 20)]
MENTION = re.compile(r"(?<![a-zA-Z0-9])@([a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)")


class _Record(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Comment(_Record):
    """A comment and the name of its author, who is not the one who will write it again."""

    user: str
    body: Text | None

    def text(self, kind: str = "") -> str:
        """The comment with its author's name, as MCPMark words it."""
        return f"*Original author: @{self.user}*{kind}\n\n{self.body or ''}"


class Issue(_Record):
    """An issue."""

    title: Text
    body: Text | None = ""
    labels: tuple[str, ...] = ()
    state: str = "open"
    comments: tuple[Comment, ...] = ()


class Pull(_Record):
    """An open pull request."""

    title: Text
    body: Text | None = ""
    head: str
    base: str
    local_branch: str = ""
    """The branch with its commits, if they came from a fork."""
    is_from_fork: bool = False
    fork_owner: str | None = ""
    fork_repo: str | None = ""
    comments: tuple[Comment, ...] = ()
    review_comments: tuple[Comment, ...] = ()

    def text(self) -> str:
        """Its description; of a fork's, with a note of where it came from, as MCPMark words it."""
        if not self.is_from_fork:
            return self.body or ""
        origin = f"**{self.fork_owner}/{self.fork_repo}** (branch: `{self.head}`)"
        note = f"---\n_This PR was originally from a fork: {origin}_"
        return f"{self.body}\n\n{note}" if self.body else note


class Meta(_Record):
    """`meta.json`."""

    repo: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,100}$")]
    default_branch: Annotated[str, Field(pattern=r"^[A-Za-z0-9._/-]{1,200}$")] = "main"


@dataclass(frozen=True)
class Template:
    """An unpacked archive."""

    meta: Meta
    issues: tuple[Issue, ...]
    pulls: tuple[Pull, ...]
    repository: Path
    """The clone."""


@contextmanager
def unpacked(archive: Path) -> Iterator[Template]:
    """Unpack an archive for the block. `StageError` if it is not of this form."""
    with TemporaryDirectory(prefix="ambidex-repository-") as name:
        try:
            with zipfile.ZipFile(archive) as file:
                file.extractall(name)
        except (zipfile.BadZipFile, OSError) as error:
            raise StageError(f"{archive} cannot be unpacked: {error}") from None
        found = [path.parent for path in sorted(Path(name).glob("*/meta.json"))]
        if len(found) != 1 or not (found[0] / "repo").is_dir():
            raise StageError(f"{archive} holds no repository: one folder with meta.json and repo/")
        folder = found[0]
        yield Template(
            _read(folder / "meta.json", TypeAdapter(Meta)),
            _read(folder / "issues.json", TypeAdapter(tuple[Issue, ...])),
            _read(folder / "pulls.json", TypeAdapter(tuple[Pull, ...])),
            folder / "repo",
        )


def _read(path: Path, form: TypeAdapter[T]) -> T:
    try:
        return form.validate_python(parse_json(path.read_bytes()))
    except (OSError, BoundsError) as error:
        raise StageError(f"{path.name} of a repository cannot be read: {error}") from None
    except ValidationError as error:
        raise StageError(f"{path.name} of a repository: {explain(error)}") from None


def without_mentions(text: str) -> str:
    """The text with every @name changed into one that no account has: GitHub would write to the
    people. Unlike MCPMark's, whose names are drawn at random, the result is always the same."""

    def changed(match: re.Match[str]) -> str:
        digest = hashlib.sha256(match[1].encode()).hexdigest()[:4]
        return f"@{match[1]}_{digest}"

    return MENTION.sub(changed, text)
