"""Tools compiled from OpenAPI carry each argument where the specification says, as another library
reads it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest

from ambidex.host.toolsets import CatalogueTool, HttpExecution
from tests.support.toolsets import (
    OPENAPI,
    Echo,
    compiled,
    echo_server,
    from_document,
    needs_openapi,
)

BYTES = bytes(range(256))
BASE64 = base64.b64encode(BYTES).decode()
TEXT = "a b/&=?#%,ü+\"'"
ASCII = TEXT.replace("ü", "")
STRING, ARRAY = {"type": "string"}, {"type": "array", "items": {"type": "string"}}


@pytest.fixture(scope="module")
def echo() -> Iterator[Echo]:
    with echo_server() as server:
        yield server


def document(path: str, method: str, **operation: Any) -> dict[str, Any]:
    operation = {"operationId": "op", "responses": {}} | operation
    return {
        "openapi": "3.0.3",
        "info": {"title": "T", "version": "1"},
        "servers": [{"url": "https://api.example.org/v1"}],
        "paths": {path: {method: operation}},
    }


def body(media: str, schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"requestBody": {"content": {media: {"schema": schema} | more}, "required": True}}


def form(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def test_path_query_header_and_cookie(tmp_path: Path, echo: Echo) -> None:
    parameters = [
        {"name": "id", "in": "path", "required": True, "schema": STRING},
        {"name": "q", "in": "query", "schema": STRING},
        {"name": "tags", "in": "query", "schema": ARRAY},
        {"name": "ids", "in": "query", "schema": ARRAY, "explode": False},
        {"name": "filter", "in": "query", "schema": form(a=STRING), "style": "deepObject"},
        {
            "name": "json",
            "in": "query",
            "content": {"application/json": {"schema": form(a=STRING)}},
        },
        {"name": "X-Trace", "in": "header", "schema": {"type": "integer"}},
        {"name": "session", "in": "cookie", "schema": STRING},
    ]
    described = document("/items/{id}/x", "get", parameters=parameters)
    tool = from_document(tmp_path, described)["op"]
    given = {
        "id": TEXT,
        "q": TEXT,
        "tags": ["a&b", "c"],
        "ids": ["1", "2"],
        "filter": {"a": TEXT, "b": ["x", "y"]},
        "json": {"a": TEXT},
        "X-Trace": 7,
        "session": "s3cr=t",
    }
    read = echo.call(tool, given)
    assert unquote(read["path"]) == f"/v1/items/{TEXT}/x"
    assert read["path"].count("/") == 4
    query: list[list[str]] = read["query"]
    sent_json = dict(query)["json"]
    assert json.loads(sent_json) == {"a": TEXT}
    assert [pair for pair in query if pair[0] != "json"] == [
        ["q", TEXT], ["tags", "a&b"], ["tags", "c"], ["ids", "1,2"],
        ["filter[a]", TEXT], ["filter[b][]", "x"], ["filter[b][]", "y"],
    ]  # fmt: skip
    assert read["headers"]["x-trace"] == "7"
    assert read["cookies"] == {"session": "s3cr=t"}


def test_json_bodies(tmp_path: Path, echo: Echo) -> None:
    pet = {"type": "object", "properties": {"id": STRING, "age": {"type": "integer"}}}
    parameters = [{"name": "id", "in": "path", "required": True, "schema": STRING}]
    described = document(
        "/pets/{id}", "put", parameters=parameters, **body("application/json", pet)
    )
    tool = from_document(tmp_path, described)["op"]
    read = echo.call(tool, {"id": "in path", "body_id": "ü", "age": 3})
    assert unquote(read["path"]) == "/v1/pets/in path"
    assert json.loads(base64.b64decode(read["body"])) == {"id": "ü", "age": 3}
    tool = from_document(tmp_path, document("/l", "post", **body("application/json", ARRAY)))["op"]
    read = echo.call(tool, {"body": ["x", TEXT]})
    assert json.loads(base64.b64decode(read["body"])) == ["x", TEXT]


def test_urlencoded_forms(tmp_path: Path, echo: Echo) -> None:
    fields = form(Url=STRING, Events=ARRAY, Meta=form(a=STRING), Deep=form(a=STRING))
    encoding = {"Deep": {"style": "deepObject", "explode": True}}
    media = "application/x-www-form-urlencoded"
    described = document("/f", "post", **body(media, fields, encoding=encoding))
    tool = from_document(tmp_path, described)["op"]
    given = {"Url": TEXT, "Events": ["a", "b"], "Meta": {"a": TEXT}, "Deep": {"a": TEXT}}
    read = echo.call(tool, given)
    values = [(name, value) for name, value, _ in read["form"] if name != "Meta"]
    assert sorted(values) == sorted(
        [("Url", TEXT), ("Events", "a"), ("Events", "b"), ("Deep[a]", TEXT)]
    )
    [meta] = [value for name, value, _ in read["form"] if name == "Meta"]
    assert json.loads(meta) == {"a": TEXT}


def test_multipart_forms_with_files(tmp_path: Path, echo: Echo) -> None:
    file = {"type": "string", "format": "binary"}
    fields = form(note=STRING, file=file, files={"type": "array", "items": file})
    tool = from_document(tmp_path, document("/m", "post", **body("multipart/form-data", fields)))[
        "op"
    ]
    given = {"note": TEXT, "file": BASE64, "files": [BASE64, base64.b64encode(b"2").decode()]}
    read = echo.call(tool, given)
    assert sorted(read["form"]) == sorted(
        [
            ["note", TEXT, False],
            ["file", BASE64, True],
            ["files", BASE64, True],
            ["files", base64.b64encode(b"2").decode(), True],
        ]
    )


def test_bodies_of_bytes_and_of_text(tmp_path: Path, echo: Echo) -> None:
    binary = {"type": "string", "format": "binary"}
    for media, schema, sent, expected in (
        ("application/octet-stream", binary, BASE64, BYTES),
        ("image/png", binary, BASE64, BYTES),
        ("text/plain", STRING, TEXT, TEXT.encode()),
        ("application/xml", form(a=STRING), "<a>ü</a>", "<a>ü</a>".encode()),
    ):
        tool = from_document(tmp_path, document("/b", "post", **body(media, schema)))["op"]
        read = echo.call(tool, {"body": sent})
        assert base64.b64decode(read["body"]) == expected, media
        assert read["content_type"] == media


def test_swagger_2_parameters(tmp_path: Path, echo: Echo) -> None:
    listed = {"type": "array", "items": {"type": "string"}, "in": "query"}
    operation = {
        "operationId": "op",
        "consumes": ["multipart/form-data"],
        "parameters": [
            listed | {"name": "csv"},
            listed | {"name": "ssv", "collectionFormat": "ssv"},
            listed | {"name": "tsv", "collectionFormat": "tsv"},
            listed | {"name": "pipes", "collectionFormat": "pipes"},
            listed | {"name": "multi", "collectionFormat": "multi"},
            {"name": "file", "in": "formData", "type": "file", "required": True},
            {"name": "note", "in": "formData", "type": "string"},
        ],
    }
    swagger = {
        "swagger": "2.0",
        "info": {"title": "T", "version": "1"},
        "host": "api.example.org",
        "basePath": "/v2",
        "paths": {"/up": {"post": operation}},
    }
    tool = from_document(tmp_path, swagger)["op"]
    lists = {name: ["a b", "c"] for name in ("csv", "ssv", "tsv", "pipes", "multi")}
    read = echo.call(tool, lists | {"file": BASE64, "note": TEXT})
    assert read["path"] == "/v2/up"
    assert read["query"] == [
        ["csv", "a b,c"], ["ssv", "a b c"], ["tsv", "a b\tc"], ["pipes", "a b|c"],
        ["multi", "a b"], ["multi", "c"],
    ]  # fmt: skip
    assert sorted(read["form"]) == [["file", BASE64, True], ["note", TEXT, False]]


@needs_openapi
def test_every_schema_of_twilios_operations_is_valid_and_every_argument_arrives(
    tmp_path: Path, echo: Echo
) -> None:
    path = OPENAPI / "openapi-twilio" / "all-json-specs.tar.gz"
    toolset = compiled(tmp_path, f'[[source]]\nkind = "openapi"\npath = "{path}"')
    assert (len(toolset.servers), len(toolset)) == (55, 1447)
    arguments = 0
    for tool in toolset:
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        given = {name: value_of(schema) for name, schema in properties(tool)}
        read = echo.call(tool, given)
        assert_arrived(tool, given, read)
        arguments += len(given)
    assert arguments > 5000


def properties(tool: CatalogueTool) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, schema in tool.input_schema["properties"].items():
        reference = schema.get("$ref", "").removeprefix("#/$defs/")
        yield name, tool.input_schema["$defs"][reference] if reference else schema


def value_of(schema: dict[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    kinds = schema.get("type", "string")
    match kinds if isinstance(kinds, str) else kinds[0]:
        case "integer" | "number":
            return 7
        case "boolean":
            return True
        case "array":
            return [value_of(schema.get("items", {}))] * 2
        case "object":
            return {"k": ASCII}
        case _:
            return ASCII


def assert_arrived(tool: CatalogueTool, given: dict[str, Any], read: dict[str, Any]) -> None:
    assert isinstance(tool.execution, HttpExecution)
    path = tool.execution.path
    fields = [(name, value) for name, value, _ in read["form"]]
    for parameter in tool.execution.parameters:
        value = (given | tool.execution.fixed)[parameter.argument]
        shown = [plain(item) for item in value] if isinstance(value, list) else [plain(value)]
        match parameter.location:
            case "path":
                path = path.replace(f"{{{parameter.name}}}", shown[0])
            case "query" if isinstance(value, dict) and parameter.explode:
                assert all([key, plain(item)] in read["query"] for key, item in value.items())
            case "query":
                assert [v for k, v in read["query"] if k == parameter.name] == shown, tool.name
            case "form":
                assert [v for k, v in fields if k == parameter.name] == shown, tool.name
            case "header":
                assert read["headers"][parameter.name.lower()] == shown[0], tool.name
            case "body":
                content = json.loads(base64.b64decode(read["body"]))
                assert (content[parameter.name] if parameter.name else content) == value
            case location:
                raise AssertionError(f"{tool.name} has an argument in the {location}")
    assert unquote(read["path"]) == path


def plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
