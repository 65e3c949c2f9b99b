"""OpenAPI 3.1, 3.0 and 2 (Swagger): a tool for each operation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ambidex.host.errors import UsageError
from ambidex.host.toolsets import CatalogueTool, Credential, HttpExecution, Server
from ambidex.host.toolsets.archives import SourceFile
from ambidex.host.toolsets.importers import Imported
from ambidex.host.toolsets.importers.documents import (
    Document,
    UnresolvedError,
    brief,
    mapping,
    read_document,
)
from ambidex.host.toolsets.importers.parameters import (
    Arguments,
    add_body,
    add_parameters,
    credentials_of,
)
from ambidex.host.toolsets.importers.schemas import Schemas
from ambidex.host.toolsets.naming import slug, tool_name
from ambidex.host.toolsets.sources import WebSource

__all__ = ["LONGEST_DESCRIPTION", "USUAL", "from_document", "from_openapi"]

USUAL = ("*.json", "*.yaml", "*.yml")
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
LONGEST_DESCRIPTION = 1024
"""Maximum characters of a tool's description: what vendors of models accept."""


@dataclass(frozen=True)
class Operation:
    """One operation of a description."""

    method: str
    path: str
    node: Mapping[str, Any]
    item: Mapping[str, Any]
    """The path's entry."""
    identity: str
    """Its id, or method and path where it has none of its own."""


def from_openapi(file: SourceFile, source: WebSource) -> Iterator[Imported]:
    """The service that a file describes, and its operations. `UsageError` if it describes none."""
    document = read_document(file)
    version = str(document.root.get("openapi") or document.root.get("swagger") or "")
    if not version.startswith(("3.0", "3.1", "3.2", "2")):
        known = "2.0 and 3.0 to 3.2 are read"
        raise UsageError(f"{file.source} is not an OpenAPI file: version {version!r}; {known}")
    yield from from_document(document, file, source)


def from_document(document: Document, file: SourceFile, source: WebSource) -> Iterator[Imported]:
    """The service and the operations of a document that was read from a file."""
    root = document.root
    info = mapping(root.get("info"))
    name = source.server.replace("{name}", slug(file.stem))
    schemes = mapping(mapping(root.get("components")).get("securitySchemes"))
    found = credentials_of(schemes or mapping(root.get("securityDefinitions")))
    credentials = tuple(dict.fromkeys([*source.credentials, *found]))
    yield Server(
        name=name,
        title=brief(info.get("title"), LONGEST_DESCRIPTION),
        description=brief(info.get("description"), LONGEST_DESCRIPTION),
        credentials=credentials,
        source=file.source,
        source_hash=file.hash,
    )
    fixed = {
        key: value.replace("{version}", str(info.get("version", "")))
        if isinstance(value, str)
        else value
        for key, value in source.fixed.items()
    }
    schemas = Schemas(document)
    for operation in _operations(document):
        yield _Compiler(document, schemas, fixed, credentials, source.base).tool(name, operation)


def _operations(document: Document) -> Iterator[Operation]:
    listed: list[tuple[str, str, Mapping[str, Any], Mapping[str, Any]]] = []
    for group in ("paths", "x-ms-paths"):
        for path, node in mapping(document.root.get(group)).items():
            try:
                item = document.resolved(node)
            except UnresolvedError:
                continue
            listed += [
                (method.upper(), str(path), item[method], item)
                for method in METHODS
                if isinstance(item.get(method), Mapping)
            ]
            # Since 3.2: other methods, such as those of WebDAV, in capitals.
            listed += [
                (str(method), str(path), node, item)
                for method, node in mapping(item.get("additionalOperations")).items()
                if isinstance(node, Mapping)
            ]
    ids = Counter(str(node.get("operationId", "")) for _, _, node, _ in listed)
    for method, path, node, item in listed:
        own = str(node.get("operationId", ""))
        if not own:
            identity = f"{method} {path}"
        elif ids[own] > 1:  # which OpenAPI forbids
            identity = f"{own} {method} {path}"
        else:
            identity = own
        yield Operation(method, path, node, item, identity)


