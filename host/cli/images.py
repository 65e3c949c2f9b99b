"""`ambidex image …`: images are built, listed, imported and provisioned."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from rich.table import Table

from ambidex.host.terminal import Terminal, echo
from ambidex.vm.building.image import build_base, import_base, list_bases, open_image
from ambidex.vm.building.prune import size, stale
from ambidex.vm.building.recipe import recipe_names
from ambidex.vm.machines.provision import parse_address, provision
from ambidex.vm.store import forget

__all__ = ["images"]

images = App(name="image", help="Build, list, import and provision images.")


def _say(line: str) -> None:
    Terminal(stderr=True).print(line, style="dim", markup=False, highlight=False)


@images.command
def build(
    name: str,
    *,
    mirror: Annotated[str, Parameter(help="a package mirror, instead of this machine's own")] = "",
) -> None:
    """Build the image of a recipe unless it is there already, with the guest code as it is now."""
    base = build_base(name, mirror=mirror, say=_say)
    image = open_image(name, say=_say)
    echo(f"{name} is ready: {base.folder} (image {image.id})")


@images.command(name="list")
def show() -> None:
    """List the images that are built, and the recipes that could be."""
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
def prune(
    *, yes: Annotated[bool, Parameter(negative="", help="delete them; only list otherwise")] = False
) -> None:
    """List what older recipes and older guest code left in the cache; with --yes, delete it."""
    found = stale()
    for folder in found:
        echo(f"{size(folder) / 2**30:6.2f} GiB  {folder}")
        if yes:
            forget(folder)
    echo(f"{len(found)} {'deleted' if yes else 'would go; --yes deletes them'}")


@images.command(name="import")
def take(
    path: Path,
    *,
    name: Annotated[str, Parameter(help="what to call it here")],
    python: Annotated[str, Parameter(help="version of the disk's own Python, such as 3.10")],
    user: Annotated[str, Parameter(help="the user who is logged in at the desktop")] = "user",
    memory: Annotated[int, Parameter(help="MiB of a machine")] = 4096,
) -> None:
    """Take an existing qcow2 or raw disk as an image. It boots by its own boot loader."""
    base = import_base(path, name, python=python, user=user, memory=memory, say=_say)
    echo(f"{base.name} is ready: {base.folder}")


@images.command(name="provision")
def put_guest(
    *,
    ssh: Annotated[str, Parameter(help="user@host or user@host:port")],
    user: Annotated[str, Parameter(help="the user who is logged in at the desktop")] = "user",
    key: Annotated[Path | None, Parameter(help="a private key file")] = None,
    password: Annotated[str, Parameter(env_var="AMBIDEX_SSH_PASSWORD")] = "",
    accept_new_host: Annotated[bool, Parameter(help="trust a host key not met before")] = False,
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
