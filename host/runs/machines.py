"""Open machines from a provider, as selected by command-line options."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Protocol, cast

from cyclopts import Group, Parameter

from ambidex.host.errors import UsageError
from ambidex.host.named import load_part
from ambidex.host.runs import providers
from ambidex.vm import Machine
from ambidex.vm.stages import StageStore, budget_in_bytes, stages_folder

__all__ = ["MachineOptions", "Provider", "Source", "open_machines", "provider_named", "stage_store"]


@Parameter(name="*", group=Group("Machines", sort_key=6))
@dataclass(frozen=True)
class MachineOptions:
    """Options that select the machines of a run."""

    provider: Annotated[
        str,
        Parameter(
            help="libvirt, sandbox (namespaces), attached (a running guest), or module:Class."
        ),
    ] = "libvirt"
    image: Annotated[str, Parameter(help="The image to boot; see `image list`.")] = "debian-12"
    machines: Annotated[int, Parameter(help="How many machines to run at once.")] = 1
    uri: Annotated[str, Parameter(help="A libvirt URI; by default the embedded driver.")] = ""
    accel: Annotated[str, Parameter(help="The accelerator: auto, kvm or tcg.")] = "auto"
    cpus: Annotated[int, Parameter(help="Processors of each virtual machine.")] = 2
    screen: Annotated[
        str, Parameter(help="Size of the screen, such as 1920x1080; by default the image's.")
    ] = ""
    network: Annotated[
        bool,
        Parameter(
            help="Give the guests the network of this computer, for tasks that need one."
            " Virtual machines only.",
            negative="",
        ),
    ] = False

    trials: Annotated[int | None, Parameter(parse=False)] = None
    """How many trials will be played on them, if that is known."""

    def __post_init__(self) -> None:
        for name, value, most in (("machines", self.machines, 4096), ("cpus", self.cpus, 256)):
            if not 1 <= value <= most:
                raise UsageError(f"--{name} must be between 1 and {most}, not {value}")
        if self.screen and self.screen_size is None:
            raise UsageError(
                f"--screen must be WIDTHxHEIGHT, not {self.screen!r}",
                hint="Width and height are 320 to 4096 pixels, and the width is a multiple of 8.",
            )

    @property
    def spares(self) -> int:
        """How many spares to keep: none where every machine plays only one trial."""
        return 0 if self.trials is not None and self.trials <= self.machines else self.machines

    @property
    def screen_size(self) -> tuple[int, int] | None:
        """Width and height in pixels; None for the image's, and if they are invalid."""
        match = re.fullmatch(r"(\d{3,4})x(\d{3,4})", self.screen)
        width, height = (int(match[1]), int(match[2])) if match else (0, 0)
        valid = 320 <= width <= 4096 and 320 <= height <= 4096 and width % 8 == 0
        return (width, height) if valid else None

    @property
    def forks(self) -> bool:
        """Whether these machines can be forked and have checkpoints taken while they run."""
        return provider_named(self.provider).forks(self.image)


@dataclass(frozen=True)
class Source:
    """A source of machines, with the image and provider that results are recorded under."""

    make: Callable[[], Machine]
    """Returns a new machine that is not booted yet."""
    image: str
    """Name and id of the image."""
    provider: str
    base: str = ""
    """Names the saved machine that all of them start from, such that one made anew has another
    name; empty if their state cannot be saved as a task's stage."""
    accelerator: str = ""
    """`kvm`, `tcg` (emulation) or `none` (no virtual machine); empty if unknown."""
    guest_code: str = ""
    """Digest of the guest's code and libraries; empty if unknown."""
    network: bool = False
    """Whether the guests have a network."""


class Provider(Protocol):
    """Makes machines: a module of `host.runs.providers`, or a user's own object."""

    def forks(self, image: str) -> bool:
        """Whether running machines of that image can be forked and have checkpoints taken."""

    def open(
        self, options: MachineOptions, say: Callable[[str], None], code: Path | None
    ) -> AbstractContextManager[Source]:
        """Provide machines for the block and close all of them at its end. `say` receives progress
        messages. `code` is the directory with the guest/ and mcp_tools/ to run in them; None: those
        of this installation."""


def provider_named(name: str) -> Provider:
    """Load a provider by name or `module:attribute`; `UsageError` lists the known names."""
    provider = load_part(providers, "PROVIDER", "provider", name)
    if not hasattr(provider, "forks") or not hasattr(provider, "open"):
        raise UsageError(f"{name} is not a provider: it needs `forks` and `open`")
    return cast(Provider, provider)


def stage_store(source: Source) -> StageStore | None:
    """Where the stages of tasks on these machines are saved; None if they cannot be, and with a
    budget of nothing."""
    budget = budget_in_bytes()
    return StageStore(stages_folder(), source.base, budget) if source.base and budget else None


def open_machines(
    options: MachineOptions, say: Callable[[str], None], *, code: Path | None = None
) -> AbstractContextManager[Source]:
    """Open the machines that the options select, see `Provider.open`."""
    return provider_named(options.provider).open(options, say, code)
