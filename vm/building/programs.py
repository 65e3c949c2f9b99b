"""Builds the guest's programs that its distribution does not package.

These are MCP servers, Node to run them, and VS Code as a server. `images/programs/NAME` locks the
exact versions of a set of them, and a recipe names its set; native parts are compiled in a tree of
the image's release. The result (in the cache: programs/<digest>/programs.tar) is built once per
release and version, and unpacked at /opt/programs of the base.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from ambidex.vm import MachineError
from ambidex.vm.building.recipe import IMAGES, Recipe
from ambidex.vm.process import run
from ambidex.vm.store import cache_folder, digest, once, tree_digest

__all__ = ["PROGRAMS", "bootstrap", "build_programs"]

PROGRAMS = IMAGES / "programs"
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
) -> Path | None:
    """The archive of /opt/programs for a recipe, built if needed; None if the recipe has none."""
    if not recipe.programs:
        return None
    folder, packages = PROGRAMS / recipe.programs, recipe.packages_to_build
    if not folder.is_dir():
        available = ", ".join(sorted(path.name for path in PROGRAMS.iterdir()))
        raise MachineError(
            f"no set of programs is called {recipe.programs!r}", hint=f"Sets: {available}."
        )
    id = digest(recipe.distribution, recipe.suite, " ".join(packages), tree_digest([folder]))

    def build(staging: Path) -> None:
        say(f"building the programs of {folder.name}")
        partial = staging / "partial.tar"
        files = sorted(path for path in folder.iterdir() if path.is_file())
        hooks = [f"upload {path} /opt/programs/{path.name}" for path in files]
        if CERTIFICATES.exists():
            # If the network intercepts TLS with its own certificates, the tree needs them too.
            hooks.append(f"upload {CERTIFICATES} {CERTIFICATES}")
        hooks += [
            'chroot "$1" sh /opt/programs/install.sh',
            f"tar-out /opt/programs {partial}",
        ]
        run(
            [
                *bootstrap(),
                "--variant=minbase",
                "--format=null",
                f"--components={','.join(recipe.components)}",
                f"--include={','.join([*PACKAGES, *packages])}",
                '--customize-hook=mkdir -p "$1/opt/programs"',
                *(f"--customize-hook={hook}" for hook in hooks),
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
