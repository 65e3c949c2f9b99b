"""Where the machines of a run come from, by the name of a provider."""

from __future__ import annotations

import os
import typing
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from host.errors import UsageError
from vm import Machine, MachineError, Place, Program

if typing.TYPE_CHECKING:
    from vm.building.image import Image

__all__ = ["FORKS", "Attached", "MachineOptions", "Source", "open_machines"]

FORKS = frozenset({"libvirt"})
"""Providers whose machines can be forked while they run."""

ENDPOINT, TOKEN = "AMBIDEX_TEST_ENDPOINT", "AMBIDEX_TEST_TOKEN"


@Parameter(name="*")
@dataclass(frozen=True)
class MachineOptions:
    """Which machines, and how many."""

    provider: Annotated[
        str, Parameter(help="libvirt, sandbox (namespaces), or attached (a running guest)")
    ] = "libvirt"
    image: Annotated[str, Parameter(help="an image that `image list` shows")] = "debian-12"
    machines: Annotated[int, Parameter(help="how many at once")] = 1
    uri: Annotated[str, Parameter(help="a libvirt URI; empty is the embedded driver")] = ""
    accel: Annotated[str, Parameter(help="auto, kvm or tcg")] = "auto"
    cpus: Annotated[int, Parameter(help="processors of each virtual machine")] = 2

    def __post_init__(self) -> None:
        for name, value, most in (("machines", self.machines, 4096), ("cpus", self.cpus, 256)):
            if not 1 <= value <= most:
                raise UsageError(f"{name} is {value}, and goes from 1 to {most}")


@dataclass(frozen=True)
class Source:
    """Machines to be had, and the identity of what they run, for the record."""

    make: Callable[[], Machine]
    image: str
    provider: str


class Attached:
    """A guest that is already running somewhere: for authors of tools and tasks.

    Nothing is reverted, so one trial sees what the last one left; such scores are not worth
    keeping.
    """

    def __init__(self, endpoint: str, token: str) -> None:
        self.endpoint = endpoint
        self.token = token
        self.vnc = ("", "")

    def boot(self) -> None:
        """Nothing: it runs."""

    def revert(self, snapshot: Place) -> None:
        """It cannot; a desktop that was frozen to read the evidence runs again."""
        from host.client.guest import Guest

        with Guest(self.endpoint, self.token) as guest:
            guest.thaw()

    def snapshot(self, name: Place, programs: Sequence[Program] = ()) -> None:
        """Refuse."""
        raise MachineError("an attached guest has no snapshots")

    def fork(self) -> AbstractContextManager[Machine]:
        """Refuse."""
        raise MachineError("an attached guest cannot be forked")

    def close(self) -> None:
        """Leave it running."""

    def console(self) -> str:
        """Nothing is known of it."""
        return ""

    def picture(self) -> bytes:
        """Refuse: there is no view from outside."""
        raise MachineError("an attached guest cannot be seen from outside")


def _named(image: Image) -> str:
    return f"{image.base.name}:{image.id}"


@contextmanager
def open_machines(
    options: MachineOptions, say: Callable[[str], None], *, code: Path | None = None
) -> Iterator[Source]:
    """The machines of a provider; all are gone afterwards, whatever happened. `code` is the folder
    whose guest/ and mcp_tools/ they run, where it is not this one's.
    """
    own = {"code": code} if code else {}
    match options.provider:
        case "attached":
            endpoint, token = os.environ.get(ENDPOINT, ""), os.environ.get(TOKEN, "")
            if not endpoint:
                raise UsageError(f"--provider attached needs {ENDPOINT} (and {TOKEN}) to be set")
            if options.machines != 1:
                raise UsageError("an attached guest is one machine")
            yield Source(lambda: Attached(endpoint, token), f"attached:{endpoint}", "attached")
        case "libvirt":
            # Heavy, and libvirt may be missing on a machine that only reports.
            from vm.building.image import open_image
            from vm.provider import LibvirtProvider

            image = open_image(options.image, say=say, **own)
            with LibvirtProvider(
                uri=options.uri,
                accel=options.accel,
                cpus=options.cpus,
                spares=options.machines,
                say=say,
            ) as provider:
                provider.snapshot(image)  # made now, where it is missing, and in no trial's time
                yield Source(lambda: provider.machine(image), _named(image), "libvirt")
        case "sandbox":
            from vm.building.image import open_image
            from vm.sandbox.provider import SandboxProvider

            image = open_image(options.image, say=say, **own)
            with SandboxProvider(spares=options.machines, say=say) as sandboxes:
                yield Source(lambda: sandboxes.machine(image), _named(image), "sandbox")
        case other:
            raise UsageError(
                f"no provider {other!r}", hint="There is libvirt, sandbox and attached."
            )
