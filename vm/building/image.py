"""Images: a base with a desktop, built from a recipe or imported, plus a layer of guest code.

A base takes minutes to build and changes with its recipe (bases/<recipe>-<digest>/: disk.qcow2,
kernel, initrd, and tree/ with the same files for sandboxes). A layer takes seconds and changes with
guest/ and mcp_tools/ (layers/<digest>/: layer.squashfs). An image is identified by both digests.
"""

from __future__ import annotations

import contextlib
import io
import json
import secrets
import shlex
import shutil
import tarfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from ambidex.vm import MachineError
from ambidex.vm.building.filling import fill
from ambidex.vm.building.layer import PROJECT, build_layer
from ambidex.vm.building.mirrors import editor_source, sources_for, sources_needed
from ambidex.vm.building.programs import bootstrap, build_programs
from ambidex.vm.building.recipe import IMAGES, Recipe, Screen, load_recipe, recipe_names
from ambidex.vm.building.services import Service, load_services, service_files
from ambidex.vm.namespace import COMMAND
from ambidex.vm.process import run
from ambidex.vm.store import BUILD_ROOM, cache_folder, digest, free_room, once

__all__ = [
    "Base",
    "Image",
    "build_base",
    "current_recipe",
    "find_base",
    "image_id",
    "image_names",
    "import_base",
    "list_bases",
    "open_image",
    "with_screen",
]

COMMAND_LINE = (
    "root=LABEL=ambidex-root rw console=tty0 console=ttyS0 mitigations=off panic=-1 "
    # The machine type has AHCI ports without disks; on a busy host a kernel hung while probing
    # them.
    "modprobe.blacklist=ahci"
)
KEYRINGS = {"debian": "debian-archive-keyring", "ubuntu": "ubuntu-keyring"}


def silent(_: str) -> None:
    """Ignore progress messages."""


@dataclass(frozen=True)
class Base:
    """A disk that boots to a desktop. Without `kernel`, it has its own boot loader."""

    name: str
    id: str
    folder: Path
    python: str
    memory: int
    """MiB."""
    screen: Screen
    user: str
    session: str = "desktop"
    """`none` if the machine has no desktop."""
    services: tuple[Service, ...] = ()
    """The services it has, in the order in which they can be started."""
    kernel: Path | None = None
    initrd: Path | None = None
    command_line: str = ""
    build: str = ""
    """A random word for this build. Two builds of a recipe put the same files into different
    blocks, so memory that was saved with one does not fit the disk of the other."""

    @property
    def disk(self) -> Path:
        """The qcow2; never written to."""
        return self.folder / "disk.qcow2"

    @property
    def tree(self) -> Path:
        """A folder with the files on that disk; an imported base has none.

        They are never written to, and belong to the ids of `vm.namespace`.
        """
        return self.folder / "tree"


@dataclass(frozen=True)
class Image:
    """A base with a layer, which machines start from."""

    base: Base
    layer: Path | None
    """squashfs of guest/, mcp_tools/ and their libraries; None if the disk contains the guest."""
    id: str

    @property
    def layer_id(self) -> str:
        """Digest of the guest's code and libraries; empty if the disk contains the guest."""
        return self.layer.parent.name if self.layer else ""

    @property
    def code(self) -> Path | None:
        """A folder with the content of the layer."""
        return self.layer and self.layer.with_name("tree")


def bases_folder() -> Path:
    """The folder of finished bases."""
    return cache_folder() / "bases"


