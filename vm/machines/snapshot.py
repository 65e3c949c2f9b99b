"""Snapshots of running virtual machines, and forks of them.

    <snapshot>/memory       guest memory in one file, mapped by every fork and copied on write
               state        device state, a few megabytes
               disk.qcow2   an overlay of the base's disk
               snapshot.json

A fork is a machine with the same hardware, a new disk overlay and a private mapping of `memory`,
into which `state` is loaded.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from ambidex.vm import MachineError
from ambidex.vm.building.image import Image
from ambidex.vm.machines.binding import libvirt
from ambidex.vm.machines.domain import HARDWARE, Memory, Shape
from ambidex.vm.machines.hypervisor import Domain, qmp
from ambidex.vm.machines.instance import Instance, launch
from ambidex.vm.machines.owner import LibvirtOwner
from ambidex.vm.store import cache_folder, digest
from ambidex.vm.wait import NotYetError, wait_for

__all__ = [
    "Snapshot",
    "fork",
    "freeze_template",
    "launch_idle",
    "read_snapshot",
    "snapshots_folder",
    "take_file",
    "wait_for_migration",
    "wake",
    "write_snapshot",
]

MIGRATION_BOUND = 120.0
SEALED = (8, 2, 0)
"""The first version of QEMU that can map a read-only file as writable memory."""
CONSOLE_LINES = 25


@dataclass(frozen=True)
class Snapshot:
    """A snapshot on disk: complete, or its folder does not exist."""

    folder: Path
    name: str
    image_id: str
    shape: Shape
    token: str
    """The token that the guest accepts; every fork gets a new one at once."""
    stood_still: float
    """Seconds for which the machine was paused to be saved."""

    @property
    def memory(self) -> Path:
        """The file of guest memory."""
        return self.folder / "memory"

    @property
    def disk(self) -> Path:
        """The disk overlay."""
        return self.folder / "disk.qcow2"


def snapshots_folder(image: Image, shape: Shape, qemu: tuple[int, int, int]) -> Path:
    """The folder of the snapshots for this image, its disk, hardware and QEMU: a state fits no
    other."""
    described = json.dumps(asdict(shape), sort_keys=True)
    hardware = [path.read_bytes() for path in HARDWARE]
    key = digest(image.id, image.base.build, described, str(qemu[:2]), *hardware)
    return cache_folder() / "snapshots" / f"{image.base.name}-{key}"


def read_snapshot(folder: Path) -> Snapshot:
    """The snapshot in `folder`; `MachineError` if there is none, or a part is missing."""
    try:
        description = json.loads((folder / "snapshot.json").read_text())
        fields = description["shape"]
        shape = Shape(**{**fields, "screen": tuple(fields["screen"])})
        snapshot = Snapshot(
            folder,
            description["name"],
            description["image_id"],
            shape,
            description["token"],
            description["stood_still"],
        )
    except FileNotFoundError:
        existing = sorted(path.parent.name for path in folder.parent.glob("[!.]*/snapshot.json"))
        raise MachineError(
            f"no such snapshot: {folder.name!r}",
            hint=f"Snapshots: {', '.join(existing) or 'none yet'}.",
        ) from None
    except (json.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise MachineError(
            f"the snapshot in {folder} is damaged: {error}", hint="Delete that folder."
        ) from None
    for part, size in description["sizes"].items():
        path = folder / part
        if not path.is_file() or path.stat().st_size != size:
            raise MachineError(
                f"the snapshot in {folder} is damaged: {part} is not {size} bytes long",
                hint="Delete that folder; the snapshot is made again.",
            )
    return snapshot


PARTS = ("memory", "state", "disk.qcow2")


def write_snapshot(
    staging: Path,
    name: str,
    image: Image,
    token: str,
    shape: Shape,
    parts: tuple[str, ...] = PARTS,
    *,
    stood_still: float,
) -> None:
    """Write `snapshot.json` for the parts in `staging`; only its owner may read it."""
    sizes = {part: (staging / part).stat().st_size for part in parts}
    description = {
        "name": name,
        "image_id": image.id,
        "shape": asdict(shape),
        "token": token,
        "stood_still": round(stood_still, 4),
        "sizes": sizes,
    }
    staging.chmod(0o700)  # memory and disk may hold the guest's secrets
    path = staging / "snapshot.json"
    path.touch(mode=0o600)
    path.write_text(json.dumps(description, indent=1))


def take_file(file: Path, target: Path) -> None:
    """Move a file of a machine that has ended to `target`, and take its ownership back."""
    shutil.move(file, target)
    if os.geteuid() == 0:
        os.chown(target, 0, 0)


def _ignore_shared(domain: Domain) -> None:
    capabilities = [{"capability": "x-ignore-shared", "state": True}]
    qmp(domain, "migrate-set-capabilities", capabilities=capabilities)


def wait_for_migration(domain: Domain) -> None:
    """Wait until QEMU's migration has ended; `MachineError` if it failed."""

    def check() -> None:
        status = qmp(domain, "query-migrate")
        if status.get("status") == "failed":
            raise MachineError(f"QEMU's migration failed: {status.get('error-desc')}")
        if status.get("status") != "completed":
            raise NotYetError(str(status))

    wait_for(
        check,
        bound=MIGRATION_BOUND,
        every=0.002,
        fail=lambda seen: MachineError(f"QEMU's migration did not end: {seen}"),
    )


