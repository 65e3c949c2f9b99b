"""What a toolset is compiled from: a TOML file with a list of sources."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from ambidex.evaluators.strict import Strict, explain
from ambidex.host.errors import UsageError
from ambidex.host.toolsets import Credential

__all__ = [
    "AwsSource",
    "DesktopSource",
    "DiscoverySource",
    "FileSource",
    "McpSource",
    "OpenApiSource",
    "Source",
    "Sources",
    "WebSource",
    "read_sources",
]


class _Source(Strict):
    """What every kind of source has."""

    server: str = "{name}"
    """The server's name in the toolset, with which its tools' names begin. `{name}` stands for its
    name in the source: that of the MCP server, the AWS service or the file."""
    only: tuple[str, ...] = ()
    """Patterns of tools' names in the toolset, such as `*_list_*`. Without any: all."""
    without: tuple[str, ...] = ()
    """Patterns of tools' names to leave out."""
    executable: bool | tuple[str, ...] = False
    """Whether a guest can execute the tools; or patterns of the names of those it can."""
    cause: str = Field(default="no service of the guest offers it", min_length=1)
    """Why it cannot execute the others."""


class DesktopSource(_Source):
    """The guest's own tools, under their own names, without mouse, keyboard and screenshot."""

    kind: Literal["desktop"]
    server: Literal["{name}"] = "{name}"
    executable: bool | tuple[str, ...] = True


class FileSource(_Source):
    """A source in files: of a package, or on this computer."""

    package: str = Field(default="", pattern=r"^((npm|pypi):\S+@[A-Za-z0-9.+-]+)?$")
    """`npm:NAME@VERSION` or `pypi:NAME@VERSION`."""
    path: str = ""
    """A file, a directory or an archive, relative to the TOML file."""
    files: tuple[str, ...] = ()
    """Patterns of the files' paths within the package, directory or archive; `*` matches `/` too.
    Without any: what is usual for the kind."""

    @model_validator(mode="after")
    def _is_somewhere(self) -> FileSource:
        if bool(self.package) == bool(self.path):
            raise ValueError("give either package or path")
        return self


class McpSource(FileSource):
    """A configuration with `mcpServers`, or LiveMCPBench's `tools.json`."""

    kind: Literal["mcp"]


class WebSource(FileSource):
    """A source of tools that are HTTP requests."""

    base: str | None = None
    """Address of the service without its path, instead of the one in the file. Empty: wherever the
    service runs."""
    fixed: dict[str, Any] = Field(default_factory=dict)
    """Values of parameters that a model does not give, by the parameter's name. `{version}` stands
    for the API's version."""
    credentials: tuple[Credential, ...] = ()
    """Where requests carry credentials, besides what the file says. Parameters of that name are
    not among the arguments."""


class OpenApiSource(WebSource):
    """OpenAPI 3.1, 3.0 or 2 (Swagger), in JSON or YAML."""

    kind: Literal["openapi"]


class DiscoverySource(WebSource):
    """Google's discovery documents."""

    kind: Literal["discovery"]


class AwsSource(FileSource):
    """botocore's models of AWS services, each in its newest version."""

    kind: Literal["aws"]


Source = Annotated[
    DesktopSource | McpSource | OpenApiSource | DiscoverySource | AwsSource,
    Field(discriminator="kind"),
]


class Sources(Strict):
    """A TOML file of sources."""

    source: tuple[Source, ...] = Field(min_length=1)


def read_sources(path: Path) -> Sources:
    """Read a file of sources. `UsageError` if it is not one."""
    try:
        return Sources.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not TOML: {error}") from None
    except ValidationError as error:
        raise UsageError(
            f"{path}: {explain(error)}",
            hint="docs/toolsets.md lists the kinds of sources and their keys.",
        ) from None
