"""The schema of a task's `meta.json`: upstream's keys, and `ambidex` for tasks of our own.

    "ambidex": {"services": ["database"], "tool_apps": ["database"], "setup": [...],
                "useful_tools": [...], "oracle": [...], "near_miss": [...]}

Upstream ignores that key, so such a task also loads there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ambidex.evaluators.bounded import BoundsError, parse_json
from ambidex.evaluators.strict import Strict, key_path, problems_of
from ambidex.tasks import Problem, WrongTaskError
from ambidex.tasks.spec import NearMiss, Oracle, Setup

__all__ = ["Meta", "OwnKeys", "read_meta"]

STEPS = (("ambidex", "setup"),)
"""Where pydantic adds the kind of a task step to the location of a problem."""


class OwnKeys(Strict):
    """What a task of our own adds: its services and setup, and the solutions that prove it. By
    default, services and apps are those of the service folder."""

    services: tuple[str, ...] | None = None
    tool_apps: tuple[str, ...] | None = None
    setup: tuple[Setup, ...] = ()
    useful_tools: tuple[str, ...] = ()
    oracle: tuple[Oracle, ...] = ()
    near_miss: tuple[NearMiss, ...] = ()


class Upstream(BaseModel):
    """A part of the file with keys of upstream's, of which only some matter here."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class StateMeta(Upstream):
    """The initial state, as upstream's site shows it."""

    stateType: Literal["text", "url", "video"] | None = None
    stateUrl: str | None = None


class Meta(Upstream):
    """The whole file."""

    task_id: Annotated[str, Field(min_length=1)]
    category_id: Annotated[str, Field(min_length=1)]
    meta_data: StateMeta = StateMeta()
    ambidex: OwnKeys | None = None


def read_meta(path: Path) -> Meta:
    """Read a `meta.json`; `WrongTaskError` names every problem."""
    try:
        return Meta.model_validate(parse_json(path.read_bytes()))
    except FileNotFoundError:
        raise WrongTaskError((Problem(path, "", "the file is missing"),)) from None
    except BoundsError as error:
        raise WrongTaskError((Problem(path, "", str(error)),)) from None
    except ValidationError as error:
        problems = []
        for place, message in problems_of(error):
            parts = (*place[:3], *place[4:]) if place[:2] in STEPS else place
            problems.append(Problem(path, key_path(parts), message))
        raise WrongTaskError(tuple(problems)) from None
