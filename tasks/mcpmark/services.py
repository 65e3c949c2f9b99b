"""MCPMark's services, read from `services.toml`: states, keys, and what the verifiers are told."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from ambidex.evaluators.strict import Strict
from ambidex.tasks.survey import Net

__all__ = ["Service", "Services", "StateFile", "StateKind", "read_services"]

StateKind = Literal["folder", "database", "repository", "pages", "site", "none"]
"""folder: of files, on the guest's service. database: of its PostgreSQL. repository: in the user's
organization on GitHub. pages: in the user's workspace on Notion. site: one of WebArena's, at an
address of the user. none: nothing to prepare."""


class StateFile(Strict):
    """A file with the initial state: a ZIP archive, a dump for `pg_restore`, or SQL for `psql`."""

    url: str
    form: Literal["zip", "dump", "sql"]


class Service(Strict):
    """What the tasks in one of MCPMark's service folders need."""

    services: tuple[str, ...] = ()
    """Services of the image."""
    apps: tuple[str, ...]
    """The apps whose tools are offered."""
    state: StateKind
    net: Net = "offline"
    keys: tuple[str, ...] = ()
    """Environment variables of the host that must be set."""
    sites: dict[str, str] = Field(default={})
    """By category, the environment variable with the address of its site: `{site}`."""
    arguments: tuple[str, ...] = ()
    environment: dict[str, str] = Field(default={})
    seconds: Annotated[float, Field(gt=0)] = 300
    """The time limit of a verifier."""
    instruction: str = ""
    """A sentence that follows the description."""
    shared: tuple[str, ...] = ()
    """Patterns of further files that the verifiers import, relative to the folder of services."""
    public: tuple[str, ...] = ()
    """Categories whose repository is public and may run workflows."""
    files: dict[str, tuple[StateFile, ...]] = Field(default={})
    """Files with the initial state, by its name: the first that is available is used."""


class Services(Strict):
    """The whole file."""

    every: dict[str, str]
    """Variables of every verifier."""
    environment: dict[str, dict[str, str]]
    """Further variables, by app."""
    folders: dict[str, dict[str, str]]
    """Variables with folders of the guest, by app."""
    libraries: tuple[str, ...]
    """Python's modules for verifiers that the images have."""
    service: dict[str, Service]


@cache
def read_services() -> Services:
    """All services; a task's folder names one of them."""
    text = Path(__file__).with_name("services.toml").read_text(encoding="utf-8")
    return Services.model_validate(tomllib.loads(text))