@dataclass(frozen=True)
class _Compiler:
    """Makes tools of the operations of one document."""

    document: Document
    schemas: Schemas
    fixed: Mapping[str, Any]
    credentials: tuple[Credential, ...]
    address: str | None
    """The base address that the source gives."""

    def tool(self, server: str, operation: Operation) -> CatalogueTool:
        """The tool of an operation. It is not executable if something it needs is missing."""
        to = Arguments(
            self.fixed,
            frozenset(
                (one.location, one.name.lower() if one.location == "header" else one.name)
                for one in self.credentials
            ),
        )
        cause = ""
        base, prefix = self._base(operation, to)
        try:
            self._collect(operation, to)
        except UnresolvedError as error:
            cause = f"its description is incomplete: {error}"
        schema: dict[str, Any] = {"type": "object", "properties": to.properties}
        if to.required:
            schema["required"] = to.required
        schema["additionalProperties"] = False
        return CatalogueTool(
            server=server,
            name=tool_name(server, operation.identity),
            description=_description(operation),
            input_schema=self.schemas.bundle(schema),
            execution=HttpExecution(
                method=operation.method,
                base=base,
                path=f"{prefix}{'' if operation.path.startswith('/') else '/'}{operation.path}",
                parameters=tuple(to.parameters),
                content_type=to.content_type,
                fixed=to.fixed,
            ),
            executable=not cause,
            cause=cause,
        )

    def _collect(self, operation: Operation, to: Arguments) -> None:
        node = operation.node
        consumed = node.get("consumes", self.document.root.get("consumes"))
        if isinstance(consumed, list) and "multipart/form-data" in consumed:
            to.content_type = "multipart/form-data" if len(consumed) == 1 else ""
        groups = (operation.item.get("parameters"), node.get("parameters"))
        add_parameters(to, operation.path, groups, self.document, self.schemas)
        if "requestBody" in node:
            body = self.document.resolved(node["requestBody"])
            add_body(to, body, self.schemas)

    def _base(self, operation: Operation, to: Arguments) -> tuple[str, str]:
        """The base address without its path, and that path."""
        swagger = "swagger" in self.document.root
        base, path = self._swagger_base(to) if swagger else self._server_base(operation, to)
        if self.address is not None:
            base = self.address.rstrip("/")
        return base, f"/{path.strip('/')}".rstrip("/")

    def _server_base(self, operation: Operation, to: Arguments) -> tuple[str, str]:
        """Of the first server; its variable is an argument if it has no default value."""
        servers: list[Any] = next(
            (
                listed
                for node in (operation.node, operation.item, self.document.root)
                if isinstance(listed := node.get("servers"), list) and listed
            ),
            [{}],
        )
        server = mapping(servers[0])
        url = str(server.get("url", ""))
        for name, variable in mapping(server.get("variables")).items():
            value = self.fixed.get(name, mapping(variable).get("default"))
            if value not in (None, ""):
                url = url.replace(f"{{{name}}}", str(value))
            elif f"{{{name}}}" in url and self.address is None:
                schema = self.schemas.convert({"type": "string", **mapping(variable)})
                to.add("base", name, schema, required=True)
        scheme, separator, rest = url.rpartition("://")
        if not separator:
            return "", url
        host, _, path = rest.partition("/")
        return f"{scheme}://{host}", path

    def _swagger_base(self, to: Arguments) -> tuple[str, str]:
        root = self.document.root
        schemes = root.get("schemes")
        known = schemes if isinstance(schemes, list) and schemes else ["https"]
        scheme = "https" if "https" in known else str(known[0])
        host, path = str(root.get("host", "")), str(root.get("basePath", ""))
        hosted = mapping(root.get("x-ms-parameterized-host"))
        if not hosted:
            return (f"{scheme}://{host}" if host else ""), path
        for node in hosted.get("parameters") or () if self.address is None else ():
            one = self.document.resolved(node)
            raw = {key: value for key, value in one.items() if key != "required"}
            how: dict[str, Any] = {}
            if one.get("x-ms-skip-url-encoding") is True:
                how["reserved"] = True
            to.add("base", str(one.get("name")), self.schemas.convert(raw), required=True, **how)
        host = str(hosted.get("hostTemplate", host))
        return (f"{scheme}://{host}" if hosted.get("useSchemePrefix", True) else host), path


def _description(operation: Operation) -> str:
    summary, description = (
        text.strip() if isinstance(text := operation.node.get(key), str) else ""
        for key in ("summary", "description")
    )
    if summary and description and not description.startswith(summary.rstrip(".")):
        description = f"{summary.rstrip('.')}. {description}"
    text = description or summary or f"{operation.method} {operation.path}"
    return brief(text, LONGEST_DESCRIPTION)
