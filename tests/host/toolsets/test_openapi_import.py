"""OpenAPI becomes tools: each operation once, with a schema that stands on its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.host.errors import UsageError
from ambidex.host.toolsets import CatalogueTool, Credential, HttpExecution
from ambidex.mcp_tools.service.request import build_request
from tests.support.tables import every_case
from tests.support.toolsets import OPENAPI, compiled, from_document, needs_openapi

STRING = {"type": "string"}


def document(paths: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "openapi": "3.0.3",
        "info": {"title": "T", "version": "2024-01-01"},
        "paths": paths,
    } | more


def operation(**more: Any) -> dict[str, Any]:
    return {"operationId": "op", "responses": {}} | more


def with_schema(schema: dict[str, Any], **schemas: Any) -> dict[str, Any]:
    """A document whose one operation has a query parameter of this schema."""
    parameter = {"name": "p", "in": "query", "schema": schema}
    components = {"components": {"schemas": schemas}}
    return document({"/x": {"get": operation(parameters=[parameter])}}, **components)


def with_body(schema: dict[str, Any], **schemas: Any) -> dict[str, Any]:
    content = {"application/json": {"schema": schema}}
    components = {"components": {"schemas": schemas}}
    return document({"/x": {"post": operation(requestBody={"content": content})}}, **components)


def execution(tool: CatalogueTool) -> HttpExecution:
    assert isinstance(tool.execution, HttpExecution)
    return tool.execution


@every_case(
    "schema, expected",
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        (
            {"type": "integer", "minimum": 1, "exclusiveMinimum": True},
            {"type": "integer", "exclusiveMinimum": 1},
        ),
        (STRING | {"example": "a", "xml": {}, "x-y": 1, "pattern": r"\p{L}"}, STRING),
        ({"type": "any", "required": True, "enum": []}, {}),
        (
            {"allOf": [{"$ref": "#/components/schemas/Short"}], "description": "d"},
            STRING | {"description": "d"},
        ),
        ({"$ref": "other.json#/A"}, {}),
        (
            {"allOf": [
                {"properties": {"a": STRING}, "required": ["a"]}, {"properties": {"b": STRING}}
            ]},
            {"properties": {"a": STRING, "b": STRING}, "required": ["a"]},
        ),
        (
            {"properties": {"id": STRING | {"readOnly": True}}, "required": ["id"]},
            {"properties": {}},
        ),
        ({"oneOf": [{"$ref": "#/components/schemas/Short"}]}, {"oneOf": [STRING]}),
    ],
)  # fmt: skip
def test_schemas_become_json_schema(
    tmp_path: Path, schema: dict[str, Any], expected: dict[str, Any]
) -> None:
    tool = from_document(tmp_path, with_schema(schema, Short=STRING))["op"]
    assert tool.input_schema["properties"]["p"] == expected


def test_schemas_that_refer_to_themselves_are_definitions(tmp_path: Path) -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Node"}}}
    schema = from_document(tmp_path, with_schema({"$ref": "#/components/schemas/Node"}, Node=node))[
        "op"
    ].input_schema
    assert schema["properties"]["p"] == {"$ref": "#/$defs/Node"}
    assert jsonschema.Draft202012Validator(schema).is_valid({"p": {"next": {"next": {}}}})
    assert not jsonschema.Draft202012Validator(schema).is_valid({"p": {"next": {"next": 1}}})


def test_schemas_that_are_nothing_but_themselves_accept_everything(tmp_path: Path) -> None:
    loop = {"anyOf": [{"$ref": "#/components/schemas/Loop"}, STRING]}
    schema = from_document(tmp_path, with_schema({"$ref": "#/components/schemas/Loop"}, Loop=loop))[
        "op"
    ].input_schema
    assert jsonschema.Draft202012Validator(schema).is_valid({"p": 1})


def test_an_object_in_the_body_becomes_arguments_and_clashes_are_renamed(tmp_path: Path) -> None:
    base = {"type": "object", "properties": {"id": STRING}, "required": ["id"]}
    pet = {"allOf": [{"$ref": "#/components/schemas/Base"}, {"properties": {"$tag": STRING}}]}
    content = {"application/json": {"schema": pet}}
    path = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
    described = document(
        {"/x/{id}": {"parameters": [path], "put": operation(requestBody={"content": content})}},
        components={"schemas": {"Base": base}},
    )
    tool = from_document(tmp_path, described)["op"]
    assert tool.input_schema["properties"] == {
        "id": {"type": "integer"},
        "body_id": STRING,
        "tag": STRING,
    }
    assert sorted(tool.input_schema["required"]) == ["body_id", "id"]
    carried = [(one.argument, one.location, one.name) for one in execution(tool).parameters]
    assert carried == [("id", "path", "id"), ("body_id", "body", "id"), ("tag", "body", "$tag")]


@every_case(
    "schema",
    [
        {"type": "array", "items": STRING},
        {"type": "object", "additionalProperties": STRING},
        {"oneOf": [{"type": "object"}, STRING]},
    ],
)
def test_another_body_is_one_argument(tmp_path: Path, schema: dict[str, Any]) -> None:
    tool = from_document(tmp_path, with_body(schema))["op"]
    assert tool.input_schema["properties"] == {"body": schema}


def test_credentials_and_fixed_arguments_are_hidden(tmp_path: Path) -> None:
    parameters = [
        {"name": name, "in": where, "required": True, "schema": STRING}
        for name, where in (
            ("api-version", "query"), ("Authorization", "header"), ("x-key", "header"),
            ("token", "query"), ("q", "query"),
        )
    ]  # fmt: skip
    parameters.append(
        {"name": "only", "in": "query", "required": True, "schema": STRING | {"enum": ["one"]}}
    )
    schemes = {
        "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
        "login": {"type": "http", "scheme": "bearer"},
    }
    described = document(
        {"/x": {"get": operation(parameters=parameters)}}, components={"securitySchemes": schemes}
    )
    more = """
        fixed = { "api-version" = "{version}" }
        credentials = [{ location = "query", name = "token" }]
    """
    tool = from_document(tmp_path, described, more)["op"]
    assert [*tool.input_schema["properties"]] == tool.input_schema["required"] == ["q"]
    assert execution(tool).fixed == {"api-version": "2024-01-01", "only": "one"}
    [server] = compiled(tmp_path, (tmp_path / "sources.toml").read_text()).servers.values()
    assert server.credentials == (
        Credential(location="query", name="token"),
        Credential(location="header", name="X-Key"),
        Credential(location="header", name="Authorization", prefix="Bearer "),
    )


def test_the_base_address_is_that_of_the_operation(tmp_path: Path) -> None:
    variables = {"region": {"default": "eu"}, "account": {"default": ""}}
    url = "https://{region}.{account}.example.org/v1"
    described = document(
        {
            "/a": {"get": operation()},
            "/b": {"get": operation(operationId="b", servers=[{"url": "/relative"}])},
        },
        servers=[{"url": url, "variables": variables}],
    )
    tools = from_document(tmp_path, described)
    first = execution(tools["op"])
    assert (first.base, first.path) == ("https://eu.{account}.example.org", "/v1/a")
    assert tools["op"].input_schema["required"] == ["account"]
    second = execution(tools["b"])
    assert (second.base, second.path) == ("", "/relative/b")
    moved = execution(from_document(tmp_path, described, 'base = "http://localhost:3000"')["op"])
    assert (moved.base, moved.path) == ("http://localhost:3000", "/v1/a")


def test_microsofts_extensions_are_read(tmp_path: Path) -> None:
    host = {"name": "vault", "in": "path", "type": "string", "x-ms-skip-url-encoding": True}
    described = {
        "swagger": "2.0",
        "info": {"title": "T", "version": "1"},
        "paths": {},
        "x-ms-paths": {"/keys?comp=list": {"get": operation()}},
        "x-ms-parameterized-host": {
            "hostTemplate": "{vault}", "useSchemePrefix": False, "parameters": [host]
        },
    }  # fmt: skip
    made = execution(from_document(tmp_path, described)["op"])
    assert (made.base, made.path) == ("{vault}", "/keys?comp=list")
    assert [(one.location, one.reserved) for one in made.parameters] == [("base", True)]


def test_yaml_is_read_with_the_types_of_json(tmp_path: Path) -> None:
    (tmp_path / "api.yaml").write_text("""
        openapi: 3.1.0
        info: {title: T, version: 2024-01-01}
        paths:
          /on:
            get:
              operationId: op
              parameters:
                - {name: d, in: query, schema: {enum: [2024-01-01, no, 1, true, 1.5, null]}}
              responses: {200: {description: OK}}
    """)
    [tool] = compiled(tmp_path, '[[source]]\nkind = "openapi"\npath = "api.yaml"')
    values = tool.input_schema["properties"]["d"]["enum"]
    assert values == ["2024-01-01", "no", 1, True, 1.5, None]


def test_methods_that_openapi_3_2_allows_are_read(tmp_path: Path) -> None:
    depth = {"name": "Depth", "in": "header", "required": True, "schema": {"enum": ["1"]}}
    folder = {"operationId": "list", "parameters": [depth]}
    path = {"name": "path", "in": "path", "required": True, "schema": {"type": "string"}}
    more = {"PROPFIND": folder, "MKCOL": {}, "bad": 1}
    paths = {"/{path}": {"parameters": [path], "additionalOperations": more}}
    document = {"openapi": "3.2.0", "info": {"title": "T", "version": "1"}, "paths": paths}
    tools = from_document(tmp_path, document)
    execution = tools["list"].execution.model_dump(mode="json")
    request = build_request(execution, {"path": "a"}, "http://localhost:1")
    assert (request.method, request.headers) == ("PROPFIND", (("Depth", "1"),))
    assert len(tools) == 2


def test_an_operation_whose_parameter_is_missing_is_not_executable(tmp_path: Path) -> None:
    described = document({"/x": {"get": operation(parameters=[{"$ref": "#/components/p/Gone"}])}})
    tool = from_document(tmp_path, described)["op"]
    assert not tool.executable
    assert "#/components/p/Gone has no target" in tool.cause


@every_case(
    "text, message",
    [
        ("[", "neither JSON nor YAML"),
        ("- a", "no object"),
        ('{"openapi": "4.0"}', "version '4.0'"),
        ("a: !!binary aGk=", "neither JSON nor YAML"),
    ],
)
def test_what_is_no_openapi_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "api.json").write_text(text)
    with pytest.raises(UsageError, match=message):
        compiled(tmp_path, '[[source]]\nkind = "openapi"\npath = "api.json"')


IDS = st.one_of(st.none(), st.text("abAB/._- {}é1", min_size=1, max_size=80))
PATHS = st.text("ab/{}.", max_size=6).map(lambda text: f"/{text}")
OPERATIONS = st.dictionaries(
    st.tuples(PATHS, st.sampled_from(["get", "post"])),
    IDS,
    min_size=1,
    max_size=6,
)  # fmt: skip


def names(folder: Path, operations: dict[tuple[str, str], str | None]) -> dict[str, str]:
    """The tools' names, by method and path."""
    paths: dict[str, Any] = {}
    for (path, method), own in operations.items():
        paths.setdefault(path, {})[method] = {"responses": {}} | (
            {"operationId": own} if own else {}
        )
    tools = from_document(folder, document(paths)).values()
    made = [(f"{execution(tool).method} {execution(tool).path}", tool.name) for tool in tools]
    assert len(made) == len(dict(made)) == len(operations)
    return dict(made)


