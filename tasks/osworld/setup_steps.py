"""The 13 kinds of step by which a task of OSWorld is set up and its end state brought out.

They are as tolerant as OSWorld is where its files are: a flag is whatever is true to Python, and
so the text "false" is true.
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


def _truth(said: object) -> bool:
    return bool(said)


Flag = Annotated[bool, BeforeValidator(_truth)]
"""True wherever Python takes it for true."""

Command: TypeAlias = str | list[str]


class Said(BaseModel):
    """One step; a parameter that OSWorld does not know ends its setup, so it is wrong here too."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def argv_of(command: Command, shell: bool, *, launched: bool = False) -> list[str]:
    """What is run: OSWorld splits a text by shell rules, one that is only launched at blanks, and
    gives a list to a shell as that shell's own arguments. `ValueError` where it cannot be split."""
    if shell:
        return ["/bin/sh", "-c", *([command] if isinstance(command, str) else command)]
    if isinstance(command, list):
        return command
    if launched and len(command.split()) > 1:
        return command.split()
    return shlex.split(command)


def _splits(command: Command) -> Command:
    if not command or (isinstance(command, str) and not command.strip()):
        raise ValueError("an empty command")
    return command


Run = Annotated[Command, AfterValidator(_splits)]


class Remote(Said):
    """A file at a URL, and where it goes in the guest."""

    url: Annotated[str, Field(min_length=1)]
    path: Annotated[str, Field(min_length=1)]
    """Relative ones begin at the desktop user's home."""


class Download(Said):
    """Put files of the benchmark into the guest."""

    type: Literal["download"]
    files: list[Remote]


class Launch(Said):
    """Start a program and leave it running."""

    type: Literal["launch"]
    command: Run
    shell: Flag = False


class Open(Said):
    """Open a file with its application, and go on once a window shows it."""

    type: Literal["open"]
    path: Annotated[str, Field(min_length=1)]


class Until(Said):
    """What ends a command that is repeated."""

    returncode: int | None = None
    stdout: str | None = None
    stderr: str | None = None

    @property
    def asked(self) -> bool:
        """Whether anything is waited for."""
        return any(value is not None for value in vars(self).values())

    def holds(self, returncode: int | None, stdout: str, stderr: str) -> bool:
        """Whether this is how it ended."""
        return (
            (self.returncode is not None and returncode == self.returncode)
            or (self.stdout is not None and self.stdout in stdout)
            or (self.stderr is not None and self.stderr in stderr)
        )


class Execute(Said):
    """Run a command to its end; what it writes may be kept under a name."""

    type: Literal["execute", "command"]
    command: Run
    shell: Flag = False
    stdout: str = ""
    stderr: str = ""
    until: Until | None = None


class ActivateWindow(Said):
    """Bring a window to the front; where there is none, nothing happens."""

    type: Literal["activate_window"]
    window_name: Annotated[str, Field(min_length=1)]
    strict: Flag = False
    """The whole title as it is, not a part in any case."""
    by_class: Flag = False
    """The name is `instance.Class`."""


class CloseWindow(Said):
    """Ask a window to close; where there is none, nothing happens."""

    type: Literal["close_window"]
    window_name: Annotated[str, Field(min_length=1)]
    strict: Flag = False
    by_class: Flag = False


class OpenTabs(Said):
    """Open pages in the browser that runs; the tab it began with is closed."""

    type: Literal["chrome_open_tabs"]
    urls_to_open: list[str]


class CloseTabs(Said):
    """Close the tabs with these pages."""

    type: Literal["chrome_close_tabs"]
    urls_to_close: list[str]


class Sleep(Said):
    """A pause: how long OSWorld gives to whatever was begun before it."""

    type: Literal["sleep"]
    seconds: Annotated[float, Field(ge=0)]


class GoogleDrive(BaseModel):
    """Change what lies in a Google Drive; not carried out here."""

    model_config = ConfigDict(extra="allow", frozen=True)
    type: Literal["googledrive"]
    settings_file: str = ""
    operation: list[str] = []
    args: list[Any] = []


class Login(BaseModel):
    """Log in to a Google account; not carried out here."""

    model_config = ConfigDict(extra="allow", frozen=True)
    type: Literal["login"]
    settings_file: str
    platform: str = ""


class Visit(Said):
    """A page that was visited."""

    url: str
    title: str
    visit_time_from_now_in_seconds: float


class BrowseHistory(Said):
    """Give the browser a history."""

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
    """The step; pydantic's error where it is none."""
    return ADAPTER.validate_python({**parameters, "type": kind})


def kinds_of(models: Iterable[type[BaseModel]]) -> frozenset[str]:
    """The names of all kinds, as their models say them."""
    return frozenset(
        name
        for model in models
        for name in model.model_fields["type"].annotation.__args__  # type: ignore[union-attr]
    )


STEPS = kinds_of(Step.__args__)
"""The names of all steps."""
