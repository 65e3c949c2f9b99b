"""Attacks on the readers of what a guest says of its tools: their results and their list."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ambidex.host import ToolCall
from ambidex.host.client.guest import Guest
from ambidex.host.errors import GuestError
from ambidex.host.untrusted import LARGEST
from tests.attack.hostile import NONSENSE, TOOL, Hostile, ReceivedRequest, answer, drip, mcp

CALL = ToolCall("one", "a_tool", {})
TEXT = {"type": "text", "text": "done"}
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
)


def returned(server: Hostile, guest: Guest, result: object) -> Any:
    server.says = lambda request: mcp(request, result, b"tools/call")
    return guest.call(CALL)


@pytest.mark.parametrize(
    ("mime", "data"),
    [
        ("image/../../../../etc/cron.d/x", PIXEL),
        ("text/html", PIXEL),
        ("image/jpeg", PIXEL),
        ("image/svg+xml", "PHN2Zy8+"),
        ("image/png", "PHN2Zy8+"),
        ("image/png", "no base64!"),
        ("image/png", ""),
        ("", PIXEL),
    ],
)
def test_a_picture_of_a_strange_type_is_left_out_and_the_model_is_told(
    patient: Guest, server: Hostile, mime: str, data: str
) -> None:
    picture = {"type": "image", "data": data, "mimeType": mime}
    result = returned(server, patient, {"content": [TEXT, picture]})
    assert (result.error, result.images) == ("bad_answer", ())
    assert result.text.startswith("done\n[A picture was left out: it ")


def test_a_picture_as_it_should_be_is_passed_on(patient: Guest, server: Hostile) -> None:
    picture = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
    result = returned(server, patient, {"content": [picture]})
    assert (result.error, result.images) == ("", (f"data:image/png;base64,{PIXEL}",))


@pytest.mark.parametrize(
    "result",
    [
        {"content": 1},
        {"content": [{"type": "text"}]},
        {"content": [{"type": "image", "data": 5, "mimeType": []}]},
        {"content": [TEXT], "isError": "perhaps"},
        {"content": [TEXT], "structuredContent": {"result": json.loads("[" * 150 + "]" * 150)}},
    ],
)
def test_a_result_in_no_form_is_an_error_of_the_tool(
    patient: Guest, server: Hostile, result: object
) -> None:
    assert returned(server, patient, result).error == "bad_answer"
    calls = [each for each in server.requests if b"tools/call" in each.body]
    assert len(calls) == 1, "the tool may have acted: it is not called again"


def test_a_result_over_its_bound_is_an_error_of_the_tool(
    patient: Guest, server: Hostile, monkeypatch: Any
) -> None:
    monkeypatch.setitem(LARGEST, "call", 1 << 16)
    result = returned(server, patient, {"content": [{"type": "text", "text": "a" * (1 << 17)}]})
    assert result.error == "bad_answer"
    assert "has more than 65536 bytes" in result.text


@pytest.mark.parametrize("error", NONSENSE)
def test_an_error_of_a_tool_in_no_form_has_a_code_all_the_same(
    patient: Guest, server: Hostile, error: object
) -> None:
    said = {"content": [TEXT], "isError": True, "structuredContent": {"error": error}}
    assert returned(server, patient, said).error == "failed"


def test_a_text_longer_than_any_model_reads_is_cut(patient: Guest, server: Hostile) -> None:
    result = returned(server, patient, {"content": [{"type": "text", "text": "a" * (2 << 20)}]})
    assert result.text.endswith("[1048576 more characters were left out.]")


@pytest.mark.parametrize(
    "tool",
    [
        *({**TOOL, "_meta": {"ambidex": nonsense}} for nonsense in NONSENSE),
        *({**TOOL, "_meta": {"ambidex": {"app": nonsense}}} for nonsense in NONSENSE
          if nonsense not in ("a", "\udcff")),
        {**TOOL, "_meta": {"ambidex": {"app": "a", "aliases": [1]}}},
        {**TOOL, "name": 1},
        {**TOOL, "inputSchema": []},
        *({**TOOL, "_meta": nonsense} for nonsense in NONSENSE),
        *NONSENSE,
    ],
)  # fmt: skip
def test_a_tool_in_no_form_is_not_listed(patient: Guest, server: Hostile, tool: object) -> None:
    server.says = lambda request: mcp(request, {"tools": [tool]})
    with pytest.raises(GuestError):
        patient.tools()


def test_a_schema_that_would_check_answers_for_ever_is_not_used(
    patient: Guest, server: Hostile
) -> None:
    trap = {"type": "object", "properties": {"result": {"type": "string", "pattern": "^(a+)+$"}}}

    def says(request: ReceivedRequest) -> list[bytes]:
        if b"tools/call" in request.body:
            value = {"result": "a" * 40 + "!"}
            return mcp(request, {"content": [TEXT], "structuredContent": value}, b"tools/call")
        return mcp(request, {"tools": [{**TOOL, "outputSchema": trap}]})

    server.says = says
    patient.tools()
    assert patient.call(CALL).text == "done"


def test_a_tool_that_drips_its_answer_is_given_up_after_its_own_time(
    impatient: Guest, server: Hostile
) -> None:
    server.says = lambda request: (
        drip(answer(b" " * 4096, Content_Type="application/json"), server.over)
        if b"tools/call" in request.body
        else mcp(request, {"tools": []})
    )
    with pytest.raises(GuestError, match=r"lost during a_tool: .*not complete after"):
        impatient.call(CALL)
