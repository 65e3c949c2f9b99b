"""The MCP server of a desktop, over HTTP with a token or over standard input and output.

It runs on the host, in front of the guest: its address stays the same when the machine is reverted,
the guest's harness is not reachable through it, and the guest's answers are read within bounds.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from anyio.to_thread import run_sync
from fastmcp import FastMCP
from fastmcp.server.auth import AccessToken, TokenVerifier
from fastmcp.tools.base import Tool
from fastmcp.tools.base import ToolResult as MCPResult
from mcp_types import ContentBlock, ImageContent, TextContent, ToolAnnotations
from pydantic import PrivateAttr

from ambidex.host import ToolResult, ToolSpec
from ambidex.host.errors import GuestError, UsageError
from ambidex.host.integrations.background import serving
from ambidex.host.integrations.served_desktop import Access, Desktop
from ambidex.host.records.code import installed_version
from ambidex.vm import READY, MachineError
from ambidex.vm.machines.door import new_token

__all__ = ["Offer", "mcp_server", "served"]

PATH = "/mcp"


@dataclass(frozen=True)
class Offer:
    """What the server of a desktop offers."""

    apps: frozenset[str] = frozenset()
    """Only the guest's tools of these apps; empty: of all."""
    revert: bool = False
    """Whether to add a tool that reverts the machine."""
    forks: bool = False
    """Whether to add tools that save snapshots of the machine and fork it."""


def mcp_server(desktop: Desktop, offer: Offer, token: str = "") -> FastMCP[None]:
    """The server. With a token, it answers HTTP requests that have the token and no others."""
    server = FastMCP[None](
        "ambidex", version=installed_version(), auth=OneToken(token) if token else None
    )
    for spec in desktop.tools():
        if not offer.apps or spec.app in offer.apps:
            server.add_tool(_guest_tool(spec, desktop))
    if offer.revert:
        _add_revert(server, desktop)
    if offer.forks:
        _add_forks(server, desktop, offer)
    return server


@contextmanager
def served(desktop: Desktop, offer: Offer, port: int = 0) -> Iterator[Access]:
    """Serve a desktop over HTTP in the background while the block runs; port 0 chooses a free
    one."""
    token = new_token()
    app = mcp_server(desktop, offer, token).http_app(PATH)
    with serving(app, "the MCP server", port) as url:
        yield Access(f"{url}{PATH}", token)


class OneToken(TokenVerifier):
    """Admits one token."""

    def __init__(self, token: str) -> None:
        super().__init__()
        self._token = token

    async def verify_token(self, token: str) -> AccessToken | None:
        """See `TokenVerifier`. Compares in constant time."""
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            return None
        return AccessToken(token=token, client_id="ambidex", scopes=[])


class GuestTool(Tool):
    """A tool of the guest."""

    _call: Callable[[str, dict[str, Any]], ToolResult] = PrivateAttr()

    async def run(self, arguments: dict[str, Any]) -> MCPResult:
        """Carry out a call. That the guest is lost is an error result for the client, too."""
        try:
            result = await run_sync(self._call, self.name, arguments)
        except (GuestError, MachineError) as error:
            return _refusal(error, "lost")
        return _answer(result)


def _guest_tool(spec: ToolSpec, desktop: Desktop) -> GuestTool:
    tool = GuestTool(
        name=spec.name,
        description=spec.description,
        parameters=spec.parameters,
        annotations=ToolAnnotations(read_only_hint=spec.reads_only),
        meta={"ambidex": {"app": spec.app}},
    )
    tool._call = desktop.call
    return tool


def _answer(result: ToolResult) -> MCPResult:
    content: list[ContentBlock] = []
    if result.text or not result.images:
        content.append(TextContent(type="text", text=result.text))
    for image in result.images:
        head, _, data = image.partition(";base64,")
        content.append(ImageContent(type="image", data=data, mime_type=head.removeprefix("data:")))
    if result.error:
        return MCPResult(
            content,
            structured_content={"error": {"code": result.error, "message": result.text}},
            is_error=True,
        )
    value = None if result.value is None else {"result": result.value}
    return MCPResult(content, structured_content=value)


def _refusal(error: Exception, code: str) -> MCPResult:
    text = f"{error} {getattr(error, 'hint', '')}".strip()
    details = {"error": {"code": code, "message": text}}
    return MCPResult([TextContent(type="text", text=text)], details, is_error=True)


def _add_revert(server: FastMCP[None], desktop: Desktop) -> None:
    @server.tool
    async def machine_revert(snapshot: str = READY) -> MCPResult:
        """Revert the whole machine, with its files, settings and programs. `ready` is the state in
        which it was booted; other snapshots are those that machine_snapshot saved."""
        return await _do(lambda: desktop.revert(snapshot), f"Reverted to {snapshot}.")


def _add_forks(server: FastMCP[None], desktop: Desktop, offer: Offer) -> None:
    @server.tool
    async def machine_snapshot(name: str) -> MCPResult:
        """Save the whole machine (memory, running programs, disk) under a name of letters, digits,
        dots, hyphens and underscores, so that machine_revert can return to this state."""
        return await _do(lambda: desktop.save(name), f"Saved as {name}.")

    @server.tool
    async def machine_fork() -> MCPResult:
        """Start a second machine in the present state of this one. Returns the URL and token of
        the second machine's own MCP server; both machines continue independently."""

        def fork() -> MCPResult:
            access = desktop.fork(lambda copy: served(copy, offer))
            text = f"The fork is served at {access.url} with the token {access.token}"
            value = {"url": access.url, "token": access.token}
            return MCPResult([TextContent(type="text", text=text)], value)

        return await _try(fork)

    @server.tool
    async def machine_end_fork(url: str) -> MCPResult:
        """End a fork and its MCP server, by the URL that machine_fork returned."""
        return await _do(lambda: desktop.end_fork(url), "Ended.")


async def _do(action: Callable[[], None], done: str) -> MCPResult:
    def act() -> MCPResult:
        action()
        return MCPResult([TextContent(type="text", text=done)])

    return await _try(act)


async def _try(action: Callable[[], MCPResult]) -> MCPResult:
    try:
        return await run_sync(action)
    except UsageError as error:
        return _refusal(error, "bad_arguments")
    except (GuestError, MachineError) as error:
        return _refusal(error, "failed")
