"""`ambidex toolset`: compile, list, search and lock catalogues of thousands of tools."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from cyclopts import App, Parameter
from rich.table import Table

from ambidex.host.cli.assets import Store, store_of
from ambidex.host.cli.options import Json
from ambidex.host.cli.toolset_servers import print_check
from ambidex.host.errors import UsageError
from ambidex.host.models.tokens import COUNTED_AS
from ambidex.host.records.gateway_options import GatewayOptions, RetrieverKind
from ambidex.host.runs.machines import MachineOptions
from ambidex.host.terminal import Terminal, echo, one_line, print_json
from ambidex.host.toolsets import CatalogueTool
from ambidex.host.toolsets.compiling import compile_sources
from ambidex.host.toolsets.costs import costs_of
from ambidex.host.toolsets.locking import DriftKind, drifts, locked, read_lock, write_lock
from ambidex.host.toolsets.packages import fetch_package
from ambidex.host.toolsets.retrieval import Query, open_retriever
from ambidex.host.toolsets.sources import FileSource, read_sources
from ambidex.host.toolsets.toolset import Toolset
from ambidex.host.toolsets.toolset_tools import spec_of
from ambidex.tasks.toolset import write_tools

__all__ = ["toolset"]

toolset = App(name="toolset")
ON = Parameter(negative="")
SHOWN = 100
"""Maximum characters of a description in a table."""
WORDS: dict[DriftKind, str] = {
    "added": "added",
    "removed": "removed",
    "renamed": "renamed",
    "schema": "changed schemas",
    "description": "changed descriptions",
}


@toolset.command(name="compile")
def compile_(
    sources: Path,
    *,
    out: Annotated[Path | None, Parameter(alias="-o")] = None,
    tools: Path | None = None,
    store: Store = None,
) -> int:
    """Compile a toolset from its sources.

    Parameters
    ----------
    sources
        A TOML file that lists the sources.
    out
        The toolset's file; by default that of the sources, ending in .toolset.
    tools
        Also write what a suite has to know of its executable tools: tools.json, or tools-NAME.json
        if it has those of several toolsets, in its directory.
    """
    to = out or sources.with_suffix(".toolset")
    made = compile_sources(read_sources(sources), sources.parent, store_of(store), to)
    if tools:
        write_tools(tools, [spec_of(tool) for tool in made if tool.executable])
    unavailable = sum(not tool.executable for tool in made)
    echo(
        f"{len(made)} tools of {len(made.servers)} servers, {len(made) - unavailable} executable:"
        f" {to}\n{made.hash}"
    )
    return 0


@toolset.command(name="list")
def list_(
    path: Path,
    *,
    server: str = "",
    json: Json = False,
) -> int:
    """List the servers of a toolset, or the tools of one server.

    Parameters
    ----------
    path
        A toolset.
    server
        The server whose tools are listed.
    """
    opened = Toolset.open(path)
    if server:
        if server not in opened.servers:
            raise UsageError(
                f"{path} has no server {server!r}",
                hint=f"`ambidex toolset list {path}` names its servers.",
            )
        _print_tools([tool for tool in opened if tool.server == server], json)
        return 0
    counts, executable = Counter[str](), Counter[str]()
    for tool in opened:
        counts[tool.server] += 1
        executable[tool.server] += tool.executable
    if json:
        print_json(
            [
                {
                    **one.model_dump(mode="json", exclude_unset=True),
                    "tools": counts[name],
                    "executable": executable[name],
                }
                for name, one in opened.servers.items()
            ]
        )
        return 0
    table = Table("server", "category", "tools", "executable", "about", title_justify="left")
    for name, one in opened.servers.items():
        about = one.title or one.description
        numbers = str(counts[name]), str(executable[name])
        table.add_row(name, one.category, *numbers, _short(about))
    table.add_row("all", "", str(len(opened)), str(executable.total()), "", style="bold")
    Terminal().print(table)
    return 0


@toolset.command
def describe(
    path: Path,
    *names: str,
    tokens: Annotated[bool, ON] = False,
    top: int = 5,
    json: Json = False,
) -> int:
    """Print everything that a toolset says of tools, or of servers, as JSON.

    Parameters
    ----------
    path
        A toolset.
    names
        Names of tools or servers.
    tokens
        Instead, count the tokens that a model pays for the toolset: all specifications in each
        request, or the gateway's tools and the answers to searches.
    top
        Number of tools in such an answer.
    """
    opened = Toolset.open(path)
    if tokens:
        _print_costs(opened, top, json)
        return 0
    numbers = {opened.name_of(number): number for number in range(len(opened))}
    found: list[Any] = []
    for name in names:
        if name in numbers:
            found.append(opened[numbers[name]].model_dump(mode="json", exclude_unset=True))
        elif name in opened.servers:
            found.append(opened.servers[name].model_dump(mode="json", exclude_unset=True))
        else:
            raise UsageError(
                f"{path} has no tool and no server {name!r}",
                hint=f"Find it with `ambidex toolset search {path} WORDS`.",
            )
    print_json(found)
    return 0


@toolset.command
def search(
    path: Path,
    *words: str,
    top: int = 5,
    retriever: RetrieverKind = "bm25",
    json: Json = False,
) -> int:
    """Search a toolset as a gateway does, best match first.

    Parameters
    ----------
    path
        A toolset.
    words
        What the tool should do.
    top
        Number of tools.
    retriever
        How tools are ranked: bm25 (by words), embedder (by vectors), product (by vectors of servers
        and tools) or fused (bm25 and embedder).
    """
    opened = Toolset.open(path)
    options = GatewayOptions(toolsets=(str(path),), retriever=retriever)
    ranking = open_retriever(options, [opened], Terminal(stderr=True).print)
    best = ranking.best(Query(" ".join(words)), top)
    _print_tools([opened[number] for _, number in best], json)
    return 0 if best else 1


@toolset.command(name="import")
def import_(sources: Path, *, store: Store = None) -> int:
    """Download the packages that the sources name, with pip and npm, into the asset store.

    A package's first download pins its SHA-256; nothing of it is executed.

    Parameters
    ----------
    sources
        A TOML file that lists the sources.
    """
    assets = store_of(store)
    listed = [one for one in read_sources(sources).source if isinstance(one, FileSource)]
    for package in dict.fromkeys(one.package for one in listed if one.package):
        asset = assets.known(package)
        if asset is None or assets.at(package) is None:
            asset = fetch_package(package, assets)
        echo(f"{package}: {asset.size} bytes, SHA-256 {asset.sha256}")
    return 0


@toolset.command
def lock(path: Path, *, out: Annotated[Path | None, Parameter(alias="-o")] = None) -> int:
    """Write the lock of a toolset: hashes of each tool's schema and description.

    Parameters
    ----------
    path
        A toolset.
    out
        The lock; by default the toolset's name, ending in .lock.
    """
    to = out or path.with_suffix(".lock")
    write_lock(to, locked(Toolset.open(path)))
    echo(f"the lock of {path}: {to}")
    return 0


@toolset.command
def check(
    path: Path,
    *,
    lock: Path | None = None,
    store: Store = None,
    json: Json = False,
) -> int:
    """Verify a toolset, and report how its tools differ from a lock. Exit status 1 if they do.

    Parameters
    ----------
    path
        A toolset; or a TOML file of sources, which are then compiled as they are now.
    lock
        The lock; by default the file's name, ending in .lock.
    """
    before = read_lock(lock or path.with_suffix(".lock"))
    if path.suffix == ".toml":
        with TemporaryDirectory(prefix="ambidex-toolset-") as scratch:
            to = Path(scratch) / "now.toolset"
            made = compile_sources(read_sources(path), path.parent, store_of(store), to)
            now = list(locked(made))
    else:
        opened = Toolset.open(path)
        opened.verify()
        now = list(locked(opened))
    found = drifts(before, now)
    if json:
        print_json([asdict(drift) for drift in found])
        return 1 if found else 0
    for drift in found:
        echo(one_line(str(drift)))
    kinds = Counter(drift.kind for drift in found)
    counts = ", ".join(f"{kinds[kind]} {word}" for kind, word in WORDS.items())
    echo(f"{len(now)} tools, {len(before)} locked: {counts}")
    return 1 if found else 0


@toolset.command(name="check-servers")
def check_servers(
    path: Path, *, machines: MachineOptions = MachineOptions(), json: Json = False
) -> int:
    """Start the MCP servers of a toolset in a machine of an image, and compare what they list.

    Prints which start without a network, why the others do not, and which names, schemas and
    descriptions differ. Exit status 1 if anything does.

    Parameters
    ----------
    path
        A toolset.
    """
    return print_check(path, machines, json)


def _print_tools(tools: list[CatalogueTool], json: bool) -> None:
    if json:
        print_json([tool.model_dump(mode="json", exclude_unset=True) for tool in tools])
        return
    table = Table(title_justify="left")
    table.add_column("tool", no_wrap=True)
    for column in ("arguments", "description", "unavailable"):
        table.add_column(column)
    for tool in tools:
        required = tool.input_schema.get("required", ())
        names = tool.input_schema.get("properties", {})
        arguments = ", ".join(name if name in required else f"{name}?" for name in names)
        table.add_row(tool.name, _short(arguments), _short(tool.description), tool.cause)
    Terminal().print(table)


def _print_costs(opened: Toolset, top: int, json: bool) -> None:
    costs = costs_of(opened, top)
    if json:
        print_json(asdict(costs))
        return
    table = Table("what a model is sent", "when", "tokens", title_justify="left")
    table.title = f"Tokens of {len(opened)} tools, as counted by {COUNTED_AS}"
    table.add_row("all specifications", "every request", str(costs.everything))
    for form, number in costs.gateways.items():
        table.add_row(f"gateway {form!r}: its two tools", "every request", str(number))
        middle, most = costs.answers[form]
        answer = f"gateway {form!r}: an answer with {top} tools"
        table.add_row(answer, "every search", f"median {middle}, maximum {most}")
    Terminal().print(table)
    echo(f"Answers to {costs.queries} searches, made of the tools' own descriptions.")


def _short(text: str) -> str:
    line = one_line(text.strip().split("\n")[0])
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 1]}…"
