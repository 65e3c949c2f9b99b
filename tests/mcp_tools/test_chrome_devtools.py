"""Calls to a browser that answers late, over a real WebSocket."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator

import pytest
from websockets.sync.client import connect
from websockets.sync.server import ServerConnection, serve

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.chrome.devtools import Browser, attach_to_page

ATTACHED = {
    "method": "Target.attachedToTarget",
    "sessionId": "outer",
    "params": {"sessionId": "inner", "targetInfo": {"type": "page"}},
}


def reply_late_to_the_first_call(connection: ServerConnection) -> None:
    late = json.loads(connection.recv())["id"]
    for message in connection:
        request = json.loads(message)
        if late:
            connection.send(json.dumps({"id": late, "result": {}}))
            late = 0
        if request["method"] == "Target.setAutoAttach":
            connection.send(json.dumps(ATTACHED))
        connection.send(json.dumps({"id": request["id"], "result": {"sessionId": "outer"}}))


@pytest.fixture
def browser() -> Iterator[Browser]:
    with serve(reply_late_to_the_first_call, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        port = server.socket.getsockname()[1]
        with connect(f"ws://127.0.0.1:{port}") as socket:
            yield Browser(socket)
    thread.join()


def test_the_late_reply_to_a_call_that_timed_out_is_not_an_event(browser: Browser) -> None:
    with pytest.raises(ToolError, match="did not answer") as raised:
        browser.call("Runtime.evaluate", "inner", within=0.2)
    assert raised.value.code == "page_busy"
    assert attach_to_page(browser, "tab") == "inner"
    assert browser.events == [ATTACHED]
