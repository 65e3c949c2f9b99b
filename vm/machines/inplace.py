"""Snapshots inside the disk file, for a QEMU that cannot fork: `savevm` once, `loadvm` to revert.

    <snapshot>/disk.qcow2     an overlay that holds the machine's memory and devices as well
               snapshot.json

Every machine starts from a copy of that overlay and reverts in place. Slower than a fork, and a
machine's memory is its own; otherwise the same promises.
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
from ambidex.vm.machines.snapshot import Snapshot, taken, write_snapshot
from ambidex.vm.process import run
from ambidex.vm.store import forget, locked

__all__ = ["inplace_folder", "keep_inplace", "revert_inplace", "save_template", "start_inplace"]

PARTS = ("disk.qcow2",)


def inplace_folder(forks: Path) -> Path:
    """Where such snapshots lie, beside the folder of those that fork."""
    return forks.with_name(f"{forks.name}-loadvm")


def _order(instance: Instance, line: str) -> None:
    said = hmp(instance.domain, line).strip()
    if said:  # both commands print nothing when they succeed
        raise MachineError(f"QEMU refused {line!r}: {said}")


def save_template(instance: Instance, image: Image, staging: Path, name: str) -> None:
    """Save a machine whose disk is `staging/disk.qcow2` into that disk; it does not go on."""
    start = time.monotonic()
    instance.domain.suspend()
    _order(instance, f"savevm {name}")
    stood_still = time.monotonic() - start
    instance.domain.destroy()
    taken(instance.disk, staging / "disk.qcow2")
    _written(staging, name, image, instance, stood_still)


def _written(
    staging: Path, name: str, image: Image, instance: Instance, stood_still: float
) -> None:
    token, shape = instance.door.token, instance.shape
    write_snapshot(staging, name, image, token, shape, PARTS, stood_still=stood_still)


def start_inplace(
    owner: LibvirtOwner, snapshot: Snapshot, image: Image, shape: Shape, *, network: bool
) -> Instance:
    """A machine in the snapshot's state, on a copy of its disk, with an identity of its own."""
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
    return _renewed(instance)


def revert_inplace(instance: Instance, snapshot: Snapshot) -> Instance:
    """The same QEMU, back in the snapshot's state."""
    instance.domain.suspend()
    _order(instance, f"loadvm {snapshot.name}")
    instance.domain.resume()
    return _renewed(instance.with_token(snapshot.token))


def _renewed(instance: Instance) -> Instance:
    try:
        return instance.with_door(instance.door.renew())
    except BaseException:
        instance.close()
        raise


def keep_inplace(instance: Instance, image: Image, final: Path) -> None:
    """Save a running machine under the name of the folder `final`, for itself and, by a copied
    disk there, for later ones.
    """
    name = final.name
    staging = final.with_name(f".{name}.partial")
    with locked(final.with_name(f".{name}.lock")):
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir(parents=True)
        start = time.monotonic()
        instance.domain.suspend()
        try:
            _order(instance, f"savevm {name}")
            run(
                ["cp", "--sparse=always", instance.disk, staging / "disk.qcow2"],
                what="copying a snapshot",
            )
        finally:
            instance.domain.resume()
        _written(staging, name, image, instance, time.monotonic() - start)
        forget(final)
        staging.rename(final)
