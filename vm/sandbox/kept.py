"""Snapshots and checkpoints of sandboxes: the files that one has written, and what to start again.

    <snapshot>/layers/0, 1, …   overlays on the image's tree, later ones on top of earlier ones
               snapshot.json

Processes are not saved. With a desktop, unsaved work, undo histories and window positions are lost,
so checkpoints are only for sandboxes without one: their services recover as after a power failure.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ambidex.vm import (
    READY,
    MachineError,
    Place,
    Program,
    UnforkableError,
    plain_name,
)
from ambidex.vm.building.image import Image
from ambidex.vm.namespace import COMMAND
from ambidex.vm.process import run
from ambidex.vm.sandbox.enter import UPPER
from ambidex.vm.sandbox.instance import Sandbox
from ambidex.vm.store import cache_folder, digest, forget, locked

__all__ = [
    "SandboxSnapshot",
    "copy_files",
    "read_sandbox_snapshot",
    "refuse_memory",
    "sandbox_snapshots_folder",
    "save_sandbox_checkpoint",
    "save_sandbox_snapshot",
]

DESCRIPTION = "snapshot.json"
WINDOWS = """
for window in $(xprop -root _NET_CLIENT_LIST | grep -o '0x[0-9a-f]*'); do
    case $(xprop -id "$window" _NET_WM_WINDOW_TYPE) in
        *NORMAL* | *DIALOG* | *found*) xprop -id "$window" WM_CLASS | cut -d'"' -f2 ;;
    esac
done
"""
"""Prints the program of each window, except the desktop's and panels."""


@dataclass(frozen=True)
class SandboxSnapshot:
    """A state that a sandbox can be started from."""

    name: str
    layers: tuple[Path, ...]
    """Overlays on the image's tree, the topmost first; none for the image itself."""
    programs: tuple[Program, ...]
    services: tuple[str, ...] | None = None
    """The services that ran when it was taken; None for all of the image's."""


def sandbox_snapshots_folder(image: Image) -> Path:
    """The folder of snapshots of sandboxes of this image."""
    key = digest(image.id, image.base.build, str(image.base.screen.default))
    return cache_folder() / "snapshots" / f"{image.base.name}-{key}-sandbox"


def read_sandbox_snapshot(image: Image, place: Place) -> SandboxSnapshot:
    """The snapshot or checkpoint; `MachineError` if there is none. `ready` is the image itself."""
    if place == READY:
        return SandboxSnapshot(READY, (), ())
    is_checkpoint = isinstance(place, Path)
    if is_checkpoint:
        refuse_desktop(image)
    folder = _folder_of(image, place)
    try:
        description = json.loads((folder / DESCRIPTION).read_text())
        numbers = reversed(range(description["layers"]))
        layers = tuple(folder / "layers" / str(number) for number in numbers)
        programs = tuple(
            Program(tuple(program["argv"]), program["window"])
            for program in description["programs"]
        )
        image_id, services = description["image_id"], description.get("services")
    except FileNotFoundError:
        if is_checkpoint:
            raise MachineError(f"no checkpoint of a sandbox: {folder}") from None
        existing = sorted(path.parent.name for path in folder.parent.glob(f"[!.]*/{DESCRIPTION}"))
        raise MachineError(
            f"no such snapshot of a sandbox: {place!r}",
            hint=f"Snapshots: {', '.join([READY, *existing])}. "
            "Snapshots of virtual machines do not work here.",
        ) from None
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise MachineError(
            f"the snapshot in {folder} is damaged: {error}", hint="Delete that folder."
        ) from None
    if image_id != image.id:
        raise MachineError(
            f"the checkpoint {folder} needs the image {image_id}; "
            f"this machine's image is {image.id}",
            hint="The recipe, the tools or the guest code have changed: check out that version.",
        )
    return SandboxSnapshot(
        str(place), layers, programs, None if services is None else tuple(services)
    )


def save_sandbox_snapshot(
    sandbox: Sandbox, image: Image, name: str, programs: Sequence[Program]
) -> None:
    """Save a sandbox's files as the snapshot `name`, replacing an existing one."""
    if image.base.session != "none":
        _refuse_other_windows(sandbox, name, programs)
    _save(sandbox, image, _folder_of(image, name), programs)


