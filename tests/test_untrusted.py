"""What a guest says is read in one place: `host.untrusted` on the host, and the parsers of
`evaluators.bounded` under it. Here every other module's syntax tree is searched for readers that
know no bounds."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from tests.support.tables import every_case

ROOT = Path(__file__).parents[1]
PACKAGES = ("host", "evaluators", "toolgen")
DOORS = ("host/untrusted/", "evaluators/bounded.py")
IN_THE_GUEST = ("host/client/inside/", "toolgen/inside/")
"""Programs that run in the guest."""

FUNCTIONS = frozenset(
    {
        "PIL.Image.open",
        "ast.parse",
        "base64.b64decode",
        "bz2.decompress",
        "gzip.decompress",
        "json.JSONDecoder",
        "json.load",
        "json.loads",
        "lzma.decompress",
        "pickle.loads",
        "pydantic_core.from_json",
        "zlib.decompress",
        "zlib.decompressobj",
    }
)
CLIENTS = frozenset({"aiohttp", "http.client", "httpx", "httpx2", "requests", "urllib.request"})
"""Whoever imports one of these may hold an answer of a guest; its `content` knows no bounds."""
METHODS = frozenset({"json", "model_validate_json", "parse_raw", "validate_json"})
"""Of anything; `json` only without arguments, as a response has it."""

OWN = "reads files that the host wrote itself"
MODEL = "reads what a model answered, or a request to one"
PAGE = "reads what a person's browser sent to a page of ours"
NAMED = "reads a file that its user named"
BRIDGE = "in a process of its own: reads what the bridge says, for which the doors were passed"
ALLOWED: dict[str, tuple[str, set[str]]] = {
    "evaluators/manifest.py": (OWN, {".model_validate_json()"}),
    "host/box/client.py": ("reads what the box says of a verdict", {"json.loads"}),
    "host/box/server.py": ("reads what its controller says", {"json.loads"}),
    "host/cluster/lanes.py": ("reads what its workers say", {".model_validate_json()"}),
    "host/cluster/worker.py": ("reads what its head says", {".model_validate_json()"}),
    "host/records/config.py": (OWN, {".model_validate_json()"}),
    "host/loop/stage_cache.py": (OWN, {".model_validate_json()"}),
    "host/passport/building.py": (OWN, {".model_validate_json()", "json.loads"}),
    "host/passport/verifying.py": (NAMED, {"json.loads"}),
    "host/dialects/words.py": (MODEL, {"json.loads"}),
    "host/integrations/desk_server.py": (
        "reads what a program that holds its token sent",
        {".model_validate_json()"},
    ),
    "host/integrations/outside/ambidex_desktop/client.py": (
        BRIDGE,
        {"import urllib.request", "json.loads"},
    ),
    "host/integrations/outside/ambidex_desktop/rollouts.py": (
        "reads its own data set, and arguments that a model wrote",
        {"json.loads"},
    ),
    "host/integrations/atif/reading.py": (NAMED, {".model_validate_json()"}),
    "host/integrations/atif/writing.py": (MODEL, {"json.loads"}),
    "host/models/refusals.py": (MODEL, {"json.loads"}),
    "host/accounts/rest.py": ("reads what GitHub and Notion answer", {"import httpx", ".content"}),
    "host/accounts/remote_tools.py": (
        "gives the MCP client a transport of ambidex.host.untrusted",
        {"import httpx2"},
    ),
    "host/client/mcp.py": (
        "gives the MCP client a transport of ambidex.host.untrusted",
        {"import httpx2"},
    ),
    "host/records/command.py": (OWN, {"json.loads"}),
    "host/records/experiment_plan.py": (OWN, {".validate_json()"}),
    "host/records/orders.py": (OWN, {".model_validate_json()"}),
    "host/cli/assets.py": ("fetches the files of the benchmark", {"import httpx"}),
    "host/osworld/revisions.py": ("reads task files of the benchmark", {"json.loads"}),
    "host/report/paper.py": ("reads a file of this repository", {".model_validate_json()"}),
    "host/records/frame_files.py": (OWN, {"PIL.Image.open"}),
    "host/loop/replay_prefix.py": ("copies a value of its own", {"json.loads"}),
    "host/room/app.py": (PAGE, {".model_validate_json()"}),
    "host/room/desk/routes.py": (PAGE, {".model_validate_json()"}),
    "host/room/desk/transcript.py": (
        "reads requests that it wrote itself, with pictures of the trajectory",
        {"base64.b64decode", "json.loads"},
    ),
    "host/room/desk/verdict.py": (OWN, {"json.loads"}),
    "host/room/runs/routes.py": (PAGE, {".model_validate_json()"}),
    "host/room/forking.py": (OWN, {".model_validate_json()"}),
    "host/room/standalone_page.py": (OWN, {"json.loads"}),
    "host/room/live_trajectory.py": (OWN, {"json.loads"}),
    "host/cluster/kept.py": (OWN, {"json.loads"}),
    "host/records/rows.py": (OWN, {".model_validate_json()"}),
    "host/runs/rescoring.py": (OWN, {".model_validate_json()"}),
    "host/records/trajectory.py": (
        "reads its own lines, and pictures that ambidex.host.untrusted passed on",
        {"base64.b64decode", "json.loads"},
    ),
    "host/toolsets/importers/aws.py": (NAMED, {"gzip.decompress"}),
    "host/toolsets/importers/discovery.py": (NAMED, {"json.loads"}),
    "host/toolsets/importers/documents.py": (NAMED, {"json.loads"}),
    "host/toolsets/importers/mcp.py": (NAMED, {".validate_json()"}),
    "host/toolsets/locking.py": (NAMED, {".model_validate_json()"}),
    "host/toolsets/toolset.py": (
        "reads a file that its user named, one bounded record at a time",
        {"json.loads", "zlib.decompressobj"},
    ),
    "host/records/announcement.py": (OWN, {".model_validate_json()"}),
    "toolgen/stages/admit.py": (OWN, {"json.loads"}),
    "toolgen/models/asking.py": (MODEL, {"base64.b64decode"}),
    "toolgen/models/answer_blocks.py": (MODEL, {"json.loads"}),
    "toolgen/foundry.py": (OWN, {".model_validate_json()"}),
    "toolgen/review/schema.py": ("reads what a program of this repository said", {"json.loads"}),
    "toolgen/review/opinion.py": (MODEL, {".model_validate_json()"}),
    "toolgen/review/app.py": (PAGE, {".model_validate_json()"}),
    "toolgen/stages/solve.py": (OWN, {"json.loads"}),
    "toolgen/store.py": (OWN, {".model_validate_json()", "json.loads"}),
}
"""By module: the reason why it may read without the doors, and what it reads with."""


def readers(source: str) -> Iterator[tuple[int, str]]:
    """Each reader without bounds in a module: its line, and what it is."""
    nodes = [*ast.walk(ast.parse(source))]
    names = dict(_imported(nodes))
    clients = {name for name in names.values() if _client(name)}
    yield from ((1, f"import {name}") for name in sorted({_client(name) for name in clients}))
    called = {id(node.func): node for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        match node:
            case ast.Name() | ast.Attribute() if _dotted(node, names) in FUNCTIONS:
                yield node.lineno, _dotted(node, names)
            case ast.Attribute(attr="content", value=value) if clients and not _is_self(value):
                yield node.lineno, ".content"
            case ast.Attribute(attr=name) if name in METHODS and id(node) in called:
                call = called[id(node)]
                if name != "json" or not (call.args or call.keywords):
                    yield node.lineno, f".{name}()"


def _client(name: str) -> str:
    """The HTTP client that an imported name is of."""
    return next((each for each in CLIENTS if f"{name}.".startswith(f"{each}.")), "")


def _imported(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        match node:
            case ast.Import():
                for alias in node.names:
                    top = alias.name.partition(".")[0]
                    yield alias.asname or top, alias.name if alias.asname else top
                    yield alias.name, alias.name
            case ast.ImportFrom():
                for alias in node.names:
                    yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _dotted(node: ast.AST, names: dict[str, str]) -> str:
    match node:
        case ast.Name(id=name):
            return names.get(name, "")
        case ast.Attribute(value=value, attr=attr):
            before = _dotted(value, names)
            return f"{before}.{attr}" if before else ""
    return ""


def _is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


@cache
def found() -> dict[str, list[tuple[int, str]]]:
    """The readers of each module outside of the doors."""
    return {name: list(readers(path.read_text(encoding="utf-8"))) for name, path in modules()}


def modules() -> Iterator[tuple[str, Path]]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith((*DOORS, *IN_THE_GUEST)):
                yield name, path


def test_guest_bytes_are_read_behind_the_doors_alone() -> None:
    wrong = [
        f"{name}:{line}: {what} is unbounded; use host.untrusted or evaluators.bounded"
        for name, seen in found().items()
        for line, what in seen
        if what not in ALLOWED.get(name, ("", set()))[1]
    ]
    assert not wrong, "\n".join(wrong)


def test_nothing_is_allowed_that_is_not_needed() -> None:
    needed = {(name, what) for name, seen in found().items() for _, what in seen}
    assert {(name, what) for name, (_, each) in ALLOWED.items() for what in each} <= needed


@every_case(
    ("source", "what"),
    [
        ("import json\nx = json.loads(y)", "json.loads"),
        ("import json as j\nx = j.load(y)", "json.load"),
        ("from json import loads as read\nx = read(y)", "json.loads"),
        ("import json\nx = map(json.loads, y)", "json.loads"),
        ("import zlib\nx = zlib.decompress(y)", "zlib.decompress"),
        ("from PIL import Image\nx = Image.open(y)", "PIL.Image.open"),
        ("import PIL.Image\nx = PIL.Image.open(y)", "PIL.Image.open"),
        ("from base64 import b64decode\nx = b64decode(y)", "base64.b64decode"),
        ("x = answer.json()", ".json()"),
        ("x = Row.model_validate_json(y)", ".model_validate_json()"),
        ("x = adapter.validate_json(y)", ".validate_json()"),
    ],
)
def test_each_reader_without_bounds_is_seen(source: str, what: str) -> None:
    assert [seen for _, seen in readers(source)] == [what]


@every_case(
    "imported",
    ["import httpx", "import httpx as h", "from httpx2 import get", "import urllib.request"],
)
@every_case("read", ["answer", "self.answer"])
def test_an_http_client_is_seen_and_the_content_of_its_answers(imported: str, read: str) -> None:
    client = imported.split()[1]
    seen = [what for _, what in readers(f"{imported}\nx = {read}.content")]
    assert seen == [f"import {client}", ".content"]


@every_case(
    "source",
    ["import json\nx = json.dumps(y)", "x = self.content", "x = y.json(1)", "x = loads(y)"],
)
def test_what_reads_nothing_is_not(source: str) -> None:
    assert not list(readers(source))