def build_base(name: str, *, mirror: str = "", say: Callable[[str], None] = silent) -> Base:
    """The base of a recipe, built if it does not exist. A build that was interrupted is resumed."""
    recipe, recipe_id = current_recipe(name)
    final = bases_folder() / f"{name}-{recipe_id}"

    def build(staging: Path) -> None:
        archive = staging / "tree.tar"
        if not archive.exists():
            _check_room(name, staging)
        sources = sources_for(recipe, mirror)
        with ThreadPoolExecutor(1) as pool:  # both take minutes and are independent
            programs_future = pool.submit(build_programs, recipe, sources, say=say)
            if not archive.exists():
                say(f"{name}: installing {len(recipe.package_names())} packages with dependencies")
                _make_archive(name, recipe, sources, staging, archive, say)
            programs = programs_future.result()
        say(f"{name}: unpacking the tree")
        _make_tree(recipe, staging, archive, programs)
        if recipe.firm is not None:
            say(f"{name}: filling the services with firm {recipe.firm}")
            fill(staging, recipe.firm, load_services(recipe.services).values())
        say(f"{name}: writing the disk")
        _make_disk(recipe, staging)
        _describe(staging, name, recipe_id, recipe)
        archive.unlink()

    return read_base(once(final, build, say))


def current_recipe(name: str) -> tuple[Recipe, str]:
    """The recipe and the id of its base on this machine: another one with Microsoft's VS Code."""
    recipe, id = load_recipe(name)
    return (recipe, digest(id, "package")) if editor_source() else (recipe, id)


def _check_room(name: str, folder: Path) -> None:
    """`MachineError` if the disk is too full: what fails then says other things."""
    if (free := free_room(folder)) < BUILD_ROOM:
        raise MachineError(
            f"building {name} needs {BUILD_ROOM:.0f} GiB, and {free:.1f} GiB are free at {folder}",
            hint="`ambidex image prune` lists what can be deleted; AMBIDEX_CACHE can name another "
            "folder.",
        )


def _make_archive(
    name: str,
    recipe: Recipe,
    sources: list[str],
    staging: Path,
    archive: Path,
    say: Callable[[str], None],
) -> None:
    files, services = staging / "files.tar", load_services(recipe.services)
    with tarfile.open(files, "w") as files_archive:
        for folder in recipe.file_folders(name):
            _add(files_archive, folder)
        for path, content, mode in service_files(services):
            entry = tarfile.TarInfo(path.lstrip("/"))
            entry.size, entry.mode = len(content), mode
            files_archive.addfile(entry, io.BytesIO(content))
    # Installing the kernel makes the initrd, so its settings must be there before.
    early = staging / "early.tar"
    with tarfile.open(early, "w") as early_archive:
        for folder in recipe.file_folders(name):
            _add(early_archive, folder, "etc/initramfs-tools")
    script = staging / "customize.sh"
    shutil.copy(IMAGES / "customize.sh", script)
    arguments = shlex.join([recipe.user, recipe.password, recipe.session, *recipe.units.mask])
    partial = staging / "tree.partial.tar"
    packages, editor = recipe.package_names(), editor_source()
    if editor:
        say("installing VS Code from Microsoft's repository, which is configured on this machine")
        packages, sources = [*packages, "code"], [*sources_needed(recipe, sources), editor]
    run(
        [
            *bootstrap(),
            "--variant=minbase",
            "--format=tar",
            f"--components={','.join(recipe.components)}",
            f"--include={','.join(packages)}",
            "--dpkgopt=path-exclude=/usr/share/doc/*",
            "--dpkgopt=path-exclude=/usr/share/man/*",
            "--dpkgopt=force-unsafe-io",  # no syncing: after a crash the build starts again
            *(f"--dpkgopt=path-include={kept}" for one in services.values() for kept in one.keeps),
            *(
                f"--essential-hook={_make_account(one)}"
                for one in services.values()
                if one.account_id
            ),
            f"--essential-hook=tar-in {early} /",
            f"--customize-hook=tar-in {files} /",
            f"--customize-hook=upload {script} /customize.sh",
            f'--customize-hook=chroot "$1" sh /customize.sh {arguments}',
            '--customize-hook=rm "$1/customize.sh"',
            recipe.suite,
            str(partial),
            *sources,
        ],
        what=f"building the tree of {name}",
        hint=(
            f"Is a mirror of {recipe.distribution} {recipe.suite} reachable, and is "
            f"{KEYRINGS.get(recipe.distribution, 'its keyring')} installed? "
            "`--mirror URL` names another mirror."
        ),
        log=staging / "build.log",
        progress=lambda line: say(line) if line.startswith("I: ") else None,
    )
    partial.rename(archive)


