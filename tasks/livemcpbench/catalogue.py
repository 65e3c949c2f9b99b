"""LiveMCPBench's files: annotations of tasks, the catalogue of servers, and what each server
needs."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ambidex.evaluators.bounded import BoundsError, parse_json
from ambidex.evaluators.strict import Strict, explain
from ambidex.tasks import Problem, TaskError

__all__ = [
    "Annotation",
    "Checkout",
    "Needs",
    "checkout_of",
    "read_file",
    "read_needs",
    "read_servers",
]

T = TypeVar("T")


class Upstream(BaseModel):
    """A record of upstream's files: fields that are not used here are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)


class Metadata(Upstream):
    """What an annotator wrote about a task."""

    steps: str = Field(alias="Steps")
    """The key points, as a numbered list."""
    tools: str = Field(alias="Tools")
    """The tools that the annotator used, as a numbered list."""


class Annotation(Upstream):
    """One task."""

    task_id: str = Field(pattern=r"^[0-9a-f]{8}-[0-9a-f-]+$")
    question: str = Field(alias="Question", min_length=1)
    category: str
    file_name: str = ""
    """Paths of its input files below /root, with commas."""
    metadata: Metadata = Field(alias="Annotator Metadata")


class CatalogueTool(Upstream):
    """One tool of a server."""

    name: str
    description: str | None = None


class Server(Upstream):
    """One server's tools."""

    server_name: str
    tools: tuple[CatalogueTool, ...]


class CatalogueEntry(Upstream):
    """One entry of `tools.json`."""

    tools: dict[str, Server]


class Needs(Strict):
    """`needs.toml`: further input files of tasks; which servers work without a network, which need
    it, and which cannot be had."""

    inputs: tuple[str, ...]
    local: tuple[str, ...]
    web: tuple[str, ...]
    unavailable: dict[str, str]


@dataclass(frozen=True)
class Checkout:
    """The files of a checkout of LiveMCPBench."""

    annotations: Path
    tools: Path
    data: Path
    """The folder with the tasks' input files, which the tasks know as /root."""


def checkout_of(folder: Path) -> Checkout | None:
    """The files of a checkout, or of a folder that holds both JSON files; None if it is neither."""
    for data, tools in (("annotated_data", "tools/LiveMCPTool/tools.json"), (".", "tools.json")):
        annotations = folder / data / "all_annotations.json"
        if annotations.is_file() and (folder / tools).is_file():
            return Checkout(annotations, folder / tools, folder / data)
    return None


def read_file(path: Path, form: type[T] | Any) -> Any:
    """Read a JSON file in this form; `TaskError` says what is wrong with it."""
    try:
        return TypeAdapter(form).validate_python(parse_json(path.read_bytes()))
    except (OSError, BoundsError) as error:
        raise TaskError((Problem(path, "", f"cannot be read: {error}"),)) from None
    except ValidationError as error:
        raise TaskError((Problem(path, "", explain(error, most=3)),)) from None


@cache
def read_servers(path: Path) -> tuple[Server, ...]:
    """The servers of the catalogue `tools.json`."""
    entries: tuple[CatalogueEntry, ...] = read_file(path, tuple[CatalogueEntry, ...])
    return tuple(server for entry in entries for server in entry.tools.values())


@cache
def read_needs() -> Needs:
    """What LiveMCPBench's tasks and servers need."""
    text = (Path(__file__).parent / "needs.toml").read_text(encoding="utf-8")
    return Needs.model_validate(tomllib.loads(text))
