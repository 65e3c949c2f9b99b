"""Snapshots of sandboxes: the files that one has written, and which programs to start again.

    <snapshot>/layers/0, 1, …   what was written on top of the image's tree, the later above
               snapshot.json

Processes are not kept: what was not saved, undone steps, positions of windows are gone.
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

__all__ = ["Kept", "keep", "kept_folder", "read_kept"]

WINDOWS = """
for window in $(xprop -root _NET_CLIENT_LIST | grep -o '0x[0-9a-f]*'); do
    case $(xprop -id "$window" _NET_WM_WINDOW_TYPE) in
        *NORMAL* | *DIALOG* | *found*) xprop -id "$window" WM_CLASS | cut -d'"' -f2 ;;
    esac
done
"""
"""Prints whose each window is that is neither the desktop's nor a panel's."""


@dataclass(frozen=True)
class Kept:
    """What a sandbox is started from."""

    name: str
    layers: tuple[Path, ...]
    """The topmost first; none for the image as it is."""
    programs: tuple[Program, ...]


def kept_folder(image: Image) -> Path:
    """Where snapshots of sandboxes of this image lie."""
    key = digest(image.id, str(image.base.screen.default))
    return cache_folder() / "snapshots" / f"{image.base.name}-{key}-sandbox"


def read_kept(image: Image, name: str) -> Kept:
    """The snapshot of that name; `MachineError` if there is none. `ready` is the image itself."""
    if name == READY:
        return Kept(READY, (), ())
    folder = kept_folder(image) / plain_name(name)
    try:
        said = json.loads((folder / "snapshot.json").read_text())
        layers = tuple(folder / "layers" / str(each) for each in reversed(range(said["layers"])))
        programs = tuple(Program(tuple(one["argv"]), one["window"]) for one in said["programs"])
    except FileNotFoundError:
        there = sorted(path.parent.name for path in folder.parent.glob("[!.]*/snapshot.json"))
        raise MachineError(
            f"there is no snapshot {name!r}",
            hint=f"There are: {', '.join([READY, *there])}. A virtual machine's are its own.",
        ) from None
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise MachineError(
            f"the snapshot in {folder} is damaged: {error}", hint="Delete that folder."
        ) from None
    return Kept(name, layers, programs)


def keep(sandbox: Sandbox, image: Image, name: str, programs: Sequence[Program]) -> None:
    """Keep a sandbox's files under `name`, replacing a snapshot of that name; it goes on."""
    there = sandbox.door.printed(["sh", "-c", WINDOWS]).split()
    if len(there) > len(programs):
        named = ", ".join(program.argv[0] for program in programs) or "no program"
        raise MachineError(
            f"windows of {', '.join(there)} are open, and {named} is named for {name!r}",
            hint="A sandbox keeps files, and starts programs again: name each that has a window.",
        )
    final = kept_folder(image) / plain_name(name)
    staging = final.with_name(f".{name}.partial")
    with locked(final.with_name(f".{name}.lock")):
        forget(staging)
        (staging / "layers").mkdir(parents=True)
        staging.chmod(0o700)
        below = sandbox.lower[:-1]
        for number, layer in enumerate(reversed(below)):
            _copied(layer, staging / "layers" / str(number))
        with sandbox.standing_still():
            _copied(Path(UPPER), staging / "layers" / str(len(below)), sandbox.process.pid)
        said = {
            "name": name,
            "image_id": image.id,
            "layers": len(below) + 1,
            "programs": [asdict(program) for program in programs],
        }
        (staging / "snapshot.json").write_text(json.dumps(said, indent=1))
        forget(final)
        staging.rename(final)


def _copied(source: Path, target: Path, process: int = 0) -> None:
    """Copy a folder as it is, seen as `process` sees it where one is named."""
    root = os.geteuid() == 0
    run([*COMMAND, "mkdir", target], what=f"making {target}")
    as_owner: list[object] = [] if root else [*COMMAND]
    # By number: from in there the way to the cache may be closed.
    number = os.open(target, os.O_PATH | os.O_DIRECTORY)
    to = f"/proc/self/fd/{number}/"
    if process:
        spaces = ["--mount"] if root else ["--user", "--mount"]
        as_owner = ["nsenter", "--target", process, *spaces, "--"]
    try:
        copy = [*as_owner, "cp", "-a", "--reflink=auto", f"{source}/.", to]
        run(copy, what=f"copying {source}", pass_fds=[number])
    finally:
        os.close(number)
