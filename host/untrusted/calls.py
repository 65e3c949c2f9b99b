"""Answers over MCP. `VettedTransport` reads each message before the MCP client does, so that the
client sees only small, finite, plain JSON: no event streams, no redirects, no output schemas.
`spec` and `result` convert tools and results to our own types.
"""

from __future__ import annotations

import json
from typing import Any

import httpx2
import mcp_types
from pydantic import BaseModel, ConfigDict, Field

from ambidex.host import ToolCall, ToolResult, ToolSpec
from ambidex.host.errors import GuestError
from ambidex.host.untrusted import MalformedError
from ambidex.host.untrusted.parsing import PICTURE, base64_bytes, json_value, picture_kind, typed
from ambidex.host.untrusted.wire import BoundedTransport

__all__ = ["BAD_ANSWER", "VettedTransport", "result", "spec", "unreadable"]

BAD_ANSWER = "bad_answer"
"""The error code of a call whose answer cannot be read. The tool may have done its work and its
answer is the agent's responsibility, so the agent is told and the episode continues."""
TEXT = 1 << 20
"""Maximum characters of a result; a longer one is truncated with a note to the model."""
MOST_TOOLS = 5000
MOST_BLOCKS = 1000


class ToolMetadata(BaseModel):
    """A tool's metadata beyond the protocol: `_meta.ambidex`."""

    model_config = ConfigDict(extra="ignore", strict=True)

    app: str = Field(min_length=1, max_length=100)
    source: str = Field("ours", max_length=1000)
    mounted: str = Field("", max_length=1000)
    windows: list[str] = Field([], max_length=100)
    service: str = Field("", max_length=100)
    aliases: list[str] = Field([], max_length=100)


class VettedTransport(httpx2.AsyncBaseTransport):
    """The transport of the MCP client: passes on only answers that were read and found valid."""

    def __init__(self, bounded: BoundedTransport) -> None:
        self.bounded = bounded
        self.refused: GuestError | None = None
        """Why the last request failed here; the client's own error says less."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """One answer, as validated JSON. Raises network errors, and `ReadError` for invalid
        answers, with the reason in `refused`."""
        if request.method != "POST":  # event streams, and the end of a session
            return httpx2.Response(405, request=request)
        self.refused = None
        try:
            answer = await self.bounded.handle_async_request(request)
            content = _vetted(answer)
        except GuestError as error:
            self.refused = error
            raise httpx2.ReadError(str(error), request=request) from error
        plain = {"content-type": "application/json"}
        return httpx2.Response(answer.status_code, headers=plain, content=content, request=request)

    async def aclose(self) -> None:
        """Close the connections."""
        await self.bounded.aclose()


def _vetted(answer: httpx2.Response) -> bytes:
    status = answer.status_code
    if status == 202 or status >= 400:
        return b""
    if status != 200:
        raise MalformedError(f"the MCP endpoint answered with status {status}")
    what = "an answer of the MCP endpoint"
    message = json_value(answer.content, what)
    if not isinstance(message, dict) or not message.keys() & {"result", "error"}:
        raise MalformedError(f"{what} is not a JSON-RPC reply")
    match message.get("result"):
        # The client would validate results against it, and a pattern in it can take for ever.
        case {"tools": list(tools)}:
            if len(tools) > MOST_TOOLS:
                raise MalformedError(
                    f"the guest lists {len(tools)} tools; at most {MOST_TOOLS} are allowed"
                )
            for tool in tools:
                if isinstance(tool, dict):
                    tool.pop("outputSchema", None)
    return json.dumps(message, ensure_ascii=False).encode()


def spec(tool: mcp_types.Tool) -> ToolSpec:
    """Convert a listed tool; `MalformedError` if its metadata is invalid."""
    meta = (tool.meta or {}).get("ambidex", {})
    what = f"the metadata of the guest's tool {tool.name[:100]!r}"
    about: ToolMetadata = typed(ToolMetadata, meta, what)
    return ToolSpec(
        name=tool.name,
        app=about.app,
        description=tool.description or "",
        parameters=tool.input_schema,
        reads_only=bool(tool.annotations and tool.annotations.read_only_hint),
        source=about.source,
        mounted=about.mounted,
        windows=tuple(about.windows),
        service=about.service,
        aliases=tuple(about.aliases),
    )


def result(call: ToolCall, answer: mcp_types.CallToolResult) -> ToolResult:
    """Convert the result of a call. An invalid image, or one of an unknown type, is left out with a
    note to the model."""
    texts: list[str] = []
    images: list[str] = []
    left_out = False
    for block in answer.content[:MOST_BLOCKS]:
        match block:
            case mcp_types.TextContent():
                texts.append(block.text)
            case mcp_types.ImageContent():
                try:
                    images.append(_picture(block))
                except MalformedError as problem:
                    left_out = True
                    texts.append(f"[A picture was left out: {problem}]")
            case _:
                texts.append(f"[{block.type}]")
    content = answer.structured_content if isinstance(answer.structured_content, dict) else {}
    error = _error_code(content) if answer.is_error else BAD_ANSWER if left_out else ""
    value = None if answer.is_error else content.get("result")
    return ToolResult(call.id, _cut("\n".join(texts)), error, value, tuple(images))


def unreadable(call: ToolCall, error: Exception) -> ToolResult:
    """The result of a call that was sent but whose answer cannot be read."""
    message = f"{call.name} was called, but its answer cannot be read: {error}"
    return ToolResult(call.id, _cut(message), BAD_ANSWER)


def _picture(block: mcp_types.ImageContent) -> str:
    content = base64_bytes(block.data, PICTURE, "it")
    kind = picture_kind(content, "it")
    if kind != block.mime_type:
        raise MalformedError(f"it is {kind}, but declared as {block.mime_type[:60]!r}")
    return f"data:{kind};base64,{block.data}"


def _error_code(content: dict[str, Any]) -> str:
    match content:
        case {"error": {"code": str(code)}} if code:
            return code[:100]
    return "failed"


def _cut(text: str) -> str:
    if len(text) <= TEXT:
        return text
    return f"{text[:TEXT]}\n[{len(text) - TEXT} more characters were left out.]"