def _make_account(service: Service) -> str:
    """A shell command that adds a service's account to a tree without the programs for that."""
    name, id = service.account, service.account_id
    group, user = f"{name}:x:{id}:", f"{name}:x:{id}:{id}::/nonexistent:/usr/sbin/nologin"
    return f'echo {group} >>"$1/etc/group"; echo {user} >>"$1/etc/passwd"'


def _add(archive: tarfile.TarFile, folder: Path, below: str = "") -> None:
    for path in sorted((folder / below).rglob("*")):
        entry = archive.gettarinfo(path, str(path.relative_to(folder)))
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = 0
        entry.mode = 0o755 if path.is_dir() or entry.mode & 0o100 else 0o644
        archive.addfile(entry, io.BytesIO(path.read_bytes()) if path.is_file() else None)


def _make_tree(recipe: Recipe, staging: Path, archive: Path, programs: Sequence[Path]) -> None:
    tree = staging / "tree"
    run([*COMMAND, "rm", "-rf", tree], what="removing an earlier attempt")
    # Only the host's root may create devices; the kernel mounts its own /dev over them anyway.
    skip = "--exclude=./dev/*"
    run([*COMMAND, "mkdir", tree], what="making the tree")
    tar = ["tar", "--numeric-owner", "--xattrs", skip, "-xpf", archive, "-C", tree]
    run([*COMMAND, *tar], what="unpacking the tree")
    # If Microsoft's package is installed, it replaces the server from npm.
    packaged = (tree / "usr/share/code").is_dir()
    server = ["--exclude=programs/node_modules/code-server"] if packaged else []
    for one in programs:
        tar = ["tar", "--numeric-owner", *server, "-xpf", one, "-C", tree / "opt"]
        run([*COMMAND, *tar], what="unpacking the programs")


def _make_disk(recipe: Recipe, staging: Path) -> None:
    tree, raw = staging / "tree", staging / "disk.raw"
    run([*COMMAND, "rm", "-rf", raw], what="removing an earlier attempt")
    for kind, pattern in (("kernel", "vmlinuz-*"), ("initrd", "initrd.img-*")):
        matches = sorted((tree / "boot").glob(pattern))
        if not matches:
            raise MachineError(f"the tree has no {kind} ({pattern} in /boot)")
        run([*COMMAND, "cp", matches[-1], staging / kind], what=f"copying the {kind}")
        run([*COMMAND, "chmod", "0644", staging / kind], what=f"making the {kind} readable")
    make = ["mke2fs", "-q", "-t", "ext4", "-L", "ambidex-root", "-d", tree, raw, recipe.disk]
    run([*COMMAND, *make], what="writing the file system")
    convert = ["qemu-img", "convert", "-O", "qcow2", raw, staging / "disk.qcow2"]
    run(convert, what="writing the qcow2")
    run([*COMMAND, "rm", raw], what="removing the raw disk")


def _describe(staging: Path, name: str, id: str, recipe: Recipe) -> None:
    description = {
        "name": name,
        "id": id,
        "python": recipe.python,
        "memory": recipe.memory,
        "screen": recipe.screen.model_dump(),
        "user": recipe.user,
        "session": recipe.session,
        "services": [service.model_dump() for service in load_services(recipe.services).values()],
        "kernel": "kernel",
        "initrd": "initrd",
        "command_line": COMMAND_LINE,
        "build": secrets.token_hex(8),
    }
    (staging / "base.json").write_text(json.dumps(description, indent=1))


