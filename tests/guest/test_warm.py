"""The door's own first questions, asked of the real application."""

from __future__ import annotations

import asyncio

from ambidex.guest.tools import Server
from ambidex.guest.warm import QUESTIONS, ROUNDS, warm


def test_every_first_question_is_one_that_the_door_answers() -> None:
    async def asked() -> list[int]:
        app = Server({}, {}).http_app(path="/mcp", stateless_http=True, json_response=True)
        async with app.lifespan(app):
            return await warm(app)

    assert asyncio.run(asked()) == [200] * len(QUESTIONS) * ROUNDS
