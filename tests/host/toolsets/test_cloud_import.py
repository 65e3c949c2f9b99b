"""botocore's models and Google's discovery documents become tools."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ambidex.host.errors import UsageError
from ambidex.host.toolsets import AwsExecution, HttpExecution
from tests.support.toolsets import compiled, from_document

MODEL: dict[str, Any] = {
    "metadata": {"serviceFullName": "Amazon Shelves"},
    "documentation": "<p>Stores &lt;things&gt;.</p>",
    "operations": {
        "ListShelves": {"name": "ListShelves"},
        "PutThing": {
            "input": {"shape": "PutThingRequest"},
            "documentation": "<note><p>Old.</p></note><p>Puts a <b>thing</b> on a shelf.</p>",
        },
    },
    "shapes": {
        "PutThingRequest": {
            "type": "structure",
            "required": ["Name", "Token"],
            "members": {
                "Name": {"shape": "Name", "documentation": "<p>Its name</p>"},
                "Token": {"shape": "Name", "idempotencyToken": True},
                "Content": {"shape": "Blob"},
                "Parts": {"shape": "Parts"},
                "Sizes": {"shape": "Sizes"},
                "When": {"shape": "When"},
            },
        },
        "Name": {"type": "string", "min": 1, "max": 9, "pattern": "[a-z]+"},
        "Blob": {"type": "blob"},
        "Part": {"type": "structure", "members": {"Parts": {"shape": "Parts"}}},
        "Parts": {"type": "list", "member": {"shape": "Part"}, "max": 3},
        "Sizes": {"type": "map", "key": {"shape": "Name"}, "value": {"shape": "Long"}},
        "Long": {"type": "long"},
        "When": {"type": "timestamp"},
    },
}


def write_wheel(path: Path, *versions: str) -> None:
    with zipfile.ZipFile(path, "w") as wheel:
        for version in versions:
            model = MODEL | {"documentation": f"Version {version}."}
            name = f"botocore/data/shelves/{version}/service-2.json.gz"
            wheel.writestr(name, gzip.compress(json.dumps(model).encode()))


def test_the_newest_model_of_a_service_becomes_tools(tmp_path: Path) -> None:
    write_wheel(tmp_path / "x.whl", "2020-01-01", "2024-06-01", "2022-01-01")
    toolset = compiled(tmp_path, '[[source]]\nkind = "aws"\npath = "x.whl"\nserver = "aws-{name}"')
    [server] = toolset.servers.values()
    assert (server.name, server.title) == ("aws-shelves", "Amazon Shelves")
    assert server.description == "Version 2024-06-01."
    listing, put = toolset
    assert (listing.name, listing.input_schema["properties"]) == ("aws-shelves_ListShelves", {})
    assert put.execution == AwsExecution(service="shelves", operation="PutThing")
    assert put.description == "Puts a thing on a shelf."
    name = {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "[a-z]+"}
    parts = {"type": "array", "items": {"$ref": "#/$defs/Part"}, "maxItems": 3}
    assert put.input_schema == {
        "type": "object",
        "properties": {
            "Name": name | {"description": "Its name"},
            "Token": name,
            "Content": {"type": "string", "contentEncoding": "base64"},
            "Parts": {"$ref": "#/$defs/Parts"},
            "Sizes": {"type": "object", "additionalProperties": {"type": "integer"}},
            "When": {"type": "string", "format": "date-time"},
        },
        "required": ["Name"],
        "additionalProperties": False,
        "$defs": {
            "Part": {"type": "object", "properties": {"Parts": {"$ref": "#/$defs/Parts"}}},
            "Parts": parts,
        },
    }


def test_a_discovery_document_becomes_tools(tmp_path: Path) -> None:
    parameters = {
        "parent": {"location": "path", "type": "string", "required": True},
        "ids": {"location": "query", "type": "string", "repeated": True},
        "all": {"location": "query", "type": "boolean", "default": "false"},
    }
    method = {
        "id": "shop.items.insert",
        "path": "v1/{+parent}/items",
        "httpMethod": "POST",
        "parameters": parameters,
        "request": {"$ref": "Item"},
    }
    item = {"type": "object", "properties": {"next": {"$ref": "Item"}, "any": {"type": "any"}}}
    described = {
        "discoveryVersion": "v1",
        "name": "shop",
        "version": "v1",
        "rootUrl": "https://shop.googleapis.com/",
        "servicePath": "",
        "auth": {"oauth2": {}},
        "resources": {"items": {"methods": {"insert": method}}},
        "schemas": {"Item": item},
    }
    tool = from_document(tmp_path, described, kind="discovery")["items_insert"]
    assert isinstance(tool.execution, HttpExecution)
    made = tool.execution
    assert (made.method, made.base) == ("POST", "https://shop.googleapis.com")
    assert made.path == "/v1/{parent}/items"
    carried = {one.argument: (one.location, one.explode, one.reserved) for one in made.parameters}
    assert carried == {
        "parent": ("path", False, True),
        "ids": ("query", True, False),
        "all": ("query", False, False),
        "next": ("body", False, False),
        "any": ("body", False, False),
    }
    properties = tool.input_schema["properties"]
    assert properties["all"] == {"type": "boolean", "default": False}
    assert properties["next"] == {"$ref": "#/$defs/Item"}
    with pytest.raises(UsageError, match="not a discovery document"):
        from_document(tmp_path, {"a": 1}, kind="discovery")


def test_files_of_an_npm_package_are_selected_by_patterns(tmp_path: Path) -> None:
    described = json.dumps({"openapi": "3.0.0", "paths": {"/a": {"get": {"operationId": "get"}}}})
    with tarfile.open(tmp_path / "x.tgz", "w:gz") as archive:
        for name in ("api/a.json", "api/deep/b.json", "other/c.json"):
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(described)
            archive.addfile(member, io.BytesIO(described.encode()))
    text = '[[source]]\nkind = "openapi"\npath = "x.tgz"\nfiles = ["api/*"]'
    toolset = compiled(tmp_path, text)
    assert [tool.name for tool in toolset] == ["a_get", "b_get"]
    assert toolset.servers["b"].source == "x.tgz/api/deep/b.json"
    with pytest.raises(UsageError, match="has no file none"):
        compiled(tmp_path, text.replace("api/*", "none"))