def import_base(
    path: Path,
    name: str,
    *,
    python: str,
    user: str = "user",
    memory: int = 4096,
    say: Callable[[str], None] = silent,
) -> Base:
    """Import an existing disk image with its own boot loader as a base; the disk is copied.

    It must boot to a logged-in desktop, and contain the guest server or mount the code layer
    (docs/images.md). `image provision` installs the guest server on a running machine.
    """
    if not path.is_file():
        raise MachineError(f"not a disk image (no such file): {path}")
    info = json.loads(run(["qemu-img", "info", "--output=json", path], what=f"reading {path}"))
    if info["format"] not in {"qcow2", "raw"}:
        raise MachineError(
            f"not a qcow2 or raw disk image: {path} (format {info['format']})",
            hint="Convert it with `qemu-img convert -O qcow2`.",
        )
    say(f"reading {path}")
    stat = path.stat()
    id = digest(str(stat.st_size), str(stat.st_mtime_ns), str(path.resolve()), python, user)

    def build(staging: Path) -> None:
        say(f"copying {path}")
        disk = staging / "disk.qcow2"
        copy = ["qemu-img", "convert", "-f", info["format"], "-O", "qcow2", path, disk]
        run(copy, what="copying the disk")
        screen = Screen().model_dump()
        fields = {"name": name, "id": id, "python": python, "memory": memory, "user": user}
        fields["build"] = secrets.token_hex(8)
        (staging / "base.json").write_text(json.dumps({**fields, "screen": screen}, indent=1))

    return read_base(once(bases_folder() / f"{name}-{id}", build, say))


def read_base(folder: Path) -> Base:
    """The finished base in `folder`."""
    fields = json.loads((folder / "base.json").read_text())
    for key in ("kernel", "initrd"):
        if key in fields:
            fields[key] = folder / fields[key]
    fields["services"] = tuple(Service(**service) for service in fields.get("services", ()))
    return Base(**{**fields, "screen": Screen(**fields["screen"]), "folder": folder})


def list_bases() -> list[Base]:
    """All finished bases, sorted by name, the newest of a name last. Those that another version
    described in its own way are left out."""
    folders = sorted(bases_folder().glob("[!.]*/base.json"), key=lambda path: path.stat().st_mtime)
    bases = []
    for path in folders:
        with contextlib.suppress(TypeError, ValueError, KeyError):
            bases.append(read_base(path.parent))
    return sorted(bases, key=lambda base: base.name)


def image_names() -> list[str]:
    """The names of images that exist or can be built."""
    return sorted({*recipe_names(), *(base.name for base in list_bases())})


def find_base(name: str) -> Base:
    """The current base called `name`: of the recipe as it is now, or the newest imported one."""
    candidates = [base for base in list_bases() if base.name == name]
    if (IMAGES / name / "image.toml").is_file():
        _, recipe_id = current_recipe(name)
        candidates = [base for base in candidates if base.id == recipe_id]
    if not candidates and name not in recipe_names():
        raise MachineError(
            f"there is no image {name!r}", hint=f"There are {', '.join(image_names())}."
        )
    if not candidates:
        raise MachineError(
            f"the image {name!r} is not built", hint=f"Build it with `ambidex image build {name}`."
        )
    return candidates[-1]


def open_image(name: str, *, say: Callable[[str], None] = silent, code: Path = PROJECT) -> Image:
    """The image called `name`, with the present guest code in the folder `code`."""
    base = find_base(name)
    tree = base.tree if base.tree.is_dir() else None
    layer, layer_id = build_layer(base.python, say=say, code=code, image_tree=tree)
    return Image(base, layer, image_id(base, layer_id))


def with_screen(image: Image, size: tuple[int, int] | None) -> Image:
    """The image with a screen of this width and height in pixels; None leaves it as it is."""
    if size is None:
        return image
    return replace(image, base=replace(image.base, screen=Screen(default=size, emulation=size)))


def image_id(base: Base, layer_id: str) -> str:
    """The id of an image: a digest of its base and its layer."""
    return digest(base.id, layer_id)
