"""HTTP requests of toolsets' tools: where they go, what comes back, and what an error says."""

from __future__ import annotations

import base64
import io
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from ambidex.mcp_tools import Picture, ToolError
from ambidex.mcp_tools.contents import TEXT_LIMIT, Media
from ambidex.mcp_tools.service import addresses, sending
from tests.support.tables import every_case

PNG = io.BytesIO()
Image.new("RGB", (2, 2), "red").save(PNG, "PNG")
PAGES: dict[str, tuple[int, str, bytes]] = {
    "/json": (200, "application/json", b'{"a": [1]}'),
    "/text": (200, "text/plain", "ü".encode()),
    "/long": (200, "text/plain", b"x" * (TEXT_LIMIT + 5)),
    "/picture": (200, "image/png", PNG.getvalue()),
    "/bytes": (200, "application/zip", b"\xff\x00"),
    "/none": (204, "text/plain", b""),
    "/missing": (404, "text/plain", b"There is no such pet."),
    "/refused": (409, "text/plain", b"It is taken."),
    "/broken": (500, "text/plain", b""),
}


class Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/slow":
            time.sleep(2)
        if path == "/cut":
            self.close_connection = True
            return
        if path in ("/here", "/away"):
            self.send_response(302)
            there = "127.0.0.2" if path == "/away" else "127.0.0.1"
            self.send_header("Location", f"http://{there}:{self.server.server_port}/echo")  # type: ignore[attr-defined]
            self.end_headers()
            return
        echo = {"path": self.path, "headers": dict(self.headers)}
        known = (200, "application/json", json.dumps(echo).encode())
        status, kind, content = PAGES.get(path, known)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(autouse=True)
def pets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A service named `pets`, as the machine would declare it."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        declared = tmp_path / "services.json"
        page = f"http://127.0.0.1:{server.server_port}"
        declared.write_text(json.dumps([{"name": "pets", "page": page}]))
        monkeypatch.setattr(addresses, "DECLARED", declared)
        monkeypatch.setattr(addresses, "TOKENS", str(tmp_path / "{}.token"))
        yield
        server.shutdown()


def get(path: str, *carriers: dict[str, str], server: str = "pets") -> Any:
    return sending.call(server, {"method": "GET", "path": path}, {}, carriers)


@every_case(
    ("path", "answer"),
    [
        ("/json", {"a": [1]}),
        ("/text", "ü"),
        ("/none", ""),
        ("/long", "x" * TEXT_LIMIT + "\n[5 more characters omitted]"),
        ("/bytes", Media("application/zip", base64.b64encode(b"\xff\x00").decode())),
    ],
)
def test_an_answer_comes_back_as_its_type_says(path: str, answer: object) -> None:
    assert get(path) == answer


def test_an_image_comes_back_as_a_picture() -> None:
    assert isinstance(get("/picture"), Picture)


@every_case(
    ("path", "code", "said"),
    [
        ("/missing", "not_found", "pets answers 404 Not Found: There is no such pet."),
        ("/refused", "refused", "It is taken."),
        ("/broken", "failed", "no reason given"),
        ("/cut", "crashed", "closed the connection"),
    ],
)
def test_an_error_has_the_service_s_own_words(path: str, code: str, said: str) -> None:
    with pytest.raises(ToolError, match=said) as refused:
        get(path)
    assert refused.value.code == code


def test_a_service_that_hangs_is_a_time_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "ANSWERS_WITHIN", 0.2)
    with pytest.raises(ToolError) as late:
        get("/slow")
    assert late.value.code == "timeout"


def test_a_service_that_the_machine_does_not_have_is_named() -> None:
    with pytest.raises(ToolError, match="'shop'") as unknown:
        get("/json", server="shop")
    assert unknown.value.code == "no_service"
    record = {"method": "GET", "path": "/", "base": "http://127.0.0.1:9"}
    with pytest.raises(ToolError) as closed:
        sending.call("shop", record, {})
    assert closed.value.code == "not_running"


def test_a_token_goes_where_the_server_s_requests_carry_it(tmp_path: Path) -> None:
    (tmp_path / "pets.token").write_text("s3cret\n")
    header = {"location": "header", "name": "Authorization", "prefix": "token "}
    assert get("/echo", header)["headers"]["Authorization"] == "token s3cret"
    assert get("/echo", {**header, "location": "query", "name": "key", "prefix": ""})["path"] == (
        "/echo?key=s3cret"
    )
    cookie = {**header, "location": "cookie", "name": "session", "prefix": ""}
    assert get("/echo", cookie)["headers"]["Cookie"] == "session=s3cret"


def test_a_token_does_not_follow_a_redirect_to_another_host(tmp_path: Path) -> None:
    (tmp_path / "pets.token").write_text("s3cret")
    header = {"location": "header", "name": "Authorization", "prefix": ""}
    assert get("/here", header)["path"] == "/echo"
    with pytest.raises(ToolError, match="302"):
        get("/away", header)
