"""The MCP server of the tools, with an in-memory client and a real worker process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastmcp import Client
from mcp_types import CallToolResult
from pydantic import Field

from ambidex.guest.tools import Server, success
from ambidex.guest.wire import Message
from ambidex.mcp_tools import App, Tool
from tests.support.tables import every_case

from .conftest import StartWorker

small = App("small", "A small app", "small")


@small.tool(reads_only=True)
def answer(x: Annotated[int, Field(ge=0, description="how many")] = 1) -> dict[str, Any]:
    """Answer."""
    raise AssertionError("the door never runs a tool itself")


@small.tool()
def refuse() -> None:
    """Refuse."""


@small.tool(timeout=0.3)
def hang() -> None:
    """Hang."""


@small.tool(timeout=5)
def die() -> None:
    """Die."""


@small.tool()
def break_() -> None:
    """Break."""


# `break` is a keyword of Python, so the function is called break_.
TOOLS: dict[str, Tool] = {name.rstrip("_"): tool for name, tool in small.tools.items()}

Scene = Callable[[Client[Any]], Awaitable[None]]


def play(start_worker: StartWorker, scene: Scene) -> None:
    async def run() -> None:
        async with start_worker("small") as worker:
            server = Server(TOOLS, {"small": worker})
            async with Client(server) as client:
                await scene(client)

    asyncio.run(run())


def test_servers_are_started_by_their_first_calls(start_worker: StartWorker) -> None:
    async def run() -> None:
        async with start_worker("small") as worker:
            server = Server(TOOLS, {"small": worker}, first_calls=["small_answer", "small_refuse"])
            failed = await server.start_servers()
            assert list(failed) == ["small_refuse"]
            assert "code" in failed["small_refuse"]

    asyncio.run(run())


async def call(
    client: Client[Any], name: str, meta: dict[str, Any] | None = None, **arguments: Any
) -> CallToolResult:
    return await client.call_tool_mcp(name, arguments, meta=meta)


def error(result: CallToolResult) -> dict[str, str]:
    assert result.is_error
    assert result.structured_content is not None
    fields: dict[str, str] = result.structured_content["error"]
    assert fields["message"] in result.content[0].text  # type: ignore[union-attr]
    return fields


def test_a_tool_is_listed_with_its_app_its_schema_and_whether_it_only_reads(
    start_worker: StartWorker,
) -> None:
    async def scene(client: Client[Any]) -> None:
        tools = {tool.name: tool for tool in await client.list_tools()}
        tool = tools["small_answer"]
        assert tool.meta is not None
        origin = {"source": "ours", "mounted": "", "windows": [], "service": ""}
        assert tool.meta["ambidex"] == {"app": "small", **origin, "aliases": []}
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert tool.input_schema["additionalProperties"] is False
        assert tool.input_schema["properties"]["x"]["description"] == "how many"

    play(start_worker, scene)


def test_an_unlisted_tool_is_carried_out_and_not_told_of(start_worker: StartWorker) -> None:
    async def run() -> None:
        async with start_worker("small") as worker:
            server = Server({}, {"small": worker}, TOOLS)
            async with Client(server) as client:
                assert await client.list_tools() == []
                assert not (await call(client, "small_answer", x=3)).is_error
                assert "small" not in error(await call(client, "small_nothing"))["hint"]

    asyncio.run(run())


def test_a_result_is_data_for_programs_and_text_for_models(start_worker: StartWorker) -> None:
    async def scene(client: Client[Any]) -> None:
        result = await call(client, "small_answer", x=3)
        assert not result.is_error
        assert result.structured_content is not None
        assert result.structured_content["result"]["given"] == {"x": 3}
        assert '"x": 3' in result.content[0].text  # type: ignore[union-attr]

    play(start_worker, scene)


@every_case(
    ("value", "text"),
    [(None, "Done."), ("plain", "plain"), (["ß", 1], '["ß", 1]'), (True, "true")],
)
def test_the_text_of_a_result_is_readable(value: object, text: str) -> None:
    result = success(Message({"id": 1, "value": {"result": value}}))
    assert result.content[0].text == text  # type: ignore[union-attr]


def test_the_sdk_can_look_up_a_schema_without_listing_all_tools() -> None:
    lookup = Server(TOOLS, {})._mcp_server.get_tool_input_schema
    assert lookup is not None
    assert lookup("small_answer") == TOOLS["small_answer"].parameters
    assert lookup("no_such_tool") is None


def test_a_picture_is_an_image_block() -> None:
    result = success(Message({"id": 1, "value": {"picture": True}}, b"\x89PNG"))
    assert result.content[0].mime_type == "image/png"  # type: ignore[union-attr]


def test_the_error_for_wrong_arguments_says_what_is_allowed_and_nothing_is_executed(
    start_worker: StartWorker,
) -> None:
    async def scene(client: Client[Any]) -> None:
        unknown = error(await call(client, "small_answer", cell="B2"))
        assert unknown["code"] == "bad_arguments"
        assert "unknown argument 'cell'; small_answer takes x" in unknown["message"]
        wrong = error(await call(client, "small_answer", x=-1))
        assert "argument 'x'" in wrong["message"]
        assert "greater than or equal to 0" in wrong["message"]
        fine = await call(client, "small_answer")
        assert fine.structured_content is not None
        assert fine.structured_content["result"]["calls"] == 1

    play(start_worker, scene)


def test_the_error_for_an_unknown_tool_names_the_nearest_three(start_worker: StartWorker) -> None:
    async def scene(client: Client[Any]) -> None:
        fields = error(await call(client, "small_anser"))
        assert fields["code"] == "unknown_tool"
        assert fields["hint"].startswith("The nearest are small_answer, ")
        assert fields["hint"].count(",") == 2

    play(start_worker, scene)


def test_every_kind_of_failure_is_an_error_result_with_its_code(start_worker: StartWorker) -> None:
    table = (
        ("small_refuse", "no_cell", "That cell does not exist."),
        ("small_break", "bug", "KeyError: 'a bug'"),
        ("small_hang", "timeout", "The office was restarted."),
        ("small_die", "crashed", "exit status 3"),
    )

    async def scene(client: Client[Any]) -> None:
        for name, code, text in table:
            fields = error(await call(client, name))
            assert fields["code"] == code, name
            assert text in fields["message"], name
            assert not (await call(client, "small_answer")).is_error, name

    play(start_worker, scene)


def test_a_call_is_executed_exactly_once(start_worker: StartWorker) -> None:
    async def scene(client: Client[Any]) -> None:
        meta = {"ambidex/call": "c1"}
        first = await call(client, "small_answer", meta, x=1)
        again = await call(client, "small_answer", meta, x=1)
        stored = await call(client, "small_answer", {**meta, "ambidex/again": True}, x=1)
        other = await call(client, "small_answer", {"ambidex/call": "c2"}, x=1)
        assert first.structured_content == again.structured_content == stored.structured_content
        assert other.structured_content is not None
        assert other.structured_content["result"]["calls"] == 2

    play(start_worker, scene)


def test_a_request_for_the_result_of_an_unknown_call_executes_nothing(
    start_worker: StartWorker,
) -> None:
    async def scene(client: Client[Any]) -> None:
        meta = {"ambidex/call": "lost", "ambidex/again": True}
        assert error(await call(client, "small_answer", meta, x=1))["code"] == "unknown_call"
        fine = await call(client, "small_answer")
        assert fine.structured_content is not None
        assert fine.structured_content["result"]["calls"] == 1

    play(start_worker, scene)
