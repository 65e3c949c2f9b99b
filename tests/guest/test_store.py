"""Exactly once."""

from __future__ import annotations

import asyncio

from ambidex.guest.store import Store


class Deed:
    """Work that counts how often it is done, and is finished by hand."""

    def __init__(self) -> None:
        self.done = 0
        self.go = asyncio.Event()

    async def __call__(self) -> int:
        self.done += 1
        await self.go.wait()
        return self.done


def test_a_repeated_call_gets_the_stored_result() -> None:
    async def scene() -> None:
        store: Store[int] = Store()
        deed = Deed()
        deed.go.set()
        assert [await store.once("a", deed) for _ in range(3)] == [1, 1, 1]
        assert deed.done == 1
        assert await store.once("b", deed) == 2

    asyncio.run(scene())


def test_a_call_repeated_while_the_first_still_runs_waits_for_the_same_result() -> None:
    async def scene() -> None:
        store: Store[int] = Store()
        deed = Deed()
        callers = [asyncio.create_task(store.once("a", deed)) for _ in range(3)]
        await asyncio.sleep(0)
        deed.go.set()
        assert await asyncio.gather(*callers) == [1, 1, 1]
        assert deed.done == 1

    asyncio.run(scene())


def test_work_goes_on_when_its_caller_goes_away() -> None:
    async def scene() -> None:
        store: Store[int] = Store()
        deed = Deed()
        caller = asyncio.create_task(store.once("a", deed))
        await asyncio.sleep(0)
        caller.cancel()
        deed.go.set()
        assert await store.result("a") == 1
        assert deed.done == 1

    asyncio.run(scene())


def test_an_unknown_call_has_no_result_and_is_not_done() -> None:
    async def scene() -> None:
        assert await Store[int]().result("a") is None

    asyncio.run(scene())


def test_the_store_is_bounded_and_forgets_on_demand() -> None:
    async def scene() -> None:
        store: Store[int] = Store(size=2)
        deed = Deed()
        deed.go.set()
        for call in "abc":
            await store.once(call, deed)
        assert await store.result("a") is None
        assert await store.result("c") == 3
        store.forget()
        assert await store.result("c") is None

    asyncio.run(scene())
