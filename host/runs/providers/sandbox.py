"""Desktops in Linux namespaces, at the speed of this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ambidex.host.runs.machines import MachineOptions, Source

__all__ = ["PROVIDER"]


class Sandbox:
    """Sandboxes of an image; they cannot be forked while they run."""

    forks = False

    @contextmanager
    def open(
        self, options: MachineOptions, say: Callable[[str], None], code: Path | None
    ) -> Iterator[Source]:
        """Sandboxes of an image."""
        from ambidex.vm.building.image import open_image
        from ambidex.vm.sandbox.provider import SandboxProvider

        image = open_image(options.image, say=say, **({"code": code} if code else {}))
        with SandboxProvider(spares=options.machines, say=say) as provider:
            yield Source(
                lambda: provider.machine(image), f"{image.base.name}:{image.id}", "sandbox"
            )


PROVIDER = Sandbox()
