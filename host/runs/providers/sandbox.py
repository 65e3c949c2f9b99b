"""The provider `sandbox`: desktops in Linux namespaces, at native speed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ambidex.host.runs.machines import MachineOptions, Source

__all__ = ["PROVIDER"]


class Sandbox:
    """Sandboxes made from an image."""

    def forks(self, image: str) -> bool:
        """See `Provider`. A running desktop cannot be saved; services can, by their files."""
        from ambidex.vm.building.recipe import load_recipe, recipe_names

        return image in recipe_names() and load_recipe(image)[0].session == "none"

    @contextmanager
    def open(
        self, options: MachineOptions, say: Callable[[str], None], code: Path | None
    ) -> Iterator[Source]:
        """See `Provider`."""
        from ambidex.vm.building.image import open_image, with_screen
        from ambidex.vm.sandbox.provider import SandboxProvider

        image = open_image(options.image, say=say, **({"code": code} if code else {}))
        image = with_screen(image, options.screen_size)
        with SandboxProvider(spares=options.spares, say=say) as provider:
            yield Source(
                lambda: provider.machine(image),
                f"{image.base.name}:{image.id}",
                "sandbox",
                accelerator="none",
                guest_code=image.layer_id,
            )


PROVIDER = Sandbox()
