"""Whether the machines that a command line selects can do what a run needs, before they exist."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ambidex.host.errors import UsageError
from ambidex.host.records.config import read_config
from ambidex.host.runs.machines import MachineOptions
from ambidex.tasks import Suite, Task
from ambidex.vm.building.recipe import load_recipe, recipe_names
from ambidex.vm.building.services import load_services

__all__ = [
    "BUILT_FROM_IMAGES",
    "refuse_another_image",
    "refuse_elsewhere",
    "refuse_missing_colleagues",
    "refuse_missing_network",
    "refuse_unforked",
    "refuse_unsuited_machines",
]

BUILT_FROM_IMAGES = ("libvirt", "sandbox")
"""The providers that record the name and id of an image."""


def refuse_unsuited_machines(suite: Suite, machines: MachineOptions) -> None:
    """`UsageError` if the image is unknown, or lacks a service or the machines a network that tasks
    need."""
    _refuse_unknown_image(machines)
    _refuse_missing_services(suite, machines.image)
    refuse_missing_network(suite.tasks, machines)


def _refuse_unknown_image(machines: MachineOptions) -> None:
    """`UsageError` if there is no image of that name, built or not."""
    from ambidex.vm.building.image import image_names

    if machines.provider in BUILT_FROM_IMAGES and machines.image not in image_names():
        raise UsageError(
            f"there is no image {machines.image!r}", hint=f"There are {', '.join(image_names())}."
        )


def _refuse_missing_services(suite: Suite, image: str) -> None:
    """`UsageError` if tasks need services that the image's recipe does not have. An imported image
    has no recipe, and is not checked."""
    if image not in recipe_names():
        return
    available = load_recipe(image)[0].services
    for task in suite.tasks:
        if missing := [name for name in task.spec.services if name not in available]:
            raise UsageError(
                f"the task {task.name} needs the service {missing[0]}, which the image {image} "
                "does not have",
                hint="Name an image that has it, such as --image debian-13-services.",
            )


def refuse_missing_network(tasks: Sequence[Task], machines: MachineOptions) -> None:
    """`UsageError` if tasks need a network that the guests would not have, or if a network is asked
    for where there is none."""
    if machines.network and machines.provider == "sandbox":
        raise UsageError("a sandbox has no network", hint="Use --provider libvirt with --network.")
    needing = [task.name for task in tasks if task.spec.network]
    if needing and not machines.network:
        others = f" and {len(needing) - 1} others need" if len(needing) > 1 else " needs"
        raise UsageError(
            f"the task {needing[0]}{others} a network, which guests do not have by default",
            hint="Add --network to give them this computer's, or select other tasks (--net offline"
            " for those of a benchmark).",
        )


def refuse_missing_colleagues(machines: MachineOptions) -> None:
    """`UsageError` if no service of the image asks a model, so that none would be asked. An
    imported image has no recipe, and is not checked."""
    if machines.provider not in BUILT_FROM_IMAGES or machines.image not in recipe_names():
        return
    services = load_services(load_recipe(machines.image)[0].services)
    if not any(service.questions for service in services.values()):
        raise UsageError(
            f"--colleagues.model is given, and the image {machines.image} has no colleagues",
            hint="Name an image that has them, such as --image debian-13-company.",
        )


def refuse_another_image(run: Path, image: str) -> None:
    """`UsageError` if the checkpoints of a run belong to another image than `image`."""
    if (original := read_config(run).image) != image:
        raise UsageError(
            f"the checkpoints of {run} belong to the image {original or '(none)'}, not {image}",
            hint="Name the same --image. If it was rebuilt since, its checkpoints are unusable.",
        )


def refuse_elsewhere(hosts: set[str], *, local: bool) -> None:
    """`UsageError` if checkpoints are not where the trials that start from them would run. `hosts`
    are the hosts of a cluster that have them; an empty name is this computer."""
    if local and (elsewhere := sorted(hosts - {""})):
        raise UsageError(
            f"hosts of a cluster have these checkpoints: {', '.join(elsewhere)}",
            hint="Name the cluster with --cluster.",
        )
    if not local and "" in hosts:
        raise UsageError(
            "these checkpoints are on this computer, and cannot be started on other hosts",
            hint="Leave --cluster out.",
        )


def refuse_unforked(machines: MachineOptions) -> None:
    """`UsageError` if no checkpoints can be taken of these machines while they run."""
    if not machines.forks:
        raise UsageError(
            f"machines of the provider {machines.provider} with the image {machines.image} have no "
            "checkpoints",
            hint="Use --provider libvirt, or leave --checkpoint out.",
        )
