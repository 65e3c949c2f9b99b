"""Virtual machines under libvirt. Its modules are imported when machines are opened: they are
heavy, and libvirt is missing where runs are only reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ambidex.host.runs.machines import MachineOptions, Source

__all__ = ["PROVIDER"]


class Libvirt:
    """QEMU machines that fork from a snapshot."""

    forks = True

    @contextmanager
    def open(
        self, options: MachineOptions, say: Callable[[str], None], code: Path | None
    ) -> Iterator[Source]:
        """Machines of an image; its snapshot is made now, where it is missing, and in no trial's
        time."""
        from ambidex.vm.building.image import open_image
        from ambidex.vm.provider import LibvirtProvider

        image = open_image(options.image, say=say, **({"code": code} if code else {}))
        with LibvirtProvider(
            uri=options.uri,
            accel=options.accel,
            cpus=options.cpus,
            spares=options.machines,
            say=say,
        ) as provider:
            provider.snapshot(image)
            yield Source(
                lambda: provider.machine(image), f"{image.base.name}:{image.id}", "libvirt"
            )


PROVIDER = Libvirt()
