"""Opens the machines of a run, from the provider that its options name."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Protocol, cast

from cyclopts import Parameter

from ambidex.host.errors import UsageError
from ambidex.host.named import named_in
from ambidex.host.runs import providers
from ambidex.vm import Machine

__all__ = ["MachineOptions", "Provider", "Source", "open_machines", "provider_named"]


@Parameter(name="*")
@dataclass(frozen=True)
class MachineOptions:
    """Which machines, and how many."""

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

    def __post_init__(self) -> None:
        for name, value, most in (("machines", self.machines, 4096), ("cpus", self.cpus, 256)):
            if not 1 <= value <= most:
                raise UsageError(f"--{name} must be between 1 and {most}, not {value}")


@dataclass(frozen=True)
class Source:
    """Machines to be had, and the identity of what they run, for the record."""

    make: Callable[[], Machine]
    image: str
    provider: str


class Provider(Protocol):
    """Where machines come from: a module of `host.runs.providers`, or any object of yours."""

    forks: bool
    """Whether its machines can be forked and kept while they run."""

    def open(
        self, options: MachineOptions, say: Callable[[str], None], code: Path | None
    ) -> AbstractContextManager[Source]:
        """The machines; all are gone afterwards, whatever happened. `code` is the folder whose
        guest/ and mcp_tools/ they run, where it is not this one's."""


def provider_named(name: str) -> Provider:
    """The provider of that name, or what `module:attribute` names; `UsageError` lists those there
    are."""
    found = named_in(providers, "PROVIDER", "provider", name)
    if not hasattr(found, "forks") or not hasattr(found, "open"):
        raise UsageError(f"{name} is not a provider: it needs `forks` and `open`")
    return cast(Provider, found)


def open_machines(
    options: MachineOptions, say: Callable[[str], None], *, code: Path | None = None
) -> AbstractContextManager[Source]:
    """The machines of the provider that the options name, see `Provider.open`."""
    return provider_named(options.provider).open(options, say, code)