def freeze_template(instance: Instance, image: Image, staging: Path, name: str) -> None:
    """Save state and disk of a machine whose memory file is `staging/memory`, and end it."""
    start = time.monotonic()
    instance.domain.suspend()
    _ignore_shared(instance.domain)
    state = instance.owner.account.grant(instance.folder / "state")
    qmp(instance.domain, "migrate", uri=f"file:{state}")
    wait_for_migration(instance.domain)
    paused = time.monotonic() - start
    instance.domain.destroy()
    take_file(state, staging / "state")
    take_file(instance.disk, staging / "disk.qcow2")
    token, shape = instance.door.token, instance.shape
    write_snapshot(staging, name, image, token, shape, stood_still=paused)


def fork(
    owner: LibvirtOwner, snapshot: Snapshot, image: Image, *, network: bool = False
) -> Instance:
    """Start a machine in the snapshot's state, with a new identity."""
    instance = launch_idle(owner, snapshot, image, network=network)
    return wake(instance, snapshot.folder / "state", f"a fork of {snapshot.name!r}")


def launch_idle(owner: LibvirtOwner, root: Snapshot, image: Image, *, network: bool) -> Instance:
    """Launch a machine on a snapshot's memory and disk, stopped until a state is loaded into it."""
    return launch(
        owner,
        image,
        root.shape,
        token=root.token,
        backing=root.disk,
        memory=Memory(root.memory, shared=False, sealed=owner.qemu >= SEALED),
        root=root.folder,
        network=network,
        incoming=True,
    )


def wake(instance: Instance, state: Path, what: str) -> Instance:
    """Load a state into an idle instance, resume it and give it a new identity.

    Closes the instance on failure; `what` names it in the message of the `MachineError`.
    """
    try:
        _ignore_shared(instance.domain)
        readable = instance.owner.account.lend(state, instance.folder)
        qmp(instance.domain, "migrate-incoming", uri=f"file:{readable}")
        wait_for_migration(instance.domain)
        instance.domain.resume()
        return instance.with_door(instance.door.renew())
    except (libvirt.libvirtError, MachineError) as error:
        last = "\n".join(instance.console().splitlines()[-CONSOLE_LINES:])
        instance.close()
        raise MachineError(
            f"{what} did not start: {error}\nlast lines of its console:\n{last}",
            stage="guest",
        ) from None
    except BaseException:
        instance.close()
        raise
