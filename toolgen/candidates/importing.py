"""Imports candidates from the tools of an MCP server or the operations of an OpenAPI file. Only
names, descriptions and schemas are taken; the code is written and tested like any other
candidate's."""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ambidex.host.errors import UsageError

__all__ = ["ImportedTool", "from_openapi", "from_server"]

ANSWERS_WITHIN = 60.0
METHODS = ("get", "put", "post", "delete", "patch")


@dataclass(frozen=True)
class ImportedTool:
    """The declaration of a tool that exists elsewhere."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON schema."""


def from_server(server: str) -> list[ImportedTool]:
    """The tools that a server lists; none is called. `server` is an address, or a command that
    starts the user's own server on this computer. `UsageError` if it does not answer."""
    return asyncio.run(_list_tools(server))


async def _list_tools(server: str) -> list[ImportedTool]:
    from fastmcp import Client  # heavy, and only needed here
    from fastmcp.client.transports import StdioTransport

    if server.startswith(("http://", "https://")):
        client: Client[Any] = Client(server)
    else:
        program, *arguments = shlex.split(server)
        client = Client(StdioTransport(program, arguments, keep_alive=False))
    try:
        async with asyncio.timeout(ANSWERS_WITHIN), client:
            tools = await client.list_tools()
    except (OSError, TimeoutError, RuntimeError) as error:
        raise UsageError(
            f"the MCP server {server!r} did not list its tools: {error or type(error).__name__}",
            hint="Give an http address, or a command that starts a server on stdin and stdout.",
        ) from None
    declarations = [
        tool.model_dump(mode="json", by_alias=True, include={"name", "description", "input_schema"})
        for tool in tools
    ]
    return [
        ImportedTool(tool["name"], tool.get("description") or "", tool.get("inputSchema") or {})
        for tool in declarations
    ]


def from_openapi(file: Path) -> list[ImportedTool]:
    """The operations of an OpenAPI file, JSON or YAML. `UsageError` if it is not one."""
    try:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"neither JSON nor YAML: {file}: {error}") from None
    if not isinstance(document, dict) or not isinstance(document.get("paths"), dict):
        raise UsageError(f"not an OpenAPI file (it has no paths): {file}")
    return list(_operations(document))


def _operations(document: Mapping[str, Any]) -> Iterator[ImportedTool]:
    for path, item in document["paths"].items():
        for method in METHODS:
            operation = item.get(method) if isinstance(item, Mapping) else None
            if not isinstance(operation, Mapping):
                continue
            name = operation.get("operationId") or f"{method}_{path.strip('/')}"
            words = [operation.get("summary", ""), operation.get("description", "")]
            description = ". ".join(text.strip().rstrip(".") for text in words if text)
            parts = [*item.get("parameters", []), *_parts(operation)]
            yield ImportedTool(str(name), description, _schema(document, parts))


def _parts(operation: Mapping[str, Any]) -> list[Any]:
    body = [{"body": operation["requestBody"]}] if "requestBody" in operation else []
    return [*operation.get("parameters", []), *body]


def _schema(document: Mapping[str, Any], parts: list[Any]) -> dict[str, Any]:
    """One object schema with all parameters of an operation: path, query, header and body."""
    properties: dict[str, Any] = {}
    required: list[str] = []
    for part in parts:
        if "body" in part:
            content = _resolve(document, part["body"]).get("content", {})
            inner: Mapping[str, Any] = next(
                (media_type.get("schema", {}) for media_type in content.values()), {}
            )
            body = _resolve(document, inner)
            properties |= body.get("properties", {})
            required += body.get("required", [])
            continue
        parameter = _resolve(document, part)
        schema = {**_resolve(document, parameter.get("schema", {}))}
        if parameter.get("description"):
            schema["description"] = parameter["description"]
        properties[parameter["name"]] = schema
        if parameter.get("required"):
            required.append(parameter["name"])
    whole = {"type": "object", "properties": properties, "required": list(dict.fromkeys(required))}
    result: dict[str, Any] = json.loads(json.dumps(_resolve_all(document, whole), default=str))
    return result


def _resolve_all(document: Mapping[str, Any], node: Any, depth: int = 0) -> Any:
    """Replace references by their targets, to a depth of 8; below that a schema becomes `{}`."""
    if depth > 8:
        return {}
    if isinstance(node, Mapping):
        node = _resolve(document, node)
        return {name: _resolve_all(document, value, depth + 1) for name, value in node.items()}
    if isinstance(node, list):
        return [_resolve_all(document, item, depth + 1) for item in node]
    return node


def _resolve(document: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any]:
    followed = 0
    while isinstance(node.get("$ref"), str):
        reference = node["$ref"]
        if not reference.startswith("#/") or followed > 20:
            raise UsageError(f"the reference {reference!r} leads out of the file, or in circles")
        target: Any = document
        for part in reference[2:].split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(target, Mapping) or key not in target:
                raise UsageError(f"the reference {reference!r} has no target in the file")
            target = target[key]
        node, followed = target, followed + 1
    return node