def save_sandbox_checkpoint(sandbox: Sandbox, image: Image, folder: Path) -> None:
    """Save a sandbox's files as the checkpoint `folder`, replacing an existing one.

    `MachineError` if part of its state is in memory only.
    """
    refuse_memory(sandbox, image)
    _save(sandbox, image, folder, ())


def refuse_memory(sandbox: Sandbox, image: Image) -> None:
    """Raise `UnforkableError` if a copy of the sandbox's files would not be its whole state."""
    refuse_desktop(image)
    for service in image.base.services:
        if service.in_memory and service.name in sandbox.services:
            raise UnforkableError(
                f"this sandbox has no checkpoints: the service {service.name!r} keeps state in "
                "memory, which cannot be saved",
                hint="Use `--provider libvirt`.",
            )


def refuse_desktop(image: Image) -> None:
    """Raise `UnforkableError` if sandboxes of this image cannot have checkpoints and forks."""
    if image.base.session != "none":
        raise UnforkableError(
            f"a sandbox of {image.base.name} has a desktop, so it has no checkpoints and no forks: "
            "its processes cannot be saved",
            hint="Use `--provider libvirt`, or an image without a desktop.",
        )


def copy_files(sandbox: Sandbox, target: Path) -> None:
    """Copy the files that a sandbox has written into the new folder `target`, while it stands
    still."""
    with sandbox.paused():
        _copy(Path(UPPER), target, sandbox.process.pid)


def _folder_of(image: Image, place: Place) -> Path:
    if isinstance(place, Path):
        return place.absolute()
    return sandbox_snapshots_folder(image) / plain_name(place)


def _refuse_other_windows(sandbox: Sandbox, name: str, programs: Sequence[Program]) -> None:
    windows = sandbox.door.output_of(["sh", "-c", WINDOWS]).split()
    if len(windows) > len(programs):
        named = ", ".join(program.argv[0] for program in programs) or "none"
        raise MachineError(
            f"the snapshot {name!r} lacks programs to start again: windows of "
            f"{', '.join(windows)} are open, programs named: {named}",
            hint="A sandbox saves files only: name every program that has a window.",
        )


def _save(sandbox: Sandbox, image: Image, final: Path, programs: Sequence[Program]) -> None:
    staging = final.with_name(f".{final.name}.partial")
    with locked(final.with_name(f".{final.name}.lock")):
        forget(staging)
        (staging / "layers").mkdir(parents=True)
        staging.chmod(0o700)
        below = sandbox.lower[:-1]
        for number, layer in enumerate(reversed(below)):
            _copy(layer, staging / "layers" / str(number))
        copy_files(sandbox, staging / "layers" / str(len(below)))
        description = {
            "name": final.name,
            "image_id": image.id,
            "layers": len(below) + 1,
            "programs": [asdict(program) for program in programs],
            "services": sandbox.services,
        }
        (staging / DESCRIPTION).write_text(json.dumps(description, indent=1))
        forget(final)
        staging.rename(final)


def _copy(source: Path, target: Path, process: int = 0) -> None:
    """Copy a folder with owners and modes; with `process`, `source` is a path in its namespace."""
    is_root = os.geteuid() == 0
    run([*COMMAND, "mkdir", target], what=f"making {target}")
    prefix: list[object] = [] if is_root else [*COMMAND]
    # By descriptor: the path of the cache may not be accessible from the other namespace.
    descriptor = os.open(target, os.O_PATH | os.O_DIRECTORY)
    destination = f"/proc/self/fd/{descriptor}/"
    if process:
        namespaces = ["--mount"] if is_root else ["--user", "--mount"]
        prefix = ["nsenter", "--target", process, *namespaces, "--"]
    try:
        copy = [*prefix, "cp", "-a", "--reflink=auto", f"{source}/.", destination]
        run(copy, what=f"copying {source}", pass_fds=[descriptor])
    finally:
        os.close(descriptor)
