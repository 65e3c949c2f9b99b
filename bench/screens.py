"""Idle desktops without machines: one process speaks enough of VNC for as many as are wanted."""

from __future__ import annotations

import asyncio
import struct
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

__all__ = ["idle_screens"]

SIZE = (1920, 1080)
FORMAT = struct.pack("!4B3H3B3x", 32, 24, 0, 1, 255, 255, 255, 16, 8, 0)
UPDATE = 3


@contextmanager
def idle_screens(count: int) -> Iterator[list[str]]:
    """Addresses of so many screens on which nothing ever happens, as long as the block runs."""
    loop = asyncio.new_event_loop()
    servers = [
        loop.run_until_complete(asyncio.start_server(_serve, "127.0.0.1", 0)) for _ in range(count)
    ]
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield [f"127.0.0.1:{each.sockets[0].getsockname()[1]}" for each in servers]
    finally:
        asyncio.run_coroutine_threadsafe(_ended(servers), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _ended(servers: Sequence[asyncio.Server]) -> None:
    for each in servers:
        each.close()
    watched = asyncio.all_tasks() - {asyncio.current_task()}
    for task in watched:
        task.cancel()
    await asyncio.gather(*watched, return_exceptions=True)


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"RFB 003.008\n")
    await reader.readexactly(12)
    writer.write(b"\x01\x01")
    await reader.readexactly(1)
    writer.write(bytes(4))
    await reader.readexactly(1)
    writer.write(struct.pack("!HH", *SIZE) + FORMAT + struct.pack("!I", 4) + b"idle")
    lengths = {0: 20, UPDATE: 10, 4: 8, 5: 6}
    while kind := await reader.read(1):
        if kind[0] == 2:
            head = await reader.readexactly(3)
            await reader.readexactly(4 * struct.unpack("!xH", head)[0])
            continue
        said = await reader.readexactly(lengths[kind[0]] - 1)
        if kind[0] == UPDATE and not said[0]:
            writer.write(struct.pack("!BxH", 0, 1) + struct.pack("!4Hi", 0, 0, *SIZE, 0))
            writer.write(b"\x60\x40\x20\x00" * (SIZE[0] * SIZE[1]))
            await writer.drain()
