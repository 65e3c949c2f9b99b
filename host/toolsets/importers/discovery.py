"""Google's discovery documents, read as OpenAPI."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ambidex.host.errors import UsageError
from ambidex.host.toolsets.archives import SourceFile
from ambidex.host.toolsets.importers import Imported
from ambidex.host.toolsets.importers.documents import Document, mapping, read_document
from ambidex.host.toolsets.importers.openapi import from_document
from ambidex.host.toolsets.sources import WebSource

__all__ = ["USUAL", "from_discovery"]

USUAL = ("googleapiclient/discovery_cache/documents/*.json",)
RESERVED = re.compile(r"\{\+([^{}]+)\}")
"""A placeholder whose value may have slashes."""
OWN = {"id", "$ref", "required", "repeated", "location", "default", "properties", "items"}
"""Keys of a schema or parameter that OpenAPI does not have, or that are translated here."""


def from_discovery(file: SourceFile, source: WebSource) -> Iterator[Imported]:
    """The API that a document describes, and its methods. `UsageError` if it describes none."""
    root = read_document(file).root
    if root.get("discoveryVersion") is None and root.get("rootUrl") is None:
        raise UsageError(f"{file.source} is not a discovery document")
    paths: dict[str, dict[str, Any]] = {}
    api = str(root.get("name", ""))
    for method in _methods(root):
        path = str(method.get("path", ""))
        operation = _operation(method, api)
        # Several methods may share a path; OpenAPI has them in one item.
        paths.setdefault(RESERVED.sub(r"{\1}", path), {})[
            str(method.get("httpMethod", "GET")).lower()
        ] = operation
    url = f"{root.get('rootUrl', '')}{root.get('servicePath', '')}"
    schemas = {name: _schema(mapping(one)) for name, one in mapping(root.get("schemas")).items()}
    oauth = {"google": {"type": "oauth2"}} if root.get("auth") else {}
    document = {
        "info": {key: root.get(key) for key in ("title", "description", "version")},
        "servers": [{"url": url}],
        "paths": paths,
        "components": {"schemas": schemas, "securitySchemes": oauth},
    }
    yield from from_document(Document(document), file, source)


def _methods(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from map(mapping, mapping(node.get("methods")).values())
    for resource in mapping(node.get("resources")).values():
        yield from _methods(mapping(resource))


def _operation(method: Mapping[str, Any], api: str) -> dict[str, Any]:
    identity = str(method.get("id", "")).removeprefix(f"{api}.")
    reserved = set(RESERVED.findall(str(method.get("path", ""))))
    operation: dict[str, Any] = {
        "operationId": identity if "_" in identity else identity.replace(".", "_"),
        "description": method.get("description", ""),
        "parameters": [
            {
                "name": name,
                "in": node.get("location", "query"),
                "required": node.get("required", False),
                "explode": bool(node.get("repeated")),
                "schema": _schema(node),
                "x-ms-skip-url-encoding": name in reserved,
            }
            for name, node in mapping(method.get("parameters")).items()
        ],
    }
    if "request" in method:
        schema = _schema(mapping(method["request"]))
        operation["requestBody"] = {"content": {"application/json": {"schema": schema}}}
    return operation


def _schema(node: Mapping[str, Any]) -> dict[str, Any]:
    """A schema or a parameter's description as OpenAPI has it."""
    schema = {key: value for key, value in node.items() if key not in OWN}
    if "$ref" in node:
        schema["$ref"] = f"#/components/schemas/{node['$ref']}"
    if "properties" in node:
        schema["properties"] = {
            name: _schema(mapping(one)) for name, one in mapping(node["properties"]).items()
        }
    for key in ("items", "additionalProperties"):
        if key in node:
            schema[key] = _schema(mapping(node[key]))
    for key in ("minimum", "maximum", "default"):
        if isinstance(value := node.get(key), str):
            schema[key] = _number(value) if node.get("type") != "string" else value
    if node.get("repeated"):
        note = schema.pop("description", "")
        schema = {"type": "array", "items": schema, "description": note}
    return schema


def _number(text: str) -> Any:
    """A number or boolean that is written as text."""
    try:
        return json.loads(text)
    except ValueError:
        return None
