"""Toolsets: catalogues of thousands of tools as files that are compiled once and named by a hash.

This module has the values in them; `toolset.py` reads and writes the file, `index.py` searches it,
and `gateway.py` offers it to an agent.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from ambidex.evaluators.strict import Strict

__all__ = [
    "LONGEST_NAME",
    "AwsExecution",
    "CatalogueTool",
    "Credential",
    "DesktopExecution",
    "Execution",
    "HttpExecution",
    "HttpParameter",
    "McpExecution",
    "Server",
]

LONGEST_NAME = 64
"""Maximum characters of a tool's name: what vendors of models accept."""


class HttpParameter(Strict):
    """How one argument is carried by an HTTP request."""

    argument: str
    """Name of the argument."""
    location: Literal["base", "path", "query", "header", "cookie", "body", "form"]
    """The part of the request. `base` fills a placeholder of the base address, `body` is a member
    of a JSON body, `form` is a field of a form or a multipart body."""
    name: str
    """Name in the request. An empty name in `body`: the argument is the whole body."""
    style: str = ""
    """How arrays and objects are written, as OpenAPI 3 names it: simple, label, matrix, form,
    spaceDelimited, pipeDelimited, deepObject; also tabDelimited (Swagger 2) and json. Empty: the
    default of the location."""
    explode: bool = False
    """Whether each item of an array or member of an object is written apart."""
    binary: bool = False
    """The argument is base64 text of the bytes that are sent."""
    reserved: bool = False
    """Reserved characters such as / are sent as they are (`allowReserved`)."""


class HttpExecution(Strict):
    """A tool that is an HTTP request."""

    kind: Literal["http"] = "http"
    method: str
    """In capitals."""
    base: str = ""
    """Base address, a template such as `https://{account}.example.org`. Empty: the address at
    which the service runs."""
    path: str
    """Path template such as `/pets/{id}`."""
    parameters: tuple[HttpParameter, ...] = ()
    content_type: str = ""
    """Media type of the body; empty if the request has none."""
    fixed: dict[str, Any] = Field(default_factory=dict)
    """Values of arguments that the model does not give, by argument."""


class AwsExecution(Strict):
    """A tool that is an operation of an AWS service, called through botocore."""

    kind: Literal["aws"] = "aws"
    service: str
    """botocore's name, such as `s3`."""
    operation: str
    """botocore's name, such as `CreateBucket`."""


class McpExecution(Strict):
    """A tool of an MCP server. How to start the server is in `Server`."""

    kind: Literal["mcp"] = "mcp"
    tool: str
    """The tool's name on the server."""


class DesktopExecution(Strict):
    """One of the guest's own tools."""

    kind: Literal["desktop"] = "desktop"
    tool: str


Execution = Annotated[
    HttpExecution | AwsExecution | McpExecution | DesktopExecution, Field(discriminator="kind")
]


class CatalogueTool(Strict):
    """One tool of a toolset."""

    server: str
    """Name of its server, a key of `Toolset.servers`."""
    name: str = Field(pattern=r"^[A-Za-z0-9_-]+$", max_length=LONGEST_NAME)
    """Unique within the toolset."""
    description: str = ""
    input_schema: dict[str, Any] = Field(default_factory=dict)
    """JSON schema of the arguments that a model gives. Fixed arguments and credentials are not
    among them."""
    execution: Execution
    executable: bool = True
    """Whether the tool can be executed in a guest."""
    cause: str = ""
    """Why it cannot; empty if it can."""


class Credential(Strict):
    """Where requests to a server carry a credential. The credential itself is never stored."""

    location: Literal["header", "query", "cookie"]
    name: str
    prefix: str = ""
    """What precedes it, such as `Bearer `."""


class Server(Strict):
    """What offers tools: an MCP server, or a service with an API."""

    name: str = Field(min_length=1)
    title: str = ""
    description: str = ""
    summary: str = ""
    """What its tools do, in a paragraph: some retrieval searches it too."""
    category: str = ""
    command: tuple[str, ...] = ()
    """Of an MCP server on stdin and stdout: program and arguments."""
    env: dict[str, str] = Field(default_factory=dict)
    """Environment variables of that command."""
    url: str = ""
    """Of an MCP server over HTTP."""
    credentials: tuple[Credential, ...] = ()
    """Of a service: where its requests carry credentials."""
    source: str = ""
    """The file or package that the tools were imported from."""
    source_hash: str = ""
    """SHA-256 of that source, in hex."""
