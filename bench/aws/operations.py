"""The operations of botocore's services that moto implements."""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Collection, Iterator
from typing import NamedTuple

from botocore import xform_name
from botocore.model import Shape
from botocore.session import Session
from moto.backends import list_of_moto_modules
from moto.core.responses import BaseResponse

__all__ = ["Operation", "implemented"]

RENAMED = {"awslambda": "lambda"}
"""moto's module -> botocore's service, where they differ in more than hyphens."""
WITHOUT = {("cloudformation", "ValidateTemplate"): "needs cfn-lint, which brings 150 MB"}
"""Operations that moto implements with libraries which neither images nor tests have."""


class Operation(NamedTuple):
    """An operation of a service."""

    service: str
    name: str
    shape: Shape | None
    """The shape of its arguments; None without any."""


def implemented(*, only: Collection[str] = ()) -> Iterator[Operation]:
    """The operations for which moto's answering class has a method, by service and name: those of
    all services, or `only` of some."""
    session = Session()
    available = {name.replace("-", ""): name for name in session.get_available_services()}
    for module in sorted(list_of_moto_modules()):
        service = RENAMED.get(module) or available.get(module)
        if service is None or (only and service not in only):
            continue
        classes = list(_answering(module))
        model = session.get_service_model(service)
        for name in sorted(model.operation_names):
            if (service, name) not in WITHOUT and any(
                hasattr(found, xform_name(name)) for found in classes
            ):
                yield Operation(service, name, model.operation_model(name).input_shape)


def _answering(module: str) -> Iterator[type[BaseResponse]]:
    """The classes of a module of moto that answer requests."""
    for part in ("responses", "urls"):  # some modules answer with the class of another one
        if importlib.util.find_spec(f"moto.{module}.{part}") is None:
            continue
        for found in vars(importlib.import_module(f"moto.{module}.{part}")).values():
            if inspect.isclass(found) and issubclass(found, BaseResponse):
                yield found
