"""Warm snapshots: a running desktop frozen on disk, and the forks that start from it.

    <snapshot>/memory       guest memory, one file, mapped by every fork and copied on write
               state        what the devices held, a few megabytes
               disk.qcow2   what was written to the disk
               snapshot.json

A fork is a new overlay, the same hardware on a private mapping of `memory`, `state` loaded, and go.
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
    "empty",
    "fork",
    "freeze_template",
    "migrated",
    "read_snapshot",
    "snapshots_folder",
    "taken",
    "woken",
    "write_snapshot",
]

MIGRATION_BOUND = 120.0
SEALED = (8, 2, 0)
"""The first QEMU that can map a file it may only read as memory that is written."""
CONSOLE_LINES = 25


@dataclass(frozen=True)
class Snapshot:
    """A frozen desktop; whole, or it has no folder."""

    folder: Path
    name: str
    image_id: str
    shape: Shape
    token: str
    """What the guest believes its token is; every fork gets another one at once."""
    stood_still: float
    """Seconds for which the machine was stopped to be kept."""

    @property
    def memory(self) -> Path:
        """Guest memory as it was."""
        return self.folder / "memory"

    @property
    def disk(self) -> Path:
        """The frozen overlay."""
        return self.folder / "disk.qcow2"


def snapshots_folder(image: Image, shape: Shape, qemu: tuple[int, int, int]) -> Path:
    """Where snapshots of this image on this hardware lie: a state fits no other."""
    described = json.dumps(asdict(shape), sort_keys=True)
    key = digest(image.id, described, str(qemu[:2]), *(path.read_bytes() for path in HARDWARE))
    return cache_folder() / "snapshots" / f"{image.base.name}-{key}"


def read_snapshot(folder: Path) -> Snapshot:
    """The finished snapshot in `folder`; `MachineError` if there is none or a part is missing."""
    try:
        said = json.loads((folder / "snapshot.json").read_text())
        shape = Shape(**{**said["shape"], "screen": tuple(said["shape"]["screen"])})
        found = Snapshot(
            folder,
            said["name"],
            said["image_id"],
            shape,
            said["token"],
            said["stood_still"],
        )
    except FileNotFoundError:
        there = sorted(path.parent.name for path in folder.parent.glob("[!.]*/snapshot.json"))
        raise MachineError(
            f"there is no snapshot {folder.name!r}",
            hint=f"There are: {', '.join(there) or 'none yet'}.",
        ) from None
    except (json.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise MachineError(
            f"the snapshot in {folder} is damaged: {error}", hint="Delete that folder."
        ) from None
    for part, size in said["sizes"].items():
        path = folder / part
        if not path.is_file() or path.stat().st_size != size:
            raise MachineError(
                f"the snapshot in {folder} is damaged: {part} is not {size} bytes",
                hint="Delete that folder; it is made again.",
            )
    return found


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
    """Describe a snapshot whose parts are all in `staging`; only its owner may read the token."""
    sizes = {part: (staging / part).stat().st_size for part in parts}
    said = {
        "name": name,
        "image_id": image.id,
        "shape": asdict(shape),
        "token": token,
        "stood_still": round(stood_still, 4),
        "sizes": sizes,
    }
    staging.chmod(0o700)  # memory and disk hold whatever the guest knew
    path = staging / "snapshot.json"
    path.touch(mode=0o600)
    path.write_text(json.dumps(said, indent=1))


def taken(file: Path, target: Path) -> None:
    """Move a file of a machine that has ended to where it is kept; it is ours again."""
    shutil.move(file, target)
    if os.geteuid() == 0:
        os.chown(target, 0, 0)


def _ignore_shared(domain: Domain) -> None:
    capabilities = [{"capability": "x-ignore-shared", "state": True}]
    qmp(domain, "migrate-set-capabilities", capabilities=capabilities)


def migrated(domain: Domain) -> None:
    """Return when QEMU's migration has ended; `MachineError` if it failed."""

    def done() -> None:
        status = qmp(domain, "query-migrate")
        if status.get("status") == "failed":
            raise MachineError(f"QEMU's migration failed: {status.get('error-desc')}")
        if status.get("status") != "completed":
            raise NotYetError(str(status))

    wait_for(
        done,
        bound=MIGRATION_BOUND,
        every=0.002,
        fail=lambda seen: MachineError(f"QEMU's migration did not end: {seen}"),
    )


def freeze_template(instance: Instance, image: Image, staging: Path, name: str) -> None:
    """Stop a machine whose memory is `staging/memory`, shared, and keep its state: it does not go
    on.
    """
    start = time.monotonic()
    instance.domain.suspend()
    _ignore_shared(instance.domain)
    state = instance.owner.account.given(instance.folder / "state")
    qmp(instance.domain, "migrate", uri=f"file:{state}")
    migrated(instance.domain)
    stood_still = time.monotonic() - start
    instance.domain.destroy()
    taken(state, staging / "state")
    taken(instance.disk, staging / "disk.qcow2")
    token, shape = instance.door.token, instance.shape
    write_snapshot(staging, name, image, token, shape, stood_still=stood_still)


def fork(
    owner: LibvirtOwner, snapshot: Snapshot, image: Image, *, network: bool = False
) -> Instance:
    """A new machine in the snapshot's state, running, with an identity of its own."""
    instance = empty(owner, snapshot, image, network=network)
    return woken(instance, snapshot.folder / "state", f"a fork of {snapshot.name!r}")


def empty(owner: LibvirtOwner, root: Snapshot, image: Image, *, network: bool) -> Instance:
    """A machine over a snapshot's memory and disk, stopped until a state is loaded into it."""
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


def woken(instance: Instance, state: Path, what: str) -> Instance:
    """An instance that was launched empty, running in that state and with an identity of its own;
    it is ended where that fails.
    """
    try:
        _ignore_shared(instance.domain)
        lent = instance.owner.account.lent(state, instance.folder)
        qmp(instance.domain, "migrate-incoming", uri=f"file:{lent}")
        migrated(instance.domain)
        instance.domain.resume()
        return instance.with_door(instance.door.renew())
    except (libvirt.libvirtError, MachineError) as error:
        last = "\n".join(instance.console().splitlines()[-CONSOLE_LINES:])
        instance.close()
        raise MachineError(
            f"{what} did not start: {error}\nlast lines of its console since:\n{last}",
            stage="guest",
        ) from None
    except BaseException:
        instance.close()
        raise