@given(OPERATIONS, st.data())
def test_each_operation_is_one_tool_and_keeps_its_name_beside_others(
    tmp_path_factory: pytest.TempPathFactory,
    operations: dict[tuple[str, str], str | None],
    data: st.DataObject,
) -> None:
    folder = tmp_path_factory.mktemp("named")
    # OpenAPI requires ids to be unique.
    unique = {key: own for key, own in operations.items() if own is None} | {
        key: own for own, key in {own: key for key, own in operations.items() if own}.items()
    }
    every = names(folder, unique)
    some = data.draw(st.sets(st.sampled_from(sorted(unique)), min_size=1))
    assert names(folder, {key: unique[key] for key in some}).items() <= every.items()
    assert len(set(every.values())) == len(unique)


@needs_openapi
def test_every_operation_of_real_specifications_is_a_tool_with_a_valid_schema(
    tmp_path: Path,
) -> None:
    toolset = compiled(
        tmp_path, f'[[source]]\nkind = "openapi"\npath = "{OPENAPI / "openapi-small"}"\n'
    )
    for tool in toolset:
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
    assert len(toolset) == len(set(methods_and_files(OPENAPI / "openapi-small")))


def methods_and_files(folder: Path) -> Iterator[tuple[str, str, str]]:
    for path in folder.glob("*.json"):
        for route, item in json.loads(path.read_text()).get("paths", {}).items():
            for method in item.keys() & {"get", "post", "put", "delete", "patch"}:
                yield path.name, route, method
