"""The arguments of an operation: a name, a schema, and the place in the request of each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ambidex.host.toolsets import Credential, HttpParameter
from ambidex.host.toolsets.importers.documents import Document, mapping
from ambidex.host.toolsets.importers.schemas import BASE64, Schemas, described

__all__ = ["Arguments", "add_body", "add_parameters", "credentials_of"]

Location = Literal["base", "path", "query", "header", "cookie", "body", "form"]
UNNAMEABLE = re.compile(r"[^A-Za-z0-9_.-]+")
LONGEST_ARGUMENT = 64
"""Maximum characters of an argument's name: what vendors of models accept."""
OF_THE_CLIENT = {"accept", "content-type", "authorization", "content-length", "host"}
"""Headers that are no arguments."""
DELIMITED = {"ssv": "spaceDelimited", "tsv": "tabDelimited", "pipes": "pipeDelimited"}
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
IN_PATH = re.compile(r"\{([^{}]+)\}")


@dataclass
class Arguments:
    """What the arguments of one operation are, as they are collected."""

    fixed_values: Mapping[str, Any]
    """Values that the source fixes, by the name in the request."""
    hidden: frozenset[tuple[str, str]]
    """Location and name of parameters that carry credentials; headers in lower case."""
    properties: dict[str, Any] = field(default_factory=dict)
    required: list[str] = field(default_factory=list)
    parameters: list[HttpParameter] = field(default_factory=list)
    fixed: dict[str, Any] = field(default_factory=dict)
    content_type: str = ""

    def add(
        self,
        location: Location,
        name: str,
        schema: dict[str, Any],
        *,
        required: bool,
        wanted: str = "",
        **how: Any,
    ) -> None:
        """Add an argument, unless it is a credential. A fixed one, or one with a single possible
        value, is carried without being an argument. `wanted` is a name instead of its own."""
        if (location, name.lower() if location == "header" else name) in self.hidden:
            return
        argument = self._unused(wanted or name, location)
        parameter = {"argument": argument, "location": location, "name": name} | how
        self.parameters.append(HttpParameter(**parameter))
        values = schema.get("enum", [])
        if name in self.fixed_values:
            self.fixed[argument] = self.fixed_values[name]
        elif required and location != "body" and len(values) == 1:
            self.fixed[argument] = values[0]
        else:
            self.properties[argument] = schema
            if required:
                self.required.append(argument)

    def _unused(self, name: str, location: str) -> str:
        """A name that models may be given and no other argument has."""
        taken = self.properties.keys() | self.fixed
        wanted = UNNAMEABLE.sub("_", name).strip("_")[:LONGEST_ARGUMENT] or location
        if wanted not in taken:
            return wanted
        wanted = f"{location}_{wanted}"[:LONGEST_ARGUMENT]
        number, unused = 1, wanted
        while unused in taken:
            number += 1
            unused = f"{wanted[: LONGEST_ARGUMENT - 4]}_{number}"
        return unused


def add_parameters(
    to: Arguments,
    path: str,
    groups: tuple[Any, ...],
    document: Document,
    schemas: Schemas,
) -> None:
    """Add the parameters of a path and of its operation; later groups replace earlier ones.
    `UnresolvedError` if a reference has no target."""
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for group in groups:
        for node in group if isinstance(group, list) else ():
            parameter = document.resolved(node)
            name, where = parameter.get("name"), parameter.get("in")
            if isinstance(name, str) and isinstance(where, str):
                found[where, name] = parameter
    for name in dict.fromkeys(IN_PATH.findall(path)):
        found.setdefault(("path", name), {"schema": {"type": "string"}})
    placeholders = IN_PATH.findall(path)
    for where in ("path", "query", "header", "cookie"):
        for (place, name), parameter in found.items():
            if place == where and (where != "path" or name in placeholders):
                _add_parameter(to, where, name, parameter, schemas)  # type: ignore[arg-type]
    _add_swagger_body(to, found, schemas)


