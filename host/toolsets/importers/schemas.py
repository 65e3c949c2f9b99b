"""Schemas of API descriptions as JSON Schema 2020-12 that stands on its own.

OpenAPI 2 and 3.0 have dialects of their own (`nullable`, boolean `exclusiveMinimum`, `type: file`),
and real files have errors; what is no JSON Schema is left out. A schema that is referred to once
becomes part of the one that refers to it; the others, and those that refer to themselves, are in
`$defs`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from ambidex.host.toolsets.importers.documents import Document, UnresolvedError, brief, mapping

__all__ = ["BASE64", "LONGEST_NOTE", "Schemas", "described"]

Schema = dict[str, Any]
LONGEST_NOTE = 400
"""Maximum characters of the description of an argument or of a part of one."""
SHORT = 200
"""A schema of at most so many characters is repeated instead of shared."""
TYPES = {"string", "number", "integer", "boolean", "array", "object", "null"}
NUMBERS = ("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum")
COUNTS = (
    "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
)  # fmt: skip
ONE = ("not", "contains", "propertyNames", "additionalProperties", "items")
SEVERAL = ("oneOf", "anyOf", "allOf", "prefixItems")
NAMED = ("properties", "patternProperties")
NOTES = {"$ref", "allOf", "description", "title", "type", "default", "nullable", "readOnly"}
"""Keys next to a single reference in `allOf` that only annotate it."""
BYTES = ("application/octet-stream", "image/", "audio/", "video/")
"""Media types of texts that are bytes in OpenAPI 3.1."""
BASE64 = {"type": "string", "contentEncoding": "base64"}


class Schemas:
    """Converts the schemas of one document, each referenced one once."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._names: dict[str, str] = {}
        """Names in `$defs`, by reference."""
        self._definitions: dict[str, Schema] = {}
        self._uses: dict[str, Counter[str]] = {}
        self._cyclic: dict[str, bool] = {}
        self._sizes: dict[str, int] = {}
        self.unresolved: Counter[str] = Counter()
        """References without a target: their schemas accept everything."""

    def convert(self, node: Any) -> Schema:
        """A schema whose references are to `$defs`; see `bundle`."""
        if not isinstance(node, Mapping):
            return {}
        parts = node.get("allOf")
        if isinstance(node.get("$ref"), str):
            result: Schema = {"$ref": f"#/$defs/{self._define(node['$ref'])}"}
            return _annotated(result, node)
        if isinstance(parts, list) and parts:
            single = mapping(parts[0])
            if len(parts) == 1 and "$ref" in single and _only_notes(node):
                return _annotated(self.convert(single), node)
            if (merged := self.merged(node)) is not None:
                node = merged
        return self._keywords(node)

    def merged(self, node: Any) -> Mapping[str, Any] | None:
        """The node with the parts of its `allOf` in one, references to them followed; None if they
        cannot be one schema."""
        parts: list[Mapping[str, Any]] = []
        self._gather(mapping(node), parts, set())
        result: dict[str, Any] = {}
        for part in parts:
            for key, value in part.items():
                before = result.get(key)
                if key in NAMED and isinstance(before, Mapping) and isinstance(value, Mapping):
                    result[key] = {**before, **value}
                elif key == "required" and isinstance(before, list) and isinstance(value, list):
                    result[key] = [*before, *value]
                elif key == "additionalProperties" and value is False and len(parts) > 1:
                    continue  # it would forbid the properties of the other parts
                elif key in ("type", "enum", "oneOf", "anyOf", "not") and before not in (
                    None,
                    value,
                ):
                    return None
                else:
                    result[key] = value
        return result

    def _gather(self, node: Mapping[str, Any], to: list[Mapping[str, Any]], seen: set[str]) -> None:
        reference = node.get("$ref")
        if isinstance(reference, str):
            if reference in seen:
                return
            seen.add(reference)
            self._gather(mapping(self._target(reference)), to, seen)
        for part in node.get("allOf") or ():
            self._gather(mapping(part), to, seen)
        to.append({key: value for key, value in node.items() if key not in ("$ref", "allOf")})

    def definition(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """A converted schema, or the definition that it refers to."""
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return schema
        return self._definitions[reference.removeprefix("#/$defs/")]

    def bundle(self, schema: Schema) -> Schema:
        """The schema with the definitions that it needs."""
        uses = _references(schema)
        pending = list(uses)
        reached = set(pending)
        while pending:
            inner = self._uses_of(pending.pop())
            uses.update(inner)
            pending += inner.keys() - reached
            reached |= inner.keys()
        apart = {
            name
            for name in uses
            if self._is_cyclic(name) or not (uses[name] == 1 or self._is_short(name))
        }
        result: Schema = self._expanded(schema, apart)
        if apart:
            result["$defs"] = {
                name: {}
                if self._is_endless(name)
                else self._expanded(self._definitions[name], apart)
                for name in sorted(apart)
            }
        return result

    def _expanded(self, node: Any, apart: set[str]) -> Any:
        if isinstance(node, list):
            return [self._expanded(item, apart) for item in node]
        if not isinstance(node, dict):
            return node
        reference = node.get("$ref")
        if isinstance(reference, str):
            name = reference.removeprefix("#/$defs/")
            if name not in apart:
                notes = {key: value for key, value in node.items() if key != "$ref"}
                return self._expanded(self._definitions[name], apart) | notes
            return dict(node)
        return {key: self._expanded(value, apart) for key, value in node.items()}

    def _target(self, reference: str) -> Any:
        try:
            return self._document.resolved({"$ref": reference})
        except UnresolvedError:
            self.unresolved[reference] += 1
            return {}

    def _define(self, reference: str) -> str:
        if reference in self._names:
            return self._names[reference]
        wanted = re.sub(r"[^A-Za-z0-9_.-]+", "_", reference.rsplit("/", 1)[-1]) or "schema"
        name, number = wanted, 1
        while name in self._definitions:
            number += 1
            name = f"{wanted}_{number}"
        self._names[reference] = name
        self._definitions[name] = {}  # taken, while it is converted
        self._definitions[name] = self.convert(self._target(reference))
        return name

    def _uses_of(self, name: str) -> Counter[str]:
        if name not in self._uses:
            self._uses[name] = _references(self._definitions[name])
        return self._uses[name]

    def _is_cyclic(self, name: str) -> bool:
        if name not in self._cyclic:
            pending, reached = [name], set[str]()
            while pending:
                inner = self._uses_of(pending.pop()).keys()
                pending += inner - reached
                reached |= inner
            self._cyclic[name] = name in reached
        return self._cyclic[name]

    def _is_endless(self, name: str) -> bool:
        """Whether the definition is nothing but itself, as in `A: {anyOf: [A, B]}`: a validator
        would never end."""
        pending, reached = [name], set[str]()
        while pending:
            inner = set(_alternatives(self._definitions[pending.pop()]))
            pending += inner - reached
            reached |= inner
        return name in reached

    def _is_short(self, name: str) -> bool:
        if name not in self._sizes:
            text = json.dumps(self._definitions[name])
            self._sizes[name] = len(text) if not self._uses_of(name) else SHORT + 1
        return self._sizes[name] <= SHORT

    def _keywords(self, node: Mapping[str, Any]) -> Schema:
        result: Schema = {}
        kinds = node.get("type")
        media = str(node.get("contentMediaType", ""))
        is_bytes = node.get("format") == "binary" or media.startswith(BYTES)
        if kinds == "file" or (kinds == "string" and is_bytes):
            return _annotated(dict(BASE64), node)
        kinds = [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, list) else []
        if kinds := [kind for kind in dict.fromkeys(map(str, kinds)) if kind in TYPES]:
            result["type"] = kinds[0] if len(kinds) == 1 else kinds
        for key in SEVERAL:
            if (members := node.get(key)) and isinstance(members, list):
                result[key] = [self.convert(member) for member in members]
        for key in ONE:
            if isinstance(value := node.get(key), bool):
                result[key] = value
            elif isinstance(value, Mapping):
                result[key] = self.convert(value)
            elif key == "items" and value and isinstance(value, list):
                result["prefixItems"] = [self.convert(member) for member in value]
        hidden = set()
        for key in NAMED:
            if isinstance(members := node.get(key), Mapping):
                hidden |= {name for name, one in members.items() if mapping(one).get("readOnly")}
                result[key] = {
                    str(name): self.convert(one)
                    for name, one in members.items()
                    if name not in hidden and (key == "properties" or _is_pattern(str(name)))
                }
        if isinstance(names := node.get("required"), list):
            required = [name for name in dict.fromkeys(map(str, names)) if name not in hidden]
            result |= {"required": required} if required else {}
        result |= _bounds(node)
        if isinstance(node.get("format"), str):
            result["format"] = node["format"]
        if isinstance(pattern := node.get("pattern"), str) and _is_pattern(pattern):
            result["pattern"] = pattern
        if (values := node.get("enum")) and isinstance(values, list):
            result["enum"] = values
        result |= {key: node[key] for key in ("const", "uniqueItems") if key in node}
        return _annotated(result, node)


def described(schema: Schema, description: Any) -> Schema:
    """The schema with a description of its own, if there is one."""
    text = brief(description, LONGEST_NOTE)
    return schema | {"description": text} if text else schema


def _annotated(schema: Schema, node: Mapping[str, Any]) -> Schema:
    """The schema with the node's description and default; also null, if the node may be null."""
    if node.get("nullable") is True or node.get("x-nullable") is True:
        if "$ref" in schema:
            schema = {"anyOf": [schema, {"type": "null"}]}
        elif "type" in schema:
            kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
            schema["type"] = [*dict.fromkeys([*kinds, "null"])]
            if "enum" in schema and None not in schema["enum"]:
                schema["enum"] = [*schema["enum"], None]
    if "default" in node and node["default"] is not None:
        schema = schema | {"default": node["default"]}
    return described(schema, node.get("description"))


def _only_notes(node: Mapping[str, Any]) -> bool:
    return all(key in NOTES or key.startswith("x-") for key in node)


def _bounds(node: Mapping[str, Any]) -> Schema:
    result: Schema = {}
    for key in NUMBERS:
        value = node.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            result[key] = value
    for limit, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if node.get(exclusive) is True and limit in result:  # OpenAPI 2 and 3.0
            result[exclusive] = result.pop(limit)
    if result.get("multipleOf", 1) <= 0:
        del result["multipleOf"]
    for key in COUNTS:
        value = node.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            result[key] = value
    return result


def _references(node: Any) -> Counter[str]:
    """How often the node refers to each definition."""
    uses: Counter[str] = Counter()
    pending = [node]
    while pending:
        match pending.pop():
            case {"$ref": str(reference)}:
                uses[reference.removeprefix("#/$defs/")] += 1
            case dict() as inner:
                pending += inner.values()
            case list() as items:
                pending += items
    return uses


def _alternatives(schema: Schema) -> Iterator[str]:
    """The definitions that apply to the same value as the schema itself."""
    if "$ref" in schema:
        yield schema["$ref"].removeprefix("#/$defs/")
    for key in ("oneOf", "anyOf", "allOf"):
        for member in schema.get(key, ()):
            yield from _alternatives(member)
    if isinstance(schema.get("not"), dict):
        yield from _alternatives(schema["not"])


@lru_cache(4096)
def _is_pattern(text: str) -> bool:
    """Whether this is a regular expression here: descriptions have those of other languages."""
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError):
        return False
    return True
