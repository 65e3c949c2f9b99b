"""Mounting of a stock server, with a small test server."""

import base64
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ambidex.mcp_tools import Picture, ToolError
from ambidex.mcp_tools.contents import TEXT_LIMIT, Media
from ambidex.mcp_tools.filesystem import mounted
from ambidex.mcp_tools.mount import Mount
from tests.support.tables import every_case

SERVER = """
import base64, io, os, signal
from mcp.server.mcpserver import MCPServer
from mcp_types import AudioContent, CallToolResult, ImageContent, TextContent
from mcp.server.mcpserver.exceptions import ToolError
from PIL import Image

server = MCPServer("small")

@server.tool(structured_output=False)
def say(text: str, times: int = 1) -> str:
    return text * times

@server.tool()
def numbers(upto: int) -> dict[str, int]:
    return {str(each): each for each in range(upto)}

@server.tool(structured_output=False)
def read(text: str) -> CallToolResult:
    said = TextContent(type="text", text=text)
    return CallToolResult(content=[said], structured_content={"content": text})

@server.tool(structured_output=False)
def pid() -> str:
    return str(os.getpid())

@server.tool(structured_output=False)
def refuse(why: str) -> str:
    raise ToolError(why)

@server.tool(structured_output=False)
def die() -> str:
    os.kill(os.getpid(), signal.SIGKILL)

@server.tool(structured_output=False)
def picture(kind: str) -> ImageContent:
    made = io.BytesIO()
    Image.new("RGB", (3, 2), "red").save(made, kind)
    data = base64.b64encode(made.getvalue()).decode()
    return ImageContent(type="image", data=data, mime_type=f"image/{kind.lower()}")

@server.tool(structured_output=False)
def drawing() -> ImageContent:
    data = base64.b64encode(b"<svg/>").decode()
    return ImageContent(type="image", data=data, mime_type="image/svg+xml")

@server.tool(structured_output=False)
def sound() -> AudioContent:
    return AudioContent(type="audio", data="AAAA", mime_type="audio/wav")

server.run("stdio")
"""


@pytest.fixture(scope="module")
def small() -> Iterator[Mount]:
    mount = Mount("small server", lambda: [sys.executable, "-c", SERVER])
    yield mount
    mount.close()


@pytest.mark.parametrize("text", ["plain", 'ü ✓ 🎉\n"quoted"\tשלום', ""])
def test_text_comes_back_as_text(small: Mount, text: str) -> None:
    assert small.call("say", text=text) == text


def test_an_argument_that_is_none_is_not_sent(small: Mount) -> None:
    assert small.call("say", text="x", times=None) == "x"


def test_an_overlong_text_is_truncated_with_a_note(small: Mount) -> None:
    answer = small.call("say", text="x", times=TEXT_LIMIT + 5)
    assert answer == "x" * TEXT_LIMIT + "\n[5 more characters omitted]"


@every_case("text", ["null", "", "{}", '{"content": 1}'])
def test_a_text_that_looks_like_data_stays_a_text(small: Mount, text: str) -> None:
    assert small.call("read", text=text) == text


def test_data_without_a_text_of_its_own_comes_back_as_data(small: Mount) -> None:
    assert small.call("numbers", upto=2) == {"0": 0, "1": 1}


@every_case("kind", ["PNG", "JPEG", "GIF"])
def test_a_picture_comes_back_as_png(small: Mount, kind: str) -> None:
    shown = small.call("picture", kind=kind)
    assert isinstance(shown, Picture)
    assert shown.png.startswith(b"\x89PNG")


def test_media_that_cannot_be_shown_come_back_as_bytes(small: Mount) -> None:
    drawn = base64.b64encode(b"<svg/>").decode()
    assert small.call("drawing") == Media("image/svg+xml", drawn)
    assert small.call("sound") == Media("audio/wav", "AAAA")


def test_an_error_has_the_server_s_own_message(small: Mount) -> None:
    with pytest.raises(ToolError) as refused:
        small.call("refuse", why="There is no such branch.")
    assert (refused.value.message, refused.value.code) == ("There is no such branch.", "failed")


def test_one_process_serves_all_calls_and_is_replaced_after_it_exits(small: Mount) -> None:
    before = {small.call("pid") for _ in range(20)}
    assert len(before) == 1
    with pytest.raises(ToolError) as crashed:
        small.call("die")
    assert crashed.value.code == "crashed"
    assert "exit status -9" in crashed.value.message
    after = small.call("pid")
    assert after not in before
    assert small.call("pid") == after


def test_tools_are_listed_as_the_server_describes_them(small: Mount) -> None:
    listed = {tool["name"]: tool["inputSchema"] for tool in small.list_tools()}
    assert listed["say"]["required"] == ["text"]
    assert listed["pid"]["properties"] == {}


def test_closing_ends_the_server() -> None:
    mount = Mount("small server", lambda: [sys.executable, "-c", SERVER])
    process = int(mount.call("pid"))
    mount.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, signal.SIGCONT)


@pytest.mark.parametrize("command", [["false"], ["/no/such/program"]])
def test_a_server_that_does_not_start_raises_an_error(command: list[str]) -> None:
    mount = Mount("broken server", lambda: command)
    with pytest.raises(ToolError) as broken:
        mount.call("say", text="x")
    assert broken.value.code == "not_started"
    assert broken.value.message == "The broken server did not start (Connection closed)."
    mount.close()


def test_a_server_missing_from_the_image_is_named(tmp_path: Path) -> None:
    mount = Mount("filesystem server", lambda: mounted.command(tmp_path))
    with pytest.raises(ToolError) as lacking:
        mount.call("read_file", path="x")
    assert lacking.value.code == "not_installed"
    assert str(tmp_path) in lacking.value.message
    mount.close()