def _add_parameter(
    to: Arguments, where: Location, name: str, node: Mapping[str, Any], schemas: Schemas
) -> None:
    if where == "header" and name.lower() in OF_THE_CLIENT:
        return
    content = mapping(node.get("content"))
    how: dict[str, Any] = {}
    if content:
        media, inner = next(iter(content.items()))
        raw = mapping(inner).get("schema")
        how = {"style": "json"} if _is_json(str(media)) else {}
    elif "schema" in node:
        raw = node["schema"]
        how = _style(where, node)
    else:  # Swagger 2: the parameter is its own schema
        raw = {key: value for key, value in node.items() if key not in ("required", "description")}
        how = _collection(node.get("collectionFormat"), where)
    reserved = node.get("allowReserved") is True or node.get("x-ms-skip-url-encoding") is True
    if reserved and where in ("path", "query"):
        how["reserved"] = True
    required = node.get("required") is True or where == "path"
    schema = described(schemas.convert(raw), node.get("description"))
    to.add(where, name, schema, required=required, **how)


def _style(where: str, node: Mapping[str, Any]) -> dict[str, Any]:
    """The style of an OpenAPI 3 parameter, without what is the default of its location."""
    usual = "form" if where in ("query", "cookie") else "simple"
    style = node.get("style") if isinstance(node.get("style"), str) else usual
    explode = node.get("explode")
    explode = explode if isinstance(explode, bool) else style == "form"
    how: dict[str, Any] = {} if style == usual else {"style": style}
    return how | ({"explode": True} if explode else {})


def _collection(format: Any, where: str) -> dict[str, Any]:
    """Swagger 2's `collectionFormat`; its default csv is ours, without a style."""
    if format == "multi" and where in ("query", "form"):
        return {"explode": True}
    return {"style": DELIMITED[format]} if format in DELIMITED else {}


def _add_swagger_body(
    to: Arguments, found: Mapping[tuple[str, str], Mapping[str, Any]], schemas: Schemas
) -> None:
    fields = {name: node for (where, name), node in found.items() if where == "formData"}
    if fields:
        files = any(node.get("type") == "file" for node in fields.values())
        to.content_type = MULTIPART if files or to.content_type == MULTIPART else FORM
        for name, node in fields.items():
            raw = {key: value for key, value in node.items() if key != "required"}
            how = _collection(node.get("collectionFormat"), "form")
            how |= {"binary": True} if node.get("type") == "file" else {}
            required = node.get("required") is True
            to.add("form", name, schemas.convert(raw), required=required, **how)
    for (where, _), node in found.items():
        if where == "body":
            to.content_type = to.content_type or JSON
            _add_json(to, node.get("schema"), node, schemas)


def add_body(to: Arguments, node: Mapping[str, Any], schemas: Schemas) -> None:
    """Add the body of an OpenAPI 3 operation in the media type that suits a model best: JSON, a
    form, and then whatever is first."""
    content = {str(media): mapping(inner) for media, inner in mapping(node.get("content")).items()}
    if not content:
        return
    media = min(content, key=_preference)
    inner = content[media]
    to.content_type = JSON if media in ("*/*", "application/*") else media
    raw = inner.get("schema")
    kind = media.partition(";")[0].strip().lower()
    if kind in (FORM, MULTIPART):
        to.content_type = kind
        _add_form(to, raw, mapping(inner.get("encoding")), schemas)
    elif _is_json(to.content_type):
        _add_json(to, raw, node, schemas)
    else:
        text = kind.startswith("text/") or kind.endswith(("xml", "yaml", "csv", "text"))
        schema: dict[str, Any] = {"type": "string"} if text else dict(BASE64)
        note = node.get("description") or f"The body, as {kind}"
        how = {} if text else {"binary": True}
        required = node.get("required") is True
        to.add("body", "", described(schema, note), required=required, wanted="body", **how)


