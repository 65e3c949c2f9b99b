"""What a guest answers over its harness door, as checked values, and the errors it can give."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from ambidex.host.errors import GuestError
from ambidex.host.untrusted.parsing import WIDEST

__all__ = [
    "Check",
    "Explanation",
    "FoundFile",
    "GuestRefusalError",
    "Health",
    "Inventory",
    "Listing",
    "NoSuchFileError",
    "NoSuchWindowError",
    "Ran",
    "Refusal",
    "Started",
    "Whole",
]

Side = Annotated[int, Field(gt=0, le=WIDEST)]


class GuestRefusalError(GuestError):
    """The guest was asked for what it cannot do: no such program, a folder instead of a file."""


class NoSuchFileError(GuestError):
    """The guest has no such file."""


class NoSuchWindowError(GuestError):
    """No window with that title came up in time; the message names those that were seen."""


class Check(BaseModel):
    """One thing a guest must have to be ready."""

    ok: bool
    seen: str = Field("", max_length=10_000)


class Health(BaseModel):
    """The guest's own report."""

    model_config = ConfigDict(extra="ignore")

    ready: bool
    checks: dict[str, Check] = Field({}, max_length=1000)
    screen: tuple[Side, Side] | None = None
    catalogue: str = Field("", max_length=1000)
    """SHA-256 of the tools it serves."""
    user: str = Field("", max_length=1000)
    agent_is_root: bool = False
    """Whether the desktop user may become root."""

    def missing(self) -> str:
        """What is not ready, in words."""
        return "; ".join(f"{name}: {it.seen}" for name, it in self.checks.items() if not it.ok)


class FoundFile(BaseModel):
    """What the guest's collector found at a path."""

    model_config = ConfigDict(extra="ignore")

    state: Literal["file", "absent", "folder", "link", "special", "unreadable", "too_large"]
    size: int = Field(0, ge=0)
    content: bytes = b""


class Listing(BaseModel):
    """Every path below a folder of the guest."""

    model_config = ConfigDict(extra="ignore")

    there: bool
    paths: tuple[str, ...]
    more: bool
    """Whether there are others."""


class Inventory(BaseModel):
    """Every file of the guest's desktop user by its path."""

    model_config = ConfigDict(extra="ignore")

    files: dict[str, str]
    refused: str
    """Why there are others, or may be; empty where there are none."""


class Ran(BaseModel):
    """How a program in the guest ended."""

    model_config = ConfigDict(extra="ignore")

    returncode: int | None = None
    """Negative for a signal; None for a program left in the background."""
    stdout: str = ""
    stderr: str = ""
    timed_out: bool = False
    truncated: bool = False
    """Whether the guest cut one of the outputs."""
    pid: int | None = None
    """Of a program left in the background."""


class Whole(Ran):
    """Of a program that was waited for. A guest that leaves out how it ended must not pass for one
    that says all went well."""

    returncode: int
    stdout: str
    stderr: str


class Started(Ran):
    """Of a program that was left in the background."""

    pid: int


class Explanation(BaseModel):
    """The error in an answer with a status of 400 and above."""

    message: str
    hint: str = ""


class Refusal(BaseModel):
    """That answer."""

    error: Explanation
