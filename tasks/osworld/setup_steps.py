"""The 13 types of OSWorld's steps for setup and for actions after the episode.

They are as tolerant as OSWorld's files require: a flag is any value that is true in Python, so the
text "false" is true.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter

__all__ = [
    "STEPS",
    "ActivateWindow",
    "BrowseHistory",
    "CloseTabs",
    "CloseWindow",
    "Download",
    "Execute",
    "Flag",
    "GoogleDrive",
    "Launch",
    "Login",
    "Open",
    "OpenTabs",
    "Sleep",
    "Step",
    "argv_of",
    "kinds_of",
    "parse_step",
]


def _truth(value: object) -> bool:
    return bool(value)


Flag = Annotated[bool, BeforeValidator(_truth)]
"""True for any value that is true in Python."""

Command: TypeAlias = str | list[str]


class BaseStep(BaseModel):
    """Base of all steps. An unknown parameter ends OSWorld's setup, so it is an error here too."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def argv_of(command: Command, shell: bool, *, launched: bool = False) -> list[str]:
    """The argument list to run. OSWorld splits a text by shell rules, or at blanks if it is
    launched, and passes a list to a shell as that shell's own arguments. Raises `ValueError` if the
    text cannot be split."""
    if shell:
        return ["/bin/sh", "-c", *([command] if isinstance(command, str) else command)]
    if isinstance(command, list):
        return command
    if launched and len(command.split()) > 1:
        return command.split()
    return shlex.split(command)


def _check_not_empty(command: Command) -> Command:
    if not command or (isinstance(command, str) and not command.strip()):
        raise ValueError("the command is empty")
    return command


Run = Annotated[Command, AfterValidator(_check_not_empty)]


class Remote(BaseStep):
    """A file at a URL and its destination in the guest."""

    url: Annotated[str, Field(min_length=1)]
    path: Annotated[str, Field(min_length=1)]
    """A relative path starts at the desktop user's home."""


class Download(BaseStep):
    """Copy files of the benchmark to the guest."""

    type: Literal["download"]
    files: list[Remote]


class Launch(BaseStep):
    """Start a program and leave it running."""

    type: Literal["launch"]
    command: Run
    shell: Flag = False


class Open(BaseStep):
    """Open a file with its default application and wait for a window that shows it."""

    type: Literal["open"]
    path: Annotated[str, Field(min_length=1)]


class Until(BaseStep):
    """The condition that ends the repetition of a command."""

    returncode: int | None = None
    stdout: str | None = None
    stderr: str | None = None

    @property
    def asked(self) -> bool:
        """Whether there is a condition."""
        return any(value is not None for value in vars(self).values())

    def holds(self, returncode: int | None, stdout: str, stderr: str) -> bool:
        """Whether the outcome of the command satisfies the condition."""
        return (
            (self.returncode is not None and returncode == self.returncode)
            or (self.stdout is not None and self.stdout in stdout)
            or (self.stderr is not None and self.stderr in stderr)
        )


class Execute(BaseStep):
    """Run a command to completion; its output can be stored under a name."""

    type: Literal["execute", "command"]
    command: Run
    shell: Flag = False
    stdout: str = ""
    stderr: str = ""
    until: Until | None = None


class ActivateWindow(BaseStep):
    """Bring a window to the front, if it exists."""

    type: Literal["activate_window"]
    window_name: Annotated[str, Field(min_length=1)]
    strict: Flag = False
    """Match the whole title exactly instead of a part in any case."""
    by_class: Flag = False
    """The name is a window class, `instance.Class`."""


class CloseWindow(BaseStep):
    """Ask a window to close, if it exists."""

    type: Literal["close_window"]
    window_name: Annotated[str, Field(min_length=1)]
    strict: Flag = False
    by_class: Flag = False


class OpenTabs(BaseStep):
    """Open pages in the running browser and close its initial tab."""

    type: Literal["chrome_open_tabs"]
    urls_to_open: list[str]


class CloseTabs(BaseStep):
    """Close the tabs with these URLs."""

    type: Literal["chrome_close_tabs"]
    urls_to_close: list[str]


class Sleep(BaseStep):
    """A pause: the time that OSWorld allows for the preceding steps to take effect."""

    type: Literal["sleep"]
    seconds: Annotated[float, Field(ge=0)]


class GoogleDrive(BaseModel):
    """Change files in a Google Drive; not supported here."""

    model_config = ConfigDict(extra="allow", frozen=True)
    type: Literal["googledrive"]
    settings_file: str = ""
    operation: list[str] = []
    args: list[Any] = []


class Login(BaseModel):
    """Log in to a Google account; not supported here."""

    model_config = ConfigDict(extra="allow", frozen=True)
    type: Literal["login"]
    settings_file: str
    platform: str = ""


class Visit(BaseStep):
    """A visited page."""

    url: str
    title: str
    visit_time_from_now_in_seconds: float


class BrowseHistory(BaseStep):
    """Write the browser's history."""

    type: Literal["update_browse_history"]
    history: list[Visit]


Step: TypeAlias = (
    Download
    | Launch
    | Open
    | Execute
    | ActivateWindow
    | CloseWindow
    | OpenTabs
    | CloseTabs
    | Sleep
    | GoogleDrive
    | Login
    | BrowseHistory
)
ADAPTER: TypeAdapter[Step] = TypeAdapter(Annotated[Step, Field(discriminator="type")])


def parse_step(kind: str, parameters: dict[str, object]) -> Step:
    """Validate a step; raises pydantic's `ValidationError`."""
    return ADAPTER.validate_python({**parameters, "type": kind})


def kinds_of(models: Iterable[type[BaseModel]]) -> frozenset[str]:
    """The values of `type` in all models."""
    return frozenset(
        name
        for model in models
        for name in model.model_fields["type"].annotation.__args__  # type: ignore[union-attr]
    )


STEPS = kinds_of(Step.__args__)
"""The names of all types of steps."""