def _preference(media: str) -> int:
    kind = media.partition(";")[0].strip().lower()
    order = (JSON, "*/*", "application/*")
    if kind in order:
        return order.index(kind)
    return 3 if _is_json(kind) else {FORM: 4, MULTIPART: 5}.get(kind, 6)


def _add_json(to: Arguments, raw: Any, node: Mapping[str, Any], schemas: Schemas) -> None:
    """The members of an object as arguments; anything else as the argument `body`."""
    if (members := _members(raw, schemas)) is not None:
        for name, schema, required in members:
            to.add("body", name, schema, required=required)
        return
    schema = described(schemas.convert(raw), node.get("description"))
    to.add("body", "", schema, required=node.get("required") is True, wanted="body")


def _members(raw: Any, schemas: Schemas) -> list[tuple[str, dict[str, Any], bool]] | None:
    """Name, schema and whether it is required, of the properties of an object with no others."""
    whole = schemas.merged(raw)
    if whole is None or not isinstance(whole.get("properties"), Mapping) or not whole["properties"]:
        return None
    if any(whole.get(key) for key in ("oneOf", "anyOf", "not", "additionalProperties", "nullable")):
        return None
    converted = schemas.convert({"type": "object", **whole})
    required = converted.get("required", ())
    return [(name, schema, name in required) for name, schema in converted["properties"].items()]


def _add_form(to: Arguments, raw: Any, encoding: Mapping[str, Any], schemas: Schemas) -> None:
    for name, schema, required in _fields(raw, schemas):
        how = dict(_form_style(name, schema, mapping(encoding.get(name)), schemas))
        to.add("form", name, schema, required=required, **how)


def _fields(raw: Any, schemas: Schemas) -> list[tuple[str, dict[str, Any], bool]]:
    """The fields of a form, also those of its alternatives: each of these is optional."""
    whole = schemas.merged(raw) or {}
    converted = schemas.convert({"type": "object", **whole})
    required = converted.get("required", ())
    fields = {
        name: (name, schema, name in required)
        for name, schema in converted.get("properties", {}).items()
    }
    for key in ("oneOf", "anyOf", "allOf"):
        for part in whole.get(key) or ():
            for name, schema, _ in _fields(part, schemas):
                fields.setdefault(name, (name, schema, False))
    return list(fields.values())


def _form_style(
    name: str, schema: dict[str, Any], encoding: Mapping[str, Any], schemas: Schemas
) -> Iterator[tuple[str, Any]]:
    inner = schemas.definition(schema)
    items = schemas.definition(mapping(inner.get("items")))
    if "contentEncoding" in inner or "contentEncoding" in items:
        yield "binary", True
        return
    style = encoding.get("style")
    if _is_json(str(encoding.get("contentType", ""))):
        yield "style", "json"
        return
    if isinstance(style, str) and style != "form":
        yield "style", style
    elif style is None and "explode" not in encoding and _is_object(inner):
        yield "style", "json"
        return
    if encoding.get("explode", style in (None, "form")):
        yield "explode", True


def _is_object(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == "object" or "properties" in schema


def _is_json(media: str) -> bool:
    kind = media.partition(";")[0].strip().lower()
    return kind in (JSON, "text/json") or kind.endswith("+json")


def credentials_of(schemes: Mapping[str, Any]) -> Iterator[Credential]:
    """Where requests carry credentials, from the security schemes of a description."""
    for node in map(mapping, schemes.values()):
        kind, scheme = node.get("type"), str(node.get("scheme", "")).lower()
        where, name = node.get("in"), node.get("name")
        if kind == "apiKey" and where in ("header", "query", "cookie") and isinstance(name, str):
            prefix = "Bearer " if name.lower() == "authorization" else ""
            yield Credential(location=where, name=name, prefix=prefix)
        elif kind == "basic" or scheme == "basic":
            yield Credential(location="header", name="Authorization", prefix="Basic ")
        elif kind in ("oauth2", "openIdConnect") or (kind, scheme) == ("http", "bearer"):
            yield Credential(location="header", name="Authorization", prefix="Bearer ")
