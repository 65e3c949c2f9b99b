"""The door's own warm-up requests, sent to the real application."""

from __future__ import annotations

import asyncio

from ambidex.guest.tools import Server
from ambidex.guest.warm import REQUESTS, ROUNDS, warm


def test_the_door_answers_every_warm_up_request() -> None:
    async def send_all() -> list[int]:
        app = Server({}, {}).http_app(path="/mcp", stateless_http=True, json_response=True)
        async with app.lifespan(app):
            return await warm(app)

    assert asyncio.run(send_all()) == [200] * len(REQUESTS) * ROUNDS
