"""Attacks on the web pages of the control room and of the review."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from ambidex.host.cli.machines import watched
from ambidex.host.room.serve import opened
from ambidex.host.room.sign_in import VALID, SignIn, authorities
from tests.support.tables import every_case

HEADERS = {
    "content-security-policy": "default-src 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], str]]:
    with opened([tmp_path_factory.mktemp("runs")]) as address:
        yield address


@pytest.fixture(scope="module")
def base(address: Callable[[], str]) -> str:
    return address().partition("/?")[0]


@pytest.fixture(scope="module")
def cookies(address: Callable[[], str]) -> dict[str, str]:
    """The cookies of a client that has logged in."""
    return dict(httpx.get(address()).cookies)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def code_of(address: str) -> str:
    return address.partition("code=")[2]


def test_an_address_read_from_a_browser_s_command_line_lets_nobody_else_in(
    address: Callable[[], str],
) -> None:
    shown = address()
    assert httpx.get(shown).status_code == 303
    again = httpx.get(shown)
    assert (again.status_code, "set-cookie" in again.headers) == (401, False)


def test_what_is_in_the_cookie_is_in_no_address(address: Callable[[], str]) -> None:
    shown = address()
    (cookie,) = dict(httpx.get(shown).cookies).values()
    assert cookie not in shown
    assert httpx.get(shown.partition("?")[0], params={"code": cookie}).status_code == 401


def test_a_code_works_once_and_for_some_minutes() -> None:
    clock = Clock()
    sign_in = SignIn("http://127.0.0.1:1", clock=clock)
    first, second = sign_in.address("ann"), sign_in.address("ben")
    cookie = sign_in.redeem(code_of(first))
    assert cookie is not None
    assert sign_in.user(cookie) == "ann"
    assert sign_in.redeem(code_of(first)) is None
    clock.now += VALID
    assert sign_in.redeem(code_of(second)) is None
    assert sign_in.user(cookie) == "ann", "whoever is in stays in"
    assert sign_in.redeem("") is None
    assert sign_in.user("") is None


def test_who_comes_too_late_finds_another_address_on_the_terminal_and_a_guess_none() -> None:
    clock, told = Clock(), []
    sign_in = SignIn("http://127.0.0.1:1", lambda *said: told.append(said), clock)
    code = code_of(sign_in.address("ann"))
    clock.now += VALID
    assert sign_in.redeem(code) is None
    for _ in range(3):
        sign_in.replace_expired(code)
        sign_in.replace_expired("guessed")
    [(name, address)] = told
    assert name == "ann"
    assert sign_in.redeem(code_of(address)) is not None


def test_who_is_in_may_load_the_address_again(address: Callable[[], str]) -> None:
    shown = address()
    with httpx.Client(follow_redirects=True) as client:
        assert client.get(shown).status_code == 200
        assert client.get(shown).status_code == 200


def test_a_run_that_is_watched_prints_another_address_for_the_second_browser(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with watched(tmp_path):
        first = _printed(capsys.readouterr().err)
        assert httpx.get(first).status_code == 303
        assert httpx.get(first).status_code == 401
        second = _printed(capsys.readouterr().err)
        assert httpx.get(second).status_code == 303


def _printed(said: str) -> str:
    [address] = [word for word in said.split() if word.startswith("http://")]
    return address


@every_case("path", ["/", "/api/events", "/pages/main.js", "/live/one/cell.1"])
@every_case(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1:1", "127.0.0.1.evil.example:{port}"]
)
def test_a_name_that_was_made_to_lead_here_is_refused(
    base: str, cookies: dict[str, str], path: str, host: str
) -> None:
    """DNS rebinding: the browser would send the cookie if it had been set under that name."""
    headers = {"host": host.format(port=base.rpartition(":")[2])}
    answer = httpx.get(base + path, headers=headers, cookies=cookies)
    assert (answer.status_code, "set-cookie" in answer.headers) == (421, False)


def test_a_rebound_name_cannot_even_use_up_a_code(address: Callable[[], str]) -> None:
    shown = address()
    assert httpx.get(shown, headers={"host": "evil.example"}).status_code == 421
    assert httpx.get(shown).status_code == 303


@every_case(
    ("bound", "host", "ours"),
    [
        ("127.0.0.1", "127.0.0.1:8765", True),
        ("127.0.0.1", "LOCALHOST:8765", True),
        ("127.0.0.1", "[::1]:8765", True),
        ("127.0.0.1", "localhost", False),
        ("127.0.0.1", "10.0.0.5:8765", False),
        ("10.0.0.5", "10.0.0.5:8765", True),
        ("0.0.0.0", "10.0.0.5:8765", True),
        ("0.0.0.0", "[2001:db8::1]:8765", True),
        ("0.0.0.0", "10.0.0.5:80", False),
        ("0.0.0.0", "evil.example:8765", False),
        ("127.0.0.1", "room.example.org", True),
        ("127.0.0.1", "room.example.org:8765", False),
        ("127.0.0.1", "", False),
    ],
)
def test_a_server_knows_its_names(bound: str, host: str, ours: bool) -> None:
    assert authorities(bound, 8765, ["room.example.org"])(host) is ours


@every_case("origin", ["http://elsewhere.example", "null", "http://127.0.0.1:1", ""])
def test_a_page_of_elsewhere_gives_no_orders(
    base: str, cookies: dict[str, str], origin: str
) -> None:
    asked = {"viewer": "x", "order": "pause"}
    path = f"{base}/api/trials/one/cell.1/orders"
    answer = httpx.post(path, json=asked, headers={"origin": origin}, cookies=cookies)
    assert answer.status_code == 421
    own = httpx.post(path, json=asked, headers={"origin": base}, cookies=cookies)
    assert own.status_code == 409  # authenticated, but there is no such trial


@every_case(
    ("host", "origin"),
    [
        ("127.0.0.1", "http://elsewhere.example"),
        ("127.0.0.1", "null"),
        ("evil.example", "http://evil.example"),
        ("evil.example", None),
    ],
)
def test_a_page_of_elsewhere_opens_no_web_socket(
    base: str, cookies: dict[str, str], host: str, origin: str | None
) -> None:
    port = int(base.rpartition(":")[2])
    shown = "; ".join(f"{name}={value}" for name, value in cookies.items())
    with (
        socket.create_connection(("127.0.0.1", port)) as there,
        pytest.raises(InvalidStatus) as refused,
        connect(
            f"ws://{host}:{port}/vnc/one/cell.1?viewer=x",
            sock=there,
            origin=Origin(origin) if origin else None,
            additional_headers={"cookie": shown},
        ),
    ):
        pass
    assert refused.value.response.status_code == 403


@every_case(
    ("path", "status"),
    [("/", 200), ("/", 401), ("/pages/main.js", 200), ("/api/trials/one/none.1", 409), ("/x", 404)],
)
def test_every_answer_says_what_a_browser_must_not_do_with_it(
    base: str, cookies: dict[str, str], path: str, status: int
) -> None:
    answer = httpx.get(base + path, cookies=None if status == 401 else cookies)
    assert answer.status_code == status
    for name, value in HEADERS.items():
        assert value in answer.headers[name]
    policy = answer.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
