"""Programs of the guest that no package of its distribution holds: VS Code as a server, a Node that
runs it, an MCP server. They come from the npm registry, at the exact versions of
`images/programs/package-lock.json`; compiled parts are built in a tree of the image's release.

Built once per release and version (cache: programs/<digest>/programs.tar), they are unpacked at
/opt/programs of every base.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from ambidex.vm.building.recipe import IMAGES, Recipe
from ambidex.vm.process import run
from ambidex.vm.store import cache_folder, digest, once, tree_digest

__all__ = ["PROGRAMS", "bootstrap", "build_programs"]

PROGRAMS = IMAGES / "programs"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
PACKAGES = ("ca-certificates", "npm", "g++", "make", "python3", "pkg-config")
"""What building takes in any case; a recipe adds the libraries."""


def bootstrap() -> list[str]:
    """What puts a distribution into a folder, as this user may run it. What it mounts there is in
    a mount namespace of its own, so that nothing of this machine is left in it where it is killed.
    """
    if os.geteuid() == 0:
        return ["unshare", "--mount", "mmdebstrap", "--mode=root"]
    return ["mmdebstrap", "--mode=unshare"]


def build_programs(
    recipe: Recipe, sources: Sequence[str], *, say: Callable[[str], None]
) -> Path | None:
    """The archive of /opt/programs for images of this recipe, made unless it is there; None where
    the recipe wants none.
    """
    libraries = recipe.packages_to_build
    if not libraries:
        return None
    id = digest(recipe.distribution, recipe.suite, " ".join(libraries), tree_digest([PROGRAMS]))

    def build(staging: Path) -> None:
        say("building VS Code and the servers that come from npm")
        made = staging / "made.tar"
        own = sorted(path for path in PROGRAMS.iterdir() if path.is_file())
        hooks = [f"upload {path} /opt/programs/{path.name}" for path in own]
        if CERTIFICATES.exists():
            # Where the network shows its own certificates, the tree must know them as well.
            hooks.append(f"upload {CERTIFICATES} {CERTIFICATES}")
        hooks += [
            'chroot "$1" sh /opt/programs/install.sh',
            f"tar-out /opt/programs {made}",
        ]
        run(
            [
                *bootstrap(),
                "--variant=minbase",
                "--format=null",
                f"--components={','.join(recipe.components)}",
                f"--include={','.join([*PACKAGES, *libraries])}",
                '--customize-hook=mkdir -p "$1/opt/programs"',
                *(f"--customize-hook={hook}" for hook in hooks),
                recipe.suite,
                os.devnull,
                *sources,
            ],
            what="building the guest's programs",
            hint="Is the npm registry reachable? The log names what failed.",
            log=staging / "build.log",
            progress=lambda line: say(line) if line.startswith("I: ") else None,
        )
        made.rename(staging / "programs.tar")

    return once(cache_folder() / "programs" / id, build, say) / "programs.tar"
