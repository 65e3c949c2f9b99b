"""Declarations of services: programs such as a database that run in a machine beside the desktop.

`vm/images/services/NAME/service.toml` declares one, and an image's recipe lists the names of those
it has. `files/` next to it is copied into the image's tree, and `seed.sh` runs in the tree once, as
root, when the image is built. `programs/install.sh`, if there is one, installs at
`/opt/services/NAME` what the distribution does not package (`vm.building.programs`). The image
holds all its declarations in `MANIFEST`, which process 1 of a sandbox and the guest server read; a
virtual machine starts the services as systemd units.
"""

from __future__ import annotations

import json
import shlex
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from ambidex.vm import MachineError

__all__ = ["MANIFEST", "SERVICES", "Service", "load_services", "service_files", "unit"]

SERVICES = Path(__file__).parents[1] / "images" / "services"
SEEDS = PurePosixPath("/usr/share/ambidex/seeds")
"""Folder of the seeds in the tree, where `customize.sh` runs them in the order of their names."""
MANIFEST = PurePosixPath("/usr/share/ambidex/services.json")
"""Path of the declarations in the image."""


LAST_WORDS = (
    'exec >/dev/console; echo "service-$$0 ended ($$SERVICE_RESULT); end of its log:"; '
    "journalctl --merge --unit=%n --lines=10 --output=cat --no-pager"
)
"""A script that says on the console, as in a sandbox, that a service has ended. A fork has another
machine id than the journal of its base snapshot, hence `--merge`."""


def _absolute(path: str) -> str:
    if not path.startswith("/") or ".." in path.split("/"):
        raise ValueError("must be an absolute path in the guest")
    return path


GuestPath = Annotated[str, AfterValidator(_absolute)]
Argv = Annotated[list[str], Field(min_length=1)]


class Declaration(BaseModel):
    """Refuses unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Probe(Declaration):
    """How to see that a service is ready: one of these."""

    http: str = ""
    """An address that answers GET with a status below 500."""
    tcp: int | None = Field(None, ge=1, le=65535)
    """A port of 127.0.0.1 that accepts connections."""
    run: list[str] = []
    """A program, run as the guest server's account, that ends with status 0."""

    @model_validator(mode="after")
    def _check_one(self) -> Probe:
        if sum((bool(self.http), self.tcp is not None, bool(self.run))) != 1:
            raise ValueError("must have exactly one of http, tcp and run")
        return self


class Service(Declaration):
    """The content of a `service.toml`."""

    name: str = Field(pattern=r"^[a-z][a-z0-9-]{0,31}$")
    """The name of its folder."""
    title: str
    packages: list[str] = []
    """Packages of the distribution that it needs."""
    keeps: list[GuestPath] = []
    """Patterns of its packages' files that must stay although images leave out documentation."""
    account: str
    """The account that it runs as; its packages or its seed create it."""
    account_id: int = Field(0, ge=0, le=60000)
    """The user and group id of `account`, if it must exist before its packages are installed: they
    would give it the desktop user's."""
    argv: Argv
    environment: dict[str, str] = {}
    runtime: list[GuestPath] = []
    """Folders of its account that must exist when it starts, such as one below /run."""
    after: list[str] = []
    """Services that must be ready before it is started."""
    ready: Probe
    state: list[GuestPath] = []
    """The folders that hold all of its state; a copy of them is all it needs to go on from."""
    in_memory: bool = False
    """Whether part of its state is in memory only: then a checkpoint of a sandbox is refused."""
    page: str = ""
    """The address of its web pages and its API in the guest."""
    export: list[str] = []
    """A program that prints the service's state, for the evidence; it runs as `account`."""
    questions: Annotated[str, AfterValidator(lambda path: path and _absolute(path))] = ""
    """A folder below one of its `state` folders. The host creates it if a model answers for this
    service, which then writes each question to `ID.json` there and finds the answer in `ID.txt`
    (`guest.service_questions`)."""


def load_services(names: Iterable[str], folder: Path = SERVICES) -> dict[str, Service]:
    """The services called `names`, in the order in which they can be started.

    `MachineError` names a declaration that is missing or wrong, and services that wait for each
    other.
    """
    declared = {name: _read(folder, name) for name in names}
    ordered: dict[str, Service] = {}

    def add(name: str, waiting: tuple[str, ...]) -> None:
        if name in ordered:
            return
        path = folder / (waiting[-1] if waiting else name) / "service.toml"
        if name in waiting:
            raise MachineError(f"{path}: these wait for each other: {', '.join(waiting)}")
        if name not in declared:
            raise MachineError(
                f"{path}: waits for {name!r}, which the image does not have",
                hint="Add it to the `services` of the image's recipe.",
            )
        for earlier in declared[name].after:
            add(earlier, (*waiting, name))
        ordered[name] = declared[name]

    for name in declared:
        add(name, ())
    return ordered


def _read(folder: Path, name: str) -> Service:
    path = folder / name / "service.toml"
    if not path.is_file():
        available = ", ".join(sorted(found.parent.name for found in folder.glob("*/service.toml")))
        raise MachineError(f"no service is called {name!r}", hint=f"Services: {available}.")
    try:
        return Service(name=name, **tomllib.loads(path.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, ValidationError, TypeError) as error:
        raise MachineError(f"{path}: {error}") from None


def service_files(
    services: Mapping[str, Service], folder: Path = SERVICES
) -> Iterator[tuple[str, bytes, int]]:
    """The files that an image needs for its services: path, content and mode of each."""
    fields = set(Service.model_fields) - {"packages", "keeps", "account_id"}
    declared = [service.model_dump(include=fields) for service in services.values()]
    yield str(MANIFEST), json.dumps(declared, indent=1).encode(), 0o644
    for number, service in enumerate(services.values()):
        path = f"/etc/systemd/system/ambidex-service-{service.name}.service"
        yield path, unit(service).encode(), 0o644
        seed = folder / service.name / "seed.sh"
        if seed.is_file():
            yield f"{SEEDS}/{number:02d}-{service.name}", seed.read_bytes(), 0o755


def unit(service: Service) -> str:
    """The systemd unit of a service."""
    names = [f"ambidex-service-{name}.service" for name in service.after]
    variables = [f"Environment={shlex.quote(f'{k}={v}')}" for k, v in service.environment.items()]
    folders = [
        f"ExecStartPre=+/usr/bin/install -d -o {service.account} {shlex.quote(path)}"
        for path in service.runtime
    ]
    lines = [
        "[Unit]",
        f"Description={service.title}",
        *([f"After={' '.join(names)}", f"Requires={' '.join(names)}"] if names else []),
        "[Service]",
        f"User={service.account}",
        *variables,
        *folders,
        f"ExecStart={shlex.join(service.argv)}",
        f"ExecStopPost=-+/bin/sh -c '{LAST_WORDS}' {service.name}",
        "Restart=always",
        "RestartSec=500ms",
        "StartLimitIntervalSec=0",
        "[Install]",
        "WantedBy=multi-user.target",
    ]
    return "\n".join(lines) + "\n"
