"""Snapshots of sandboxes: the files that one has written, and the programs to start again.

    <snapshot>/layers/0, 1, …   overlays on the image's tree, later ones on top of earlier ones
               snapshot.json

Processes are not saved: unsaved work, undo histories and window positions are lost.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ambidex.vm import READY, MachineError, Program, plain_name
from ambidex.vm.building.image import Image
from ambidex.vm.namespace import COMMAND
from ambidex.vm.process import run
from ambidex.vm.sandbox.enter import UPPER
from ambidex.vm.sandbox.instance import Sandbox
from ambidex.vm.store import cache_folder, digest, forget, locked

__all__ = [
    "SandboxSnapshot",
    "read_sandbox_snapshot",
    "sandbox_snapshots_folder",
    "save_sandbox_snapshot",
]

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


def sandbox_snapshots_folder(image: Image) -> Path:
    """The folder of snapshots of sandboxes of this image."""
    key = digest(image.id, str(image.base.screen.default))
    return cache_folder() / "snapshots" / f"{image.base.name}-{key}-sandbox"


def read_sandbox_snapshot(image: Image, name: str) -> SandboxSnapshot:
    """The snapshot of that name; `MachineError` if there is none. `ready` is the image itself."""
    if name == READY:
        return SandboxSnapshot(READY, (), ())
    folder = sandbox_snapshots_folder(image) / plain_name(name)
    try:
        description = json.loads((folder / "snapshot.json").read_text())
        numbers = reversed(range(description["layers"]))
        layers = tuple(folder / "layers" / str(number) for number in numbers)
        programs = tuple(
            Program(tuple(program["argv"]), program["window"])
            for program in description["programs"]
        )
    except FileNotFoundError:
        existing = sorted(path.parent.name for path in folder.parent.glob("[!.]*/snapshot.json"))
        raise MachineError(
            f"no such snapshot of a sandbox: {name!r}",
            hint=f"Snapshots: {', '.join([READY, *existing])}. "
            "Snapshots of virtual machines do not work here.",
        ) from None
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise MachineError(
            f"the snapshot in {folder} is damaged: {error}", hint="Delete that folder."
        ) from None
    return SandboxSnapshot(name, layers, programs)


def save_sandbox_snapshot(
    sandbox: Sandbox, image: Image, name: str, programs: Sequence[Program]
) -> None:
    """Save a sandbox's files as the snapshot `name`, replacing an existing one."""
    windows = sandbox.door.output_of(["sh", "-c", WINDOWS]).split()
    if len(windows) > len(programs):
        named = ", ".join(program.argv[0] for program in programs) or "none"
        raise MachineError(
            f"the snapshot {name!r} lacks programs to start again: windows of "
            f"{', '.join(windows)} are open, programs named: {named}",
            hint="A sandbox saves files only: name every program that has a window.",
        )
    final = sandbox_snapshots_folder(image) / plain_name(name)
    staging = final.with_name(f".{name}.partial")
    with locked(final.with_name(f".{name}.lock")):
        forget(staging)
        (staging / "layers").mkdir(parents=True)
        staging.chmod(0o700)
        below = sandbox.lower[:-1]
        for number, layer in enumerate(reversed(below)):
            _copy(layer, staging / "layers" / str(number))
        with sandbox.paused():
            _copy(Path(UPPER), staging / "layers" / str(len(below)), sandbox.process.pid)
        description = {
            "name": name,
            "image_id": image.id,
            "layers": len(below) + 1,
            "programs": [asdict(program) for program in programs],
        }
        (staging / "snapshot.json").write_text(json.dumps(description, indent=1))
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
