"""Snapshots inside the disk file, for a QEMU that cannot fork: `savevm` to save, `loadvm` to
revert.

    <snapshot>/disk.qcow2     an overlay that also holds the machine's memory and devices
               snapshot.json

Every machine starts from a copy of that overlay and reverts in place. This is slower than a fork,
and machines do not share memory; otherwise the guarantees are the same.
"""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from ambidex.vm import MachineError
from ambidex.vm.building.image import Image
from ambidex.vm.machines.domain import Shape
from ambidex.vm.machines.hypervisor import hmp
from ambidex.vm.machines.instance import Instance, launch
from ambidex.vm.machines.owner import LibvirtOwner
from ambidex.vm.machines.snapshot import Snapshot, take_file, write_snapshot
from ambidex.vm.process import run
from ambidex.vm.store import forget, locked

__all__ = ["inplace_folder", "revert_inplace", "save_inplace", "save_template", "start_inplace"]

PARTS = ("disk.qcow2",)


def inplace_folder(forks: Path) -> Path:
    """The folder of such snapshots, next to `forks`, the folder of snapshots that can be forked."""
    return forks.with_name(f"{forks.name}-loadvm")


def _monitor_command(instance: Instance, line: str) -> None:
    output = hmp(instance.domain, line).strip()
    if output:  # savevm and loadvm print nothing when they succeed
        raise MachineError(f"QEMU refused {line!r}: {output}")


def save_template(instance: Instance, image: Image, staging: Path, name: str) -> None:
    """Save a machine into its own disk, move that to `staging`, and end the machine."""
    start = time.monotonic()
    instance.domain.suspend()
    _monitor_command(instance, f"savevm {name}")
    paused = time.monotonic() - start
    instance.domain.destroy()
    take_file(instance.disk, staging / "disk.qcow2")
    _describe(staging, name, image, instance, paused)


def _describe(staging: Path, name: str, image: Image, instance: Instance, paused: float) -> None:
    token, shape = instance.door.token, instance.shape
    write_snapshot(staging, name, image, token, shape, PARTS, stood_still=paused)


def start_inplace(
    owner: LibvirtOwner, snapshot: Snapshot, image: Image, shape: Shape, *, network: bool
) -> Instance:
    """Start a machine in the snapshot's state, on a copy of its disk and with a new identity."""
    folder = owner.folder()
    disk = folder / "disk.qcow2"
    copy = ["cp", "--reflink=auto", "--sparse=always", snapshot.disk, disk]
    run(copy, what="copying a snapshot")
    instance = launch(
        owner,
        image,
        shape,
        token=snapshot.token,
        backing=image.base.disk,
        memory=None,
        disk=disk,
        network=network,
        extra=("-loadvm", snapshot.name),
    )
    return _renew(instance)


def revert_inplace(instance: Instance, snapshot: Snapshot) -> Instance:
    """Revert a running QEMU to the snapshot's state, with a new identity."""
    instance.domain.suspend()
    _monitor_command(instance, f"loadvm {snapshot.name}")
    instance.domain.resume()
    return _renew(instance.with_token(snapshot.token))


def _renew(instance: Instance) -> Instance:
    try:
        return instance.with_door(instance.door.renew())
    except BaseException:
        instance.close()
        raise


def save_inplace(instance: Instance, image: Image, final: Path) -> None:
    """Save a running machine under the name of the folder `final`: in its own disk, and in `final`
    as a copy of that disk for later machines.
    """
    name = final.name
    staging = final.with_name(f".{name}.partial")
    with locked(final.with_name(f".{name}.lock")):
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir(parents=True)
        start = time.monotonic()
        instance.domain.suspend()
        try:
            _monitor_command(instance, f"savevm {name}")
            run(
                ["cp", "--sparse=always", instance.disk, staging / "disk.qcow2"],
                what="copying a snapshot",
            )
        finally:
            instance.domain.resume()
        _describe(staging, name, image, instance, time.monotonic() - start)
        forget(final)
        staging.rename(final)
