"""Importing: the tools of an MCP server, or the operations of an OpenAPI file, as candidates. They
bring names, words and schemas; what they do is written anew, and proved like any other."""

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

__all__ = ["Imported", "from_openapi", "from_server"]

ANSWERS_WITHIN = 60.0
METHODS = ("get", "put", "post", "delete", "patch")


@dataclass(frozen=True)
class Imported:
    """A tool that exists elsewhere."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON schema."""


def from_server(server: str) -> list[Imported]:
    """What a server lists: one at an address, or one that this command starts on this machine (it
    is the user's own; no tool of it is called). `UsageError` where it does not answer."""
    return asyncio.run(_listed(server))


async def _listed(server: str) -> list[Imported]:
    from fastmcp import Client  # heavy: only this asks a server
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
            hint="A command that starts one over its pipes, or an http address.",
        ) from None
    found = [
        tool.model_dump(mode="json", by_alias=True, include={"name", "description", "input_schema"})
        for tool in tools
    ]
    return [
        Imported(each["name"], each.get("description") or "", each.get("inputSchema") or {})
        for each in found
    ]


def from_openapi(file: Path) -> list[Imported]:
    """The operations of the file, JSON or YAML; `UsageError` where it is none."""
    try:
        said = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} is neither JSON nor YAML: {error}") from None
    if not isinstance(said, dict) or not isinstance(said.get("paths"), dict):
        raise UsageError(f"not an OpenAPI file (it has no paths): {file}")
    return list(_operations(said))


def _operations(said: Mapping[str, Any]) -> Iterator[Imported]:
    for path, item in said["paths"].items():
        for method in METHODS:
            operation = item.get(method) if isinstance(item, Mapping) else None
            if not isinstance(operation, Mapping):
                continue
            name = operation.get("operationId") or f"{method}_{path.strip('/')}"
            words = [operation.get("summary", ""), operation.get("description", "")]
            described = ". ".join(each.strip().rstrip(".") for each in words if each)
            shared = item.get("parameters", [])
            yield Imported(str(name), described, _schema(said, [*shared, *_parts(operation)]))


def _parts(operation: Mapping[str, Any]) -> list[Any]:
    body = [{"body": operation["requestBody"]}] if "requestBody" in operation else []
    return [*operation.get("parameters", []), *body]


def _schema(said: Mapping[str, Any], parts: list[Any]) -> dict[str, Any]:
    """One object of all that an operation takes, in path, query, header and body."""
    properties: dict[str, Any] = {}
    required: list[str] = []
    for given in parts:
        if "body" in given:
            content = _resolved(said, given["body"]).get("content", {})
            inner: Mapping[str, Any] = next(
                (each.get("schema", {}) for each in content.values()), {}
            )
            body = _resolved(said, inner)
            properties |= body.get("properties", {})
            required += body.get("required", [])
            continue
        part = _resolved(said, given)
        schema = {**_resolved(said, part.get("schema", {}))}
        if part.get("description"):
            schema["description"] = part["description"]
        properties[part["name"]] = schema
        if part.get("required"):
            required.append(part["name"])
    whole = {"type": "object", "properties": properties, "required": list(dict.fromkeys(required))}
    found: dict[str, Any] = json.loads(json.dumps(_deep(said, whole), default=str))
    return found


def _deep(said: Mapping[str, Any], node: Any, depth: int = 0) -> Any:
    """References followed, as deep as a schema reasonably goes."""
    if depth > 8:
        return {}
    if isinstance(node, Mapping):
        node = _resolved(said, node)
        return {name: _deep(said, value, depth + 1) for name, value in node.items()}
    if isinstance(node, list):
        return [_deep(said, each, depth + 1) for each in node]
    return node


def _resolved(said: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any]:
    seen = 0
    while isinstance(node.get("$ref"), str):
        reference = node["$ref"]
        if not reference.startswith("#/") or seen > 20:
            raise UsageError(f"the reference {reference!r} leads out of the file")
        target: Any = said
        for part in reference[2:].split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(target, Mapping) or key not in target:
                raise UsageError(f"the reference {reference!r} leads nowhere")
            target = target[key]
        node, seen = target, seen + 1
    return node
