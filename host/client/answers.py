"""The guest's answers at the harness endpoint as validated models, and its errors."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ambidex.host.errors import GuestError
from ambidex.host.untrusted.parsing import WIDEST

__all__ = [
    "UNREADABLE",
    "Check",
    "CommandResult",
    "CompletedCommand",
    "ErrorDetail",
    "ErrorResponse",
    "FoundFile",
    "GuestRefusalError",
    "Health",
    "Inventory",
    "Listing",
    "NoSuchFileError",
    "NoSuchWindowError",
    "Question",
    "Questions",
    "StartedProcess",
    "Verification",
]


UNREADABLE = {
    "folder": "it is a folder",
    "link": "it is a symbolic link, which is not followed",
    "special": "it is a pipe, a socket or a device",
    "unreadable": "the desktop user may not read it",
    "too_large": "it is too large",
}
"""Why a path cannot be read, by the state of a `FoundFile`."""


class Verification(BaseModel):
    """How a verification program ended."""

    exit: int | None
    """Its exit status; None if it was killed because its time was up."""
    seconds: float = Field(ge=0, allow_inf_nan=False)


Side = Annotated[int, Field(gt=0, le=WIDEST)]


class GuestRefusalError(GuestError):
    """The guest refused a request that it cannot carry out: no such program, a folder instead of a
    file."""


class NoSuchFileError(GuestError):
    """The guest has no such file."""


class NoSuchWindowError(GuestError):
    """No window with the expected title opened in time; the message lists the open windows."""


class Check(BaseModel):
    """The state of one condition for a guest to be ready."""

    ok: bool
    seen: str = Field("", max_length=10_000)


class Health(BaseModel):
    """The guest's report on its own state."""

    model_config = ConfigDict(extra="ignore")

    ready: bool
    checks: dict[str, Check] = Field({}, max_length=1000)
    screen: tuple[Side, Side] | None = None
    """None while the guest is not ready, and in a guest without a desktop."""
    catalogue: str = Field("", max_length=1000)
    """SHA-256 of the tools that the guest serves."""
    user: str = Field("", max_length=1000)
    agent_is_root: bool = False
    """Whether the desktop user may become root."""

    def missing(self) -> str:
        """The failed checks, as text."""
        failed = {name: check for name, check in self.checks.items() if not check.ok}
        return "; ".join(f"{name}: {check.seen}" for name, check in failed.items())


class FoundFile(BaseModel):
    """What the guest's collector found at a path."""

    model_config = ConfigDict(extra="ignore")

    state: Literal["file", "absent", "folder", "link", "special", "unreadable", "too_large"]
    size: Annotated[int, Field(ge=0)] = 0
    content: bytes = b""


class Listing(BaseModel):
    """The paths below a folder of the guest."""

    model_config = ConfigDict(extra="ignore")

    there: bool
    paths: tuple[str, ...]
    more: bool
    """Whether the list is incomplete."""


class Inventory(BaseModel):
    """The files of the guest's desktop user, by path."""

    model_config = ConfigDict(extra="ignore")

    files: dict[str, str]
    refused: str
    """Why the list may be incomplete; empty if it is complete."""


class Question(BaseModel):
    """A question of a service. What it holds is the service's affair."""

    model_config = ConfigDict(extra="ignore")

    service: str
    id: str
    content: Any = Field(alias="with")


class Questions(BaseModel):
    """The open questions of a guest's services, and the services that may ask."""

    model_config = ConfigDict(extra="ignore")

    services: tuple[str, ...]
    questions: tuple[Question, ...]


class CommandResult(BaseModel):
    """How a program in the guest ended, or that it was started in the background."""

    model_config = ConfigDict(extra="ignore")

    returncode: int | None = None
    """Negative for a signal; None for a program left in the background."""
    stdout: str = ""
    stderr: str = ""
    timed_out: bool = False
    truncated: bool = False
    """Whether the guest truncated an output."""
    pid: int | None = None
    """Process id of a program left in the background."""


class CompletedCommand(CommandResult):
    """The result of a program that was waited for. Its fields are required, so that an answer
    without them cannot pass for success."""

    returncode: int
    stdout: str
    stderr: str


class StartedProcess(CommandResult):
    """The result of a program that was left in the background."""

    pid: int


class ErrorDetail(BaseModel):
    """An error's message and hint."""

    message: str
    hint: str = ""


class ErrorResponse(BaseModel):
    """The body of an answer with a status of 400 or above."""

    error: ErrorDetail
