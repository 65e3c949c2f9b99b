"""botocore's models of AWS services: a tool for each operation."""

from __future__ import annotations

import gzip
import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from ambidex.host.errors import UsageError
from ambidex.host.toolsets import AwsExecution, CatalogueTool, Server
from ambidex.host.toolsets.archives import Archive, SourceFile
from ambidex.host.toolsets.importers import Imported
from ambidex.host.toolsets.importers.documents import Document, brief, mapping, read_document
from ambidex.host.toolsets.importers.openapi import LONGEST_DESCRIPTION
from ambidex.host.toolsets.importers.schemas import LONGEST_NOTE, Schemas
from ambidex.host.toolsets.naming import tool_name

__all__ = ["USUAL", "from_aws"]

USUAL = ("botocore/data/*/service-2.json", "botocore/data/*/service-2.json.gz")
NUMBERS = {"integer": "integer", "long": "integer", "float": "number", "double": "number"}
ASIDE = re.compile(r"<(note|important)>.*?</\1>", re.DOTALL)
"""Notices, such as of deprecated features, which precede what an operation does."""
TAG = re.compile(r"<[^>]*>")
SPACE = re.compile(r"\s+")


def from_aws(archive: Archive, server: str) -> Iterator[Imported]:
    """The services of botocore's data, each in its newest version, and their operations. `server`
    is the template of servers' names."""
    newest: dict[str, str] = {}
    for name in archive.names():
        service, version = _parts(name)
        if service not in newest or version > _parts(newest[service])[1]:
            newest[service] = name
    for file in archive.files(lambda name: name in newest.values()):
        yield from _service(file, server)


def _parts(name: str) -> tuple[str, str]:
    """Service and version of a file `SERVICE/VERSION/service-2.json`."""
    parts = PurePosixPath(name).parts
    if len(parts) < 3:
        raise UsageError(f"{name} does not lie in SERVICE/VERSION/, as botocore's models do")
    return parts[-3], parts[-2]


def _service(file: SourceFile, template: str) -> Iterator[Imported]:
    service, _ = _parts(file.name)
    plain = gzip.decompress(file.content) if file.name.endswith(".gz") else file.content
    root = read_document(replace(file, content=plain)).root
    about = mapping(root.get("metadata"))
    server = template.replace("{name}", service)
    yield Server(
        name=server,
        title=str(about.get("serviceFullName", "")),
        description=_text(root.get("documentation"), LONGEST_DESCRIPTION),
        source=file.source,
        source_hash=file.hash,
    )
    shapes = {name: _schema(mapping(shape)) for name, shape in mapping(root.get("shapes")).items()}
    schemas = Schemas(Document({"shapes": shapes}))
    for name, operation in mapping(root.get("operations")).items():
        inputs: Mapping[str, Any] = shapes.get(
            str(mapping(operation.get("input")).get("shape")), {}
        )
        schema = {"type": "object", "properties": {}, **inputs, "additionalProperties": False}
        yield CatalogueTool(
            server=server,
            name=tool_name(server, name),
            description=_text(operation.get("documentation"), LONGEST_DESCRIPTION) or name,
            input_schema=schemas.bundle(schemas.convert(schema)),
            execution=AwsExecution(service=service, operation=name),
        )


def _schema(shape: Mapping[str, Any]) -> dict[str, Any]:
    """A shape as a schema."""
    schema: dict[str, Any]
    match shape.get("type"):
        case "structure" if shape.get("document"):
            schema = {}
        case "structure":
            members = mapping(shape.get("members"))
            schema = {"type": "object", "properties": {k: _member(m) for k, m in members.items()}}
            # botocore makes up a token itself if there is none.
            required = [
                name
                for name in shape.get("required", ())
                if not mapping(members.get(name)).get("idempotencyToken")
            ]
            schema |= {"required": required} if required else {}
            if shape.get("union"):
                schema |= {"minProperties": 1, "maxProperties": 1}
        case "list":
            schema = {"type": "array", "items": _member(mapping(shape.get("member")))}
            schema |= _bounds(shape, "minItems", "maxItems")
        case "map":
            schema = {"type": "object", "additionalProperties": _member(mapping(shape["value"]))}
        case "string":
            schema = {"type": "string"} | _bounds(shape, "minLength", "maxLength")
            schema |= {key: shape[key] for key in ("enum", "pattern") if key in shape}
        case "boolean":
            schema = {"type": "boolean"}
        case "timestamp":
            schema = {"type": "string", "format": "date-time"}
        case "blob":
            schema = {"type": "string", "format": "binary"}
        case kind:
            schema = {"type": NUMBERS.get(str(kind), "string")}
            schema |= _bounds(shape, "minimum", "maximum")
    return schema


def _member(member: Mapping[str, Any]) -> dict[str, Any]:
    schema = {"$ref": f"#/shapes/{member.get('shape')}"}
    if member.get("jsonvalue"):
        schema = {}
    note = _text(member.get("documentation"), LONGEST_NOTE)
    return schema | ({"description": note} if note else {})


def _bounds(shape: Mapping[str, Any], least: str, most: str) -> dict[str, Any]:
    return {key: shape[name] for key, name in ((least, "min"), (most, "max")) if name in shape}


def _text(documentation: Any, longest: int) -> str:
    """The text of a piece of HTML, cut."""
    if not isinstance(documentation, str):
        return ""
    start = ASIDE.sub(" ", documentation)[: 4 * longest]  # tags and spaces go
    return brief(SPACE.sub(" ", html.unescape(TAG.sub(" ", start))), longest)
