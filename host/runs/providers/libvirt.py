"""The provider `libvirt`: virtual machines. Heavy modules are imported only when machines are
opened, since reporting must work without libvirt."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ambidex.host.runs.machines import MachineOptions, Source

__all__ = ["PROVIDER"]


class Libvirt:
    """QEMU machines that are started from a snapshot and can be forked."""

    def forks(self, image: str) -> bool:
        """See `Provider`."""
        return True

    @contextmanager
    def open(
        self, options: MachineOptions, say: Callable[[str], None], code: Path | None
    ) -> Iterator[Source]:
        """See `Provider`. The image's snapshot is made here if it is missing, so that no trial's
        time includes it."""
        from ambidex.vm.building.image import open_image, with_screen
        from ambidex.vm.provider import LibvirtProvider
        from ambidex.vm.store import build_of

        image = open_image(options.image, say=say, **({"code": code} if code else {}))
        image = with_screen(image, options.screen_size)
        with LibvirtProvider(
            uri=options.uri,
            accel=options.accel,
            cpus=options.cpus,
            spares=options.spares,
            say=say,
        ) as provider:
            snapshot = provider.snapshot(image)
            yield Source(
                lambda: provider.machine(image, network=options.network),
                f"{image.base.name}:{image.id}",
                "libvirt",
                base=build_of(snapshot.folder) if provider.forks else "",
                accelerator="kvm" if provider.shape(image).kind == "kvm" else "tcg",
                guest_code=image.layer_id,
                network=options.network,
            )


PROVIDER = Libvirt()
