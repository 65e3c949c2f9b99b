"""A local server with the part of Notion that trials use: pages, databases, templates, tools."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from fastmcp import FastMCP
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from tests.support.serving import serve

SOURCE_KEY, KEY = "source-key", "trials-key"
SOURCE_HUB, HUB, TITLE = "MCPMark Source Hub", "MCPMark Eval Hub", "Python Roadmap"
PER_PAGE = 2
"""Items in one answer: few, so that lists come in parts."""
ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def new_id() -> str:
    return str(uuid.uuid4())


def text(content: str, **other: Any) -> dict[str, Any]:
    return {"type": "text", "plain_text": content, **other}


@dataclass
class FakeNotion:
    """The server's state. A block, page or row is in `items`, and what is in it in `children`."""

    address: str = ""
    items: dict[str, dict[str, Any]] = field(default_factory=dict)
    children: dict[str, list[str]] = field(default_factory=dict)
    rows: dict[str, list[str]] = field(default_factory=dict)
    """The rows of a data source, whose id is its key in `schemas` as well."""
    schemas: dict[str, dict[str, Any]] = field(default_factory=dict)
    sources: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    """The data sources of a database."""
    access: dict[str, list[str]] = field(default_factory=dict)
    """By key, the pages that it was connected with."""
    slow: int = 0
    """How many more times a copy is still empty when somebody looks."""
    forgetful: bool = False
    """Whether copies lack the last block."""
    requests: list[tuple[str, str, Any]] = field(default_factory=list)

    def add(self, parent: str, kind: str, **value: Any) -> str:
        identity = new_id()
        block = {"object": "block", "id": identity, "type": kind, kind: value}
        self.items[identity] = block | {"has_children": False, "last_edited_time": new_id()}
        self.children[identity] = []
        if parent:
            self.children[parent].append(identity)
            self.items[parent]["has_children"] = True
        return identity

    def add_database(self, parent: str, title: str, schema: dict[str, Any]) -> str:
        """Returns the id of its data source."""
        database, source = self.add(parent, "child_database", title=title), new_id()
        self.sources[database] = [{"id": source, "name": title}]
        self.schemas[source], self.rows[source] = schema, []
        return source

    def add_row(self, source: str, **properties: Any) -> str:
        row = self.add("", "row")
        about = {"id": row, "type": "created_time", "created_time": new_id()}
        self.items[row] |= {"object": "page", "properties": {**properties, "Made": about}}
        self.rows[source].append(row)
        return row

    def parent_of(self, identity: str) -> str:
        within = {up: [one["id"] for one in inside] for up, inside in self.sources.items()}
        for store in (self.children, self.rows, within):
            for up, inside in store.items():
                if identity in inside:
                    return up
        return ""

    def is_visible(self, key: str, identity: str) -> bool:
        while identity:
            if identity in self.access[key]:
                return True
            identity = self.parent_of(identity)
        return False

    def copy(self, template: str, into: str) -> None:
        """Copy what is on the template, with new ids wherever the old ones are."""
        inside = [*self._inside(template)]
        names = {old: new_id() for old in (*inside, template)} | {template: into}

        def renamed(value: Any) -> Any:
            return json.loads(ID.sub(lambda id: names.get(id[0], id[0]), json.dumps(value)))

        for old in inside:
            for store in (self.items, self.children, self.schemas, self.sources):
                if old in store:
                    store[names[old]] = renamed(store[old])
            if old in self.rows:
                self.rows[names[old]] = renamed(self.rows[old][::-1])
        self.children[into] = renamed(self.children[template])
        if self.forgetful:
            self.children[into].pop()

    def _inside(self, identity: str) -> Iterator[str]:
        """The ids of all that is in a page or block, which have copies."""
        for source in self.sources.get(identity, ()):
            yield source["id"]
            for row in self.rows[source["id"]]:
                yield row
                yield from self._inside(row)
        for child in self.children.get(identity, ()):
            yield child
            yield from self._inside(child)

    async def rest(self, request: Request) -> Response:
        key = request.headers["authorization"].removeprefix("Bearer ")
        body = json.loads(await request.body() or b"{}")
        self.requests.append((request.method, request.url.path, body))
        if key not in self.access:
            return JSONResponse({"message": "API token is invalid."}, 401)
        start = int(body.get("start_cursor") or request.query_params.get("start_cursor") or 0)
        path = request.url.path.removeprefix("/v1/").split("/")
        if path[0] in ("pages", "blocks") and path[1:] and not self.is_visible(key, path[1]):
            return JSONResponse({"message": "Could not find page"}, 404)
        match request.method, path:
            case "POST", ["search"]:
                found = [self._page(one) for one in self.items if self.is_visible(key, one)]
                wanted = body["query"].lower()
                return _part([one for one in found if wanted in str(one).lower()], start)
            case "GET", ["blocks", page, "children"]:
                if self.items[page].get("copy") and self.slow:
                    self.slow -= 1
                    return _part([], start)
                return _part([self.items[one] for one in self.children[page]], start)
            case "DELETE", ["blocks", block]:
                self.children[self.parent_of(block)].remove(block)
                return JSONResponse({})
            case "GET", ["pages", page]:
                return JSONResponse(self._page(page))
            case "POST", ["pages"]:
                made = self._create(body)
                return JSONResponse({"object": "page", "id": made})
            case "GET", ["databases", database] if database in self.sources:
                return JSONResponse({"title": [], "data_sources": self.sources[database]})
            case "GET", ["data_sources", source]:
                return JSONResponse({"properties": self.schemas[source]})
            case "POST", ["data_sources", source, "query"]:
                return _part([self.items[row] for row in self.rows[source]], start)
        return JSONResponse({"message": f"no {request.method} {request.url.path}"}, 404)

    def _page(self, identity: str) -> dict[str, Any]:
        title = self.items[identity].get("child_page", {}).get("title", "")
        return {
            "object": "page",
            "id": identity,
            "properties": {"title": {"type": "title", "title": [text(title)]}},
        }

    def _create(self, body: dict[str, Any]) -> str:
        (said,) = body["properties"]["title"]["title"]
        made = self.add(body["parent"]["page_id"], "child_page", title=said["text"]["content"])
        self.items[made]["copy"] = True
        self.copy(body["template"]["template_id"], made)
        return made

    def tools(self) -> FastMCP:
        server: FastMCP = FastMCP("Notion API", version="2.5")

        @server.tool(name="API-patch-block-children")
        def append(block_id: str, content: str) -> str:
            """Append a paragraph to a block or page."""
            return self.add(block_id, "paragraph", rich_text=[text(content)])

        @server.tool(name="API-post-search")
        def search(query: str) -> str:
            """Find pages by their title."""
            found = [self._page(one) for one in self.items if self.is_visible(KEY, one)]
            return json.dumps({"results": [one for one in found if query in str(one)]})

        return server


