"""Serves the tools to agents over MCP: the door validates each call, and a worker executes it."""

from __future__ import annotations

import base64
import json
import logging
import time
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, Optional

from fastmcp import FastMCP
from fastmcp.server.dependencies import fastmcp_request_ctx
from fastmcp.tools.base import Tool as MCPTool
from fastmcp.tools.base import ToolResult
from mcp_types import CallToolResult, ContentBlock, ImageContent, TextContent, ToolAnnotations

from ambidex.guest import CALL_AGAIN, CALL_ID
from ambidex.guest.store import Store
from ambidex.guest.wire import Message
from ambidex.guest.workers import Worker, WorkerError, WorkerRefusalError
from ambidex.mcp_tools import Tool, ToolError
from ambidex.mcp_tools.aliases import metadata, resolve

__all__ = ["Server", "failure", "success"]

log = logging.getLogger("ambidex.guest.tools")

NEAREST = 3
"""How many tools are named to a caller of one that does not exist."""


def success(reply: Message) -> CallToolResult:
    """A worker's reply as an MCP result: its value as data, and as text for a model."""
    value = reply.head["value"]
    if value.get("picture"):
        data = base64.b64encode(reply.body).decode()
        return CallToolResult(
            content=[ImageContent(type="image", data=data, mime_type="image/png")]
        )
    result = value["result"]
    if result is None:
        text = "Done."
    else:
        text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    content: list[ContentBlock] = [TextContent(type="text", text=text)]
    return CallToolResult(content=content, structured_content=value)


def failure(code: str, message: str, hint: str = "") -> CallToolResult:
    """An error result, for a model."""
    return CallToolResult(
        content=[TextContent(type="text", text=f"{message} {hint}".strip())],
        structured_content={"error": {"code": code, "message": message, "hint": hint}},
        is_error=True,
    )


class Server(FastMCP[None]):
    """The MCP server of the tools. It accepts the reference's tool names as well.

    A repeated call id gets the stored result. `unlisted` tools are carried out too. `first_calls`
    names the tools that start stock servers.
    """

    def __init__(
        self,
        tools: dict[str, Tool],
        workers: dict[str, Worker],
        unlisted: Optional[dict[str, Tool]] = None,
        first_calls: Sequence[str] = (),
    ) -> None:
        super().__init__("ambidex")
        self._first_calls = first_calls
        self._listed = tools
        self._offered = {**tools, **(unlisted or {})}
        self._workers = workers
        self._results: Store[CallToolResult] = Store()
        self._served = [
            MCPTool(
                name=tool.name,
                description=tool.description,
                parameters=tool.parameters,
                annotations=ToolAnnotations(read_only_hint=tool.reads_only),
                meta={"ambidex": metadata(tool)},
            )
            for tool in tools.values()
        ]
        # Looked up before every call with arguments; by default the SDK lists all tools for that.
        schemas = {tool.name: tool.parameters for tool in self._served}
        self._mcp_server.get_tool_input_schema = lambda name: schemas.get(resolve(name))

    async def start_servers(self) -> dict[str, str]:
        """Make the first calls of the stock servers; the errors by tool."""
        results = {name: await self._call(name, {}) for name in self._first_calls}
        return {
            name: str(result.structured_content)
            for name, result in results.items()
            if result.is_error
        }

    def forget(self) -> None:
        """Drop the stored results."""
        self._results.forget()

    async def list_tools(self, **_: Any) -> Sequence[MCPTool]:
        """List all tools.

        FastMCP's implementation checks access to each, and at first use loads modules for that
        which take a quarter of the memory that the door needs otherwise.
        """
        return self._served

    async def call_tool(
        self, name: str, arguments: Optional[dict[str, Any]] = None, **_: Any
    ) -> ToolResult:
        """Execute one call, without FastMCP's middleware, tasks and threads, which are not used."""
        context = fastmcp_request_ctx.get()
        meta = (context.meta or {}) if context else {}
        call, given = meta.get(CALL_ID), arguments or {}
        if not isinstance(call, str) or not call:
            result = await self._call(name, given)
        elif meta.get(CALL_AGAIN):
            stored = await self._results.result(call)
            result = stored or failure("unknown_call", f"No result is stored for call {call!r}.")
        else:
            result = await self._results.once(call, lambda: self._call(name, given))
        return ToolResult.from_mcp_result(result)

    async def _call(self, name: str, arguments: dict[str, Any]) -> CallToolResult:
        began = time.monotonic()
        result = await self._execute(name, arguments)
        fate = "error" if result.is_error else "ok"
        log.info("%s %s in %.0f ms", name, fate, (time.monotonic() - began) * 1000)
        return result

    async def _execute(self, name: str, arguments: dict[str, Any]) -> CallToolResult:
        name = resolve(name)
        tool = self._offered.get(name)
        if tool is None:
            return failure("unknown_tool", f"There is no tool {name!r}.", self._suggestions(name))
        try:
            tool.arguments(arguments)
            reply = await self._workers[tool.worker].ask(name, arguments, tool.timeout)
        except ToolError as error:
            return failure(error.code, error.message, error.hint)
        except WorkerRefusalError as refusal:
            error_fields = refusal.error
            if error_fields["kind"] == "bug":
                log.error("%s failed with a bug:\n%s", name, error_fields["traceback"])
            return failure(error_fields["code"], error_fields["message"], error_fields["hint"])
        except WorkerError as lost:
            return failure(lost.code, str(lost))
        return success(reply)

    def _suggestions(self, name: str) -> str:
        nearest = get_close_matches(name, self._listed, NEAREST, cutoff=0.0)
        return f"The nearest are {', '.join(nearest)}."
