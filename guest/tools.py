"""The agent's side of the door: the catalogue served over MCP, each call checked here and done by a
worker.
"""

from __future__ import annotations

import base64
import json
import logging
import time
from collections.abc import Sequence
from typing import Any, Optional

from fastmcp import FastMCP
from fastmcp.server.dependencies import fastmcp_request_ctx
from fastmcp.tools.base import Tool as Served
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


def success(reply: Message) -> CallToolResult:
    """A worker's reply as MCP: the value as data, and as a text that a model can read."""
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
    """An error that the model is told of."""
    return CallToolResult(
        content=[TextContent(type="text", text=f"{message} {hint}".strip())],
        structured_content={"error": {"code": code, "message": message, "hint": hint}},
        is_error=True,
    )


class Server(FastMCP[None]):
    """The tools, served, also under the names that the reference has for them. A call with an id
    that was seen before gets the result it had then.
    """

    def __init__(self, tools: dict[str, Tool], workers: dict[str, Worker]) -> None:
        super().__init__("ambidex")
        self._offered = tools
        self._workers = workers
        self._results: Store[CallToolResult] = Store()
        self._served = [
            Served(
                name=tool.name,
                description=tool.description,
                parameters=tool.parameters,
                annotations=ToolAnnotations(read_only_hint=tool.reads_only),
                meta={"ambidex": metadata(tool)},
            )
            for tool in tools.values()
        ]
        # Asked before every call with arguments; without it the SDK lists all tools to find one.
        schemas = {tool.name: tool.parameters for tool in self._served}
        self._mcp_server.get_tool_input_schema = lambda name: schemas.get(resolve(name))

    def forget(self) -> None:
        """Drop the stored results."""
        self._results.forget()

    async def list_tools(self, **_: Any) -> Sequence[Served]:
        """All of them, to everyone. FastMCP's own way asks who may see which, and loads for that,
        at the first question, a quarter of what the door needs otherwise.
        """
        return self._served

    async def call_tool(
        self, name: str, arguments: Optional[dict[str, Any]] = None, **_: Any
    ) -> ToolResult:
        """Do one call. FastMCP's own way to a tool (middleware, task, thread) is left out: it
        costs, and nothing here uses it.
        """
        context = fastmcp_request_ctx.get()
        meta = (context.meta or {}) if context else {}
        call, given = meta.get(CALL_ID), arguments or {}
        if not isinstance(call, str) or not call:
            result = await self._call(name, given)
        elif meta.get(CALL_AGAIN):
            known = await self._results.result(call)
            result = known or failure("unknown_call", f"This server knows no call {call!r}.")
        else:
            result = await self._results.once(call, lambda: self._call(name, given))
        return ToolResult.from_mcp_result(result)

    async def _call(self, name: str, given: dict[str, Any]) -> CallToolResult:
        began = time.monotonic()
        result = await self._done(name, given)
        fate = "error" if result.is_error else "ok"
        log.info("%s %s in %.0f ms", name, fate, (time.monotonic() - began) * 1000)
        return result

    async def _done(self, name: str, given: dict[str, Any]) -> CallToolResult:
        name = resolve(name)
        tool = self._offered.get(name)
        if tool is None:
            return failure("unknown_tool", f"There is no tool {name!r}.", self._suggested(name))
        try:
            tool.arguments(given)
            reply = await self._workers[tool.worker].ask(name, given, tool.timeout)
        except ToolError as error:
            return failure(error.code, error.message, error.hint)
        except WorkerRefusalError as refused:
            said = refused.error
            if said["kind"] == "bug":
                log.error("%s failed inside:\n%s", name, said["traceback"])
            return failure(said["code"], said["message"], said["hint"])
        except WorkerError as lost:
            return failure(lost.code, str(lost))
        return success(reply)

    def _suggested(self, name: str) -> str:
        app = name.partition("_")[0]
        near = [each for each in self._offered if each.startswith(app + "_")]
        return f"Tools: {', '.join(near or self._offered)}."
