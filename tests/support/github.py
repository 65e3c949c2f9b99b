"""A local server with the part of GitHub that trials use: REST, git by files, and MCP tools."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from fastmcp import FastMCP
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.types import Receive, Scope, Send

from tests.support.serving import serve

ORGANIZATION = "trials"
TOKEN = "a-token"
OTHER_TOKEN = "another-token"


@dataclass
class Repository:
    """What the server holds of one repository."""

    about: dict[str, Any]
    actions: bool = True
    items: list[dict[str, Any]] = field(default_factory=list)
    """Issues and pull requests, by their number less one."""


@dataclass
class FakeGitHub:
    """The server's state. `refusals` are the answers to the next requests."""

    folder: Path
    """Where git's repositories are."""
    address: str = ""
    repositories: dict[str, Repository] = field(default_factory=dict)
    requests: list[tuple[str, str, Any]] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    refusals: list[Response] = field(default_factory=list)
    drops: int = 0
    """How many of the next requests for tools break off without an answer."""

    async def rest(self, request: Request) -> Response:
        authorization = request.headers["authorization"].removeprefix("Bearer ")
        if authorization not in (TOKEN, OTHER_TOKEN):
            return JSONResponse({"message": "Bad credentials"}, 401)
        self.tokens.add(authorization)
        body = json.loads(await request.body() or b"null")
        path = request.url.path.removeprefix("/api")
        self.requests.append((request.method, path, body))
        if self.refusals:
            return self.refusals.pop(0)
        return self.answer(request.method, path, body)

    def answer(self, method: str, path: str, body: Any) -> Response:
        if (method, path) == ("POST", f"/orgs/{ORGANIZATION}/repos"):
            return self.create(body)
        owner, name, *rest = path.removeprefix("/repos/").split("/")
        found = self.repositories.get(f"{owner}/{name}")
        if found is None:
            return JSONResponse({"message": "Not Found"}, 404)
        match method, rest:
            case "GET", []:
                return JSONResponse(found.about)
            case "DELETE", []:
                del self.repositories[f"{owner}/{name}"]
                return Response(status_code=204)
            case "PATCH", []:
                found.about |= body
                return JSONResponse(found.about)
            case "PUT", ["actions", "permissions"]:
                found.actions = body["enabled"]
                return Response(status_code=204)
            case "PUT", ["subscription"]:
                return JSONResponse({"message": "Resource not accessible"}, 403)
            case "POST", ["issues"]:
                return self.add(found, {"state": "open", "comments": [], **body})
            case "POST", ["pulls"]:
                if body["head"] == body["base"]:
                    return JSONResponse({"message": "Validation Failed"}, 422)
                return self.add(found, {"state": "open", "comments": [], **body})
            case "PATCH", ["issues", number]:
                found.items[int(number) - 1] |= body
                return JSONResponse(found.items[int(number) - 1])
            case "GET", ["issues", number]:
                return JSONResponse(found.items[int(number) - 1])
            case "POST", ["issues", number, "comments"]:
                found.items[int(number) - 1]["comments"].append(body["body"])
                return JSONResponse({}, 201)
        return JSONResponse({"message": f"no {method} {path}"}, 404)

    def create(self, body: dict[str, Any]) -> Response:
        name = f"{ORGANIZATION}/{body['name']}"
        subprocess.run(
            ["git", "init", "--quiet", "--bare", f"{self.folder / name}.git"], check=True
        )
        self.repositories[name] = Repository(dict(body))
        return JSONResponse(body, 201)

    def add(self, found: Repository, item: dict[str, Any]) -> Response:
        found.items.append(item | {"number": len(found.items) + 1})
        return JSONResponse(found.items[-1], 201)

    def tools(self) -> FastMCP:
        server: FastMCP = FastMCP("github-mcp-server", version="1.2")

        @server.tool
        def add_issue_comment(owner: str, repo: str, issue_number: int, body: str) -> str:
            """Add a comment to an issue or a pull request."""
            item = self.repositories[f"{owner}/{repo}"].items[issue_number - 1]
            item["comments"].append(body)
            return "added"

        return server


@contextmanager
def fake_github(folder: Path) -> Iterator[FakeGitHub]:
    """A running server: REST below `/api`, MCP at `/mcp`."""
    fake = FakeGitHub(folder / "git")
    mcp = fake.tools().http_app(path="/mcp")

    async def tools(scope: Scope, receive: Receive, send: Send) -> None:
        if fake.drops:
            fake.drops -= 1
            raise ConnectionAbortedError("broken off on purpose")
        await mcp(scope, receive, send)

    routes = [
        Route("/api/{path:path}", fake.rest, methods=["GET", "POST", "PUT", "PATCH", "DELETE"]),
        Mount("/", tools),
    ]
    with serve(Starlette(routes=routes, lifespan=mcp.lifespan)) as fake.address:
        yield fake


def write_archive(path: Path) -> Path:
    """An archive as MCPMark keeps them: two branches, a tag, workflows, three issues, two pulls."""
    work = path.parent / "work" / "example-library"
    repo = work / "repo"
    repo.mkdir(parents=True)

    def git(*arguments: str) -> None:
        who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
        subprocess.run(["git", *who, *arguments], cwd=repo, check=True, capture_output=True)

    git("init", "--quiet", "--initial-branch=trunk")
    (repo / ".github").mkdir()
    (repo / ".github" / "ci.yml").write_text("on: push\n")
    (repo / "README.md").write_text("# Library\n")
    git("add", "-A")
    git("commit", "--quiet", "-m", "Begin")
    git("tag", "v1")
    git("checkout", "--quiet", "-b", "pr/7-bob-fix")
    (repo / "fix.txt").write_text("fixed\n")
    git("add", "-A")
    git("commit", "--quiet", "-m", "Fix")
    git("checkout", "--quiet", "trunk")
    said = {"user": "carla", "body": "Thanks @ann-lee, mail me: carla@example.org"}
    issues = [
        {"title": "Slow", "body": "Ask @bob", "labels": ["bug"], "state": "open", "number": 9,
         "comments": [said]},
        {"title": "Done", "body": None, "labels": [], "state": "closed", "number": 8},
        {"title": "Late", "body": "", "labels": [], "state": "open", "number": 6},
    ]  # fmt: skip
    fork = {"is_from_fork": True, "fork_owner": "bob", "fork_repo": "library"}
    pulls = [
        {"title": "Nothing", "body": "", "head": "trunk", "base": "trunk", "number": 5},
        {"title": "Fix", "body": "Fixes it", "head": "fix", "base": "trunk", "number": 7,
         "local_branch": "pr/7-bob-fix", "comments": [], "review_comments": [said], **fork},
    ]  # fmt: skip
    meta = {"owner": "example", "repo": "library", "default_branch": "trunk", "pr_head_refs": []}
    for name, content in (("meta", meta), ("issues", issues), ("pulls", pulls)):
        (work / f"{name}.json").write_text(json.dumps(content))
    with ZipFile(path, "w") as archive:
        for file in sorted(work.rglob("*")):
            archive.write(file, file.relative_to(work.parent))
    return path


def files_of(repository: Path, branch: str) -> list[str]:
    """The names at the top of a branch of a repository that was pushed."""
    listed = subprocess.run(
        ["git", "ls-tree", "--name-only", branch],
        cwd=repository,
        check=True,
        capture_output=True,
        text=True,
    )
    return listed.stdout.split()


def mentions(text: str) -> list[str]:
    """The names after an at sign."""
    return re.findall(r"(?<!\w)@([\w-]+)", text)
