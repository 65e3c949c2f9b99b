"""Builds the guest's programs that its distribution does not package.

These are MCP servers, Node to run them, and VS Code as a server. `images/programs/NAME` locks the
exact versions of a set of them, and a recipe names its set; native parts are compiled in a tree of
the image's release. The result (in the cache: programs/<digest>/programs.tar) is built once per
release and version, and unpacked at /opt/programs of the base. In the same way
`images/services/NAME/programs` locks what a service brings along, which gets to /opt/services/NAME.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ambidex.vm import MachineError
from ambidex.vm.building.recipe import IMAGES, Recipe
from ambidex.vm.building.services import SERVICES
from ambidex.vm.process import run
from ambidex.vm.store import cache_folder, digest, once, tree_digest

__all__ = ["PROGRAMS", "bootstrap", "build_programs"]

PROGRAMS = IMAGES / "programs"
AT, SERVICES_AT = "/opt/programs", "/opt/services"
"""Where they are in an image."""
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
PACKAGES = ("ca-certificates", "npm")
"""Packages that every build needs; a recipe adds others."""


def bootstrap() -> list[str]:
    """The mmdebstrap command that this user may run.

    It runs in a mount namespace of its own, so that a killed build leaves no mounts of this machine
    in the folder.
    """
    if os.geteuid() == 0:
        return ["unshare", "--mount", "mmdebstrap", "--mode=root"]
    return ["mmdebstrap", "--mode=unshare"]


def build_programs(
    recipe: Recipe, sources: Sequence[str], *, say: Callable[[str], None]
) -> list[Path]:
    """The archives to unpack in /opt for a recipe, built if needed: its set of programs, and what
    its services bring along."""
    archives = []
    if recipe.programs:
        folder = PROGRAMS / recipe.programs
        if not folder.is_dir():
            available = ", ".join(sorted(path.name for path in PROGRAMS.iterdir()))
            raise MachineError(
                f"no set of programs is called {recipe.programs!r}", hint=f"Sets: {available}."
            )
        id = digest(*_release(recipe), tree_digest([folder]))
        archives.append(_build(recipe, sources, id, {AT: folder}, say))
    brought = {
        f"{SERVICES_AT}/{name}": SERVICES / name / "programs"
        for name in sorted(recipe.services)
        if (SERVICES / name / "programs").is_dir()
    }
    if brought:
        id = digest(*_release(recipe), *brought, tree_digest(brought.values()))
        archives.append(_build(recipe, sources, id, brought, say))
    return archives


def _release(recipe: Recipe) -> tuple[str, str, str]:
    return recipe.distribution, recipe.suite, " ".join(recipe.packages_to_build)


def _build(
    recipe: Recipe,
    sources: Sequence[str],
    id: str,
    folders: Mapping[str, Path],
    say: Callable[[str], None],
) -> Path:
    """The archive of what `install.sh` of each folder installs, by the path in the tree at which it
    runs."""
    at = AT if AT in folders else SERVICES_AT

    def build(staging: Path) -> None:
        say(f"building {', '.join(folders)}")
        partial = staging / "partial.tar"
        hooks = []
        if CERTIFICATES.exists():
            # If the network intercepts TLS with its own certificates, the tree needs them too.
            hooks.append(f"upload {CERTIFICATES} {CERTIFICATES}")
        for inside, folder in folders.items():
            files = sorted(path for path in folder.iterdir() if path.is_file())
            hooks.append(f'mkdir -p "$1{inside}"')
            hooks += [f"upload {path} {inside}/{path.name}" for path in files]
            hooks.append(f'chroot "$1" sh -c "cd {inside} && exec sh install.sh"')
        run(
            [
                *bootstrap(),
                "--variant=minbase",
                "--format=null",
                "--dpkgopt=force-unsafe-io",
                f"--components={','.join(recipe.components)}",
                f"--include={','.join([*PACKAGES, *recipe.packages_to_build])}",
                *(f"--customize-hook={hook}" for hook in [*hooks, f"tar-out {at} {partial}"]),
                recipe.suite,
                os.devnull,
                *sources,
            ],
            what="building the guest's programs",
            hint="Are the registries of npm and Python reachable? See the log for what failed.",
            log=staging / "build.log",
            progress=lambda line: say(line) if line.startswith("I: ") else None,
        )
        partial.rename(staging / "programs.tar")

    return once(cache_folder() / "programs" / id, build, say) / "programs.tar"
