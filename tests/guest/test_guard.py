"""Nothing can be reached without the token."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from ambidex.guest.guard import TOOLS, Guard, NoTokenError, Token
from tests.support.tables import every_case

GOOD = "a-token-of-this-machine"


async def inside(request: Request) -> Response:
    return PlainTextResponse("inside")


def ask(token: Token, *requests: tuple[str, list[tuple[str, str]]]) -> list[int]:
    app = Guard(Starlette(routes=[Route("/harness/health", inside)]), token)

    async def scene() -> list[int]:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://guest") as client:
            return [(await client.get(path, headers=head)).status_code for path, head in requests]

    return asyncio.run(scene())


def bearer(token: str) -> list[tuple[str, str]]:
    return [("Authorization", f"Bearer {token}")]


def test_a_request_with_the_token_is_admitted() -> None:
    assert ask(Token(GOOD), ("/harness/health", bearer(GOOD))) == [200]


@every_case(
    "headers",
    [
        [],
        bearer("a-token-of-another-one"),
        bearer(GOOD[:-1]),
        bearer(""),
        [("Authorization", GOOD)],
        [("Authorization", f"Basic {GOOD}")],
        bearer("guess") + bearer(GOOD),
    ],
    ids=["none", "wrong", "short", "empty", "no scheme", "other scheme", "two"],
)
def test_a_request_without_the_right_token_is_refused(headers: list[tuple[str, str]]) -> None:
    paths = ("/harness/health", "/mcp", "/nowhere", "/")
    assert ask(Token(GOOD), *((path, headers) for path in paths)) == [401] * 4


def test_an_unknown_route_is_404_only_with_the_token() -> None:
    assert ask(Token(GOOD), ("/nowhere", bearer(GOOD)), ("/nowhere", [])) == [404, 401]


def test_a_renewed_token_replaces_the_old_one_also_after_a_restart(tmp_path: Path) -> None:
    renewed, file = tmp_path / "renewed", tmp_path / "token"
    file.write_text(GOOD + "\n")
    token = Token.read(file, renewed)
    token.renew("another-token-entirely")
    requests = [("/harness/health", bearer(value)) for value in (GOOD, "another-token-entirely")]
    assert ask(token, *requests) == [401, 200]
    assert ask(Token.read(file, renewed), *requests) == [401, 200]
    assert renewed.stat().st_mode & 0o777 == 0o400


def test_a_token_for_the_tools_opens_nothing_else_and_ends_with_a_renewal() -> None:
    token, given = Token(GOOD), bearer("a-token-for-the-tools")
    requests = [(path, given) for path in (TOOLS, "/harness/health", "/mcp/", "/")]
    assert ask(token, *requests) == [401] * 4
    token.set_tools("a-token-for-the-tools")
    assert ask(token, *requests) == [404, 401, 401, 401]  # there are no tools here
    token.renew("another-token-entirely")
    assert ask(token, *requests) == [401] * 4
    with pytest.raises(NoTokenError):
        token.set_tools("short")


def credentials(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(folder))
    (folder / "ambidex.token").write_text(GOOD)


def test_the_token_is_read_from_systemds_credentials(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    credentials(tmp_path, monkeypatch)
    assert Token.read(None, tmp_path / "renewed").admits(f"Bearer {GOOD}".encode(), "/")


@pytest.mark.parametrize("content", ["", "short"])
def test_an_empty_short_or_missing_token_is_an_error(content: str, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(content)
    with pytest.raises(NoTokenError):
        Token.read(tmp_path / "token", tmp_path / "renewed")
    with pytest.raises(NoTokenError, match="no token in any of"):
        Token.read(tmp_path / "absent", tmp_path / "renewed")
