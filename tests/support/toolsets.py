"""Compiling toolsets in tests, and reading the requests that their tools make."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from ambidex.host.toolsets import CatalogueTool
from ambidex.host.toolsets.compiling import compile_sources
from ambidex.host.toolsets.sources import read_sources
from ambidex.host.toolsets.toolset import Toolset
from ambidex.mcp_tools.service.request import build_request
from ambidex.tasks.assets import AssetStore
from tests.support.serving import serve

__all__ = ["OPENAPI", "Echo", "compiled", "echo_server", "from_document", "needs_openapi"]

OPENAPI = Path(__file__).parents[2].parent / "shared" / "reference-data" / "themcpcompany"

needs_openapi = pytest.mark.skipif(
    not OPENAPI.is_dir(), reason=f"no OpenAPI files of TheMCPCompany's data at {OPENAPI}"
)


def compiled(folder: Path, text: str) -> Toolset:
    """Compile a TOML text of sources, with paths relative to the folder."""
    path = folder / "sources.toml"
    path.write_text(text, encoding="utf-8")
    store = AssetStore(folder / "store")
    return compile_sources(read_sources(path), folder, store, folder / "made.toolset")


def from_document(
    folder: Path, document: dict[str, Any], more: str = "", kind: str = "openapi"
) -> dict[str, CatalogueTool]:
    """The tools of an API description, by their names without the server's `api_`."""
    (folder / "api.json").write_text(json.dumps(document), encoding="utf-8")
    text = f'[[source]]\nkind = "{kind}"\npath = "api.json"\nexecutable = true\n{more}'
    return {tool.name.removeprefix("api_"): tool for tool in compiled(folder, text)}


class Echo:
    """A server that answers what Starlette and python-multipart read in a request."""

    def __init__(self, address: str, client: httpx.Client) -> None:
        self._address = address
        self._client = client

    def call(self, tool: CatalogueTool, arguments: dict[str, Any]) -> dict[str, Any]:
        """Send the request of a tool, and return how it was read."""
        execution = tool.execution.model_dump(mode="json")
        request = build_request(execution, arguments, self._address)
        answer = self._client.request(
            request.method, request.url, headers=list(request.headers), content=request.body
        )
        read: dict[str, Any] = answer.json()
        return read


@contextmanager
def echo_server() -> Iterator[Echo]:
    """An echo server on a free port."""
    methods = ["GET", "PUT", "POST", "DELETE", "PATCH"]
    app = Starlette(routes=[Route("/{path:path}", _echo, methods=methods)])
    with serve(app) as address, httpx.Client(trust_env=False) as client:
        yield Echo(address, client)


async def _echo(request: Request) -> JSONResponse:
    body = await request.body()
    kind = request.headers.get("content-type", "")
    fields: list[tuple[str, bytes, bool]] = []
    if "form" in kind:
        async with request.form() as form:
            for name, value in form.multi_items():
                if isinstance(value, UploadFile):
                    fields.append((name, await value.read(), True))
                else:
                    fields.append((name, value.encode(), False))
    return JSONResponse(
        {
            "method": request.method,
            "path": request.scope["raw_path"].decode(),
            "query": request.query_params.multi_items(),
            "headers": dict(request.headers),
            "cookies": request.cookies,
            "content_type": kind.partition(";")[0],
            "body": base64.b64encode(body).decode(),
            "form": [
                [name, base64.b64encode(value).decode() if file else value.decode(), file]
                for name, value, file in fields
            ],
        }
    )
