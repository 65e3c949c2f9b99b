"""`ambidex image …`: builds, lists, imports and provisions images."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from rich.table import Table

from ambidex.host.cluster.kept import unusable_trials
from ambidex.host.errors import UsageError
from ambidex.host.loop.stage_cache import outdated
from ambidex.host.terminal import Terminal, echo
from ambidex.vm.building.image import build_base, import_base, list_bases, open_image
from ambidex.vm.building.prune import size, stale, usable_images
from ambidex.vm.building.recipe import recipe_names
from ambidex.vm.firm.draw import draw_firm
from ambidex.vm.firm.tables import describe
from ambidex.vm.machines.provision import parse_address, provision
from ambidex.vm.stages import delete_entry, stages_folder
from ambidex.vm.store import forget

__all__ = ["images"]

images = App(name="image", help="Build, list, import and provision images.")


def _say(line: str) -> None:
    Terminal(stderr=True).print(line, style="dim", markup=False, highlight=False)


@images.command
def build(
    name: Annotated[str, Parameter(help="The recipe's name; `image list` shows them.")],
    *,
    mirror: Annotated[
        str, Parameter(help="A package mirror to use instead of this computer's.")
    ] = "",
) -> None:
    """Build the image of a recipe with the current guest code, reusing up-to-date parts."""
    base = build_base(name, mirror=mirror, say=_say)
    image = open_image(name, say=_say)
    echo(f"{name} is ready: {base.folder} (image {image.id})")


@images.command(name="list")
def show() -> None:
    """List the built images, and the recipes that are not built."""
    bases = list_bases()
    table = Table("image", "id", "disk", "memory", "folder")
    for base in bases:
        used = base.disk.stat().st_blocks * 512 / 2**30
        table.add_row(base.name, base.id, f"{used:.1f} GiB", f"{base.memory} MiB", str(base.folder))
    Terminal().print(table)
    missing = [name for name in recipe_names() if name not in {base.name for base in bases}]
    if missing:
        echo(f"not built: {', '.join(missing)}")


@images.command
def firm(
    number: Annotated[int, Parameter(help="The firm's number, the key `firm` of a recipe.")],
) -> None:
    """Print who is who and what is where in the firm of an image, for authors of tasks."""
    if number < 1:
        raise UsageError(f"{number} is not the number of a firm: they begin with 1")
    echo(describe(draw_firm(number)))


@images.command
def prune(
    *,
    yes: Annotated[
        bool, Parameter(negative="", help="Delete them instead of listing them.")
    ] = False,
) -> None:
    """List the cache files of older recipes, older code and older stages, and the trials that this
    host keeps for a cluster and that need an older image; with --yes, delete them."""
    folders = [*stale(), *unusable_trials(usable_images())]
    old_stages = [entry for entry in outdated(stages_folder()) if entry.parent not in folders]
    for folder in (*folders, *old_stages):
        echo(f"{size(folder) / 2**30:6.2f} GiB  {folder}")
        if yes and folder in old_stages:
            delete_entry(folder)
        elif yes:
            forget(folder)
    total = len(folders) + len(old_stages)
    echo(f"{total} {'deleted' if yes else 'would be deleted; --yes deletes them'}")


@images.command(name="import")
def take(
    path: Annotated[Path, Parameter(help="The disk: a qcow2 or raw file.")],
    *,
    name: Annotated[str, Parameter(help="The name of the new image.")],
    python: Annotated[str, Parameter(help="The Python version on the disk, such as 3.10.")],
    user: Annotated[str, Parameter(help="The user who is logged in on the desktop.")] = "user",
    memory: Annotated[int, Parameter(help="Memory of each machine, in MiB.")] = 4096,
) -> None:
    """Import a qcow2 or raw disk as an image. It boots with its own boot loader."""
    base = import_base(path, name, python=python, user=user, memory=memory, say=_say)
    echo(f"{base.name} is ready: {base.folder}")


@images.command(name="provision")
def put_guest(
    *,
    ssh: Annotated[str, Parameter(help="Where to connect: user@host or user@host:port.")],
    user: Annotated[str, Parameter(help="The user who is logged in on the desktop.")] = "user",
    key: Annotated[Path | None, Parameter(help="A private key file.")] = None,
    password: Annotated[
        str, Parameter(env_var="AMBIDEX_SSH_PASSWORD", help="The password, if there is no key.")
    ] = "",
    accept_new_host: Annotated[bool, Parameter(help="Trust an unknown host key.")] = False,
) -> None:
    """Install the guest agent on a running Ubuntu or Debian desktop, over SSH.

    Prints the bearer token of the guest's endpoint, which listens on port 8770 of that machine.
    """
    token = provision(
        parse_address(ssh),
        desktop_user=user,
        key=key,
        password=password,
        accept_new_host=accept_new_host,
        say=_say,
    )
    echo(token)