def _part(items: list[Any], start: int) -> Response:
    more = len(items) > start + PER_PAGE
    part = {"object": "list", "results": items[start : start + PER_PAGE], "has_more": more}
    return JSONResponse(part | {"next_cursor": str(start + PER_PAGE) if more else None})


@contextmanager
def fake_notion() -> Iterator[FakeNotion]:
    """A running server with a template: REST below `/v1`, MCP at `/mcp`."""
    fake = FakeNotion()
    mcp = fake.tools().http_app(path="/mcp")
    routes = [
        Route("/v1/{path:path}", fake.rest, methods=["GET", "POST", "PATCH", "DELETE"]),
        Mount("/", mcp),
    ]
    source = fake.add("", "child_page", title=SOURCE_HUB)
    hub = fake.add("", "child_page", title=HUB)
    fake.access = {SOURCE_KEY: [source, hub], KEY: [hub]}
    fake.add(source, "child_page", title="Toronto Guide")
    _roadmap(fake, fake.add(source, "child_page", title=TITLE))
    with serve(Starlette(routes=routes, lifespan=mcp.lifespan)) as fake.address:
        yield fake


def _roadmap(fake: FakeNotion, page: str) -> None:
    """A page with a list in a block, links within it, a stored picture, and two databases."""
    heading = fake.add(page, "heading_1", rich_text=[text("Roadmap")])
    fake.add(page, "callout", icon={"type": "emoji", "emoji": "🐍"}, rich_text=[text("Go on")])
    toggle = fake.add(page, "toggle", rich_text=[text("Links")])
    link = f"https://www.notion.so/{page.replace('-', '')}#{heading.replace('-', '')}"
    fake.add(toggle, "paragraph", rich_text=[text("up", href=link)])
    picture = {"url": f"https://files.example.org/{new_id()}/snake.png?signed=1"}
    fake.add(page, "image", type="file", file=picture | {"expiry_time": new_id()})
    chapters = fake.add_database(page, "Chapters", {"Name": {"id": "title", "type": "title"}})
    fake.add(page, "child_database", title="a view of chapters")
    steps = fake.add_database(page, "Steps", {
        "Name": {"id": "title", "type": "title"},
        "Chapter": {"id": "ab", "type": "relation", "relation": {"data_source_id": chapters}},
    })  # fmt: skip
    for name in ("Basics", "Functions", "Modules"):
        chapter = fake.add_row(chapters, Name={"type": "title", "title": [text(name)]})
        fake.add(chapter, "paragraph", rich_text=[text(f"About {name}")])
        fake.add_row(
            steps,
            Name={"type": "title", "title": [text(f"Read {name}")]},
            Chapter={"id": "ab", "type": "relation", "relation": [{"id": chapter}]},
        )
    fake.add(page, "paragraph", rich_text=[text("The end")])
