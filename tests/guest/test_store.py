"""The store executes each call exactly once."""

from __future__ import annotations

import asyncio

from ambidex.guest.store import Store


class Work:
    """Work that counts its executions, and waits for `finish`."""

    def __init__(self) -> None:
        self.count = 0
        self.finish = asyncio.Event()

    async def __call__(self) -> int:
        self.count += 1
        await self.finish.wait()
        return self.count


def test_a_repeated_call_gets_the_stored_result() -> None:
    async def scene() -> None:
        store: Store[int] = Store()
        work = Work()
        work.finish.set()
        assert [await store.once("a", work) for _ in range(3)] == [1, 1, 1]
        assert work.count == 1
        assert await store.once("b", work) == 2

    asyncio.run(scene())


def test_a_call_repeated_while_the_first_still_runs_waits_for_the_same_result() -> None:
    async def scene() -> None:
        store: Store[int] = Store()
        work = Work()
        callers = [asyncio.create_task(store.once("a", work)) for _ in range(3)]
        await asyncio.sleep(0)
        work.finish.set()
        assert await asyncio.gather(*callers) == [1, 1, 1]
        assert work.count == 1

    asyncio.run(scene())


def test_work_continues_when_its_caller_is_cancelled() -> None:
    async def scene() -> None:
        store: Store[int] = Store()
        work = Work()
        caller = asyncio.create_task(store.once("a", work))
        await asyncio.sleep(0)
        caller.cancel()
        work.finish.set()
        assert await store.result("a") == 1
        assert work.count == 1

    asyncio.run(scene())


def test_an_unknown_call_has_no_result() -> None:
    async def scene() -> None:
        assert await Store[int]().result("a") is None

    asyncio.run(scene())


def test_the_store_is_bounded_and_can_be_emptied() -> None:
    async def scene() -> None:
        store: Store[int] = Store(size=2)
        work = Work()
        work.finish.set()
        for call in "abc":
            await store.once(call, work)
        assert await store.result("a") is None
        assert await store.result("c") == 3
        store.forget()
        assert await store.result("c") is None

    asyncio.run(scene())
