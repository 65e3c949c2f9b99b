"""Idle desktops without machines: a minimal VNC server for any number of screens."""

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
    """Serve this number of unchanging screens while the block runs; yields their addresses."""
    loop = asyncio.new_event_loop()
    servers = [
        loop.run_until_complete(asyncio.start_server(_serve, "127.0.0.1", 0)) for _ in range(count)
    ]
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield [f"127.0.0.1:{server.sockets[0].getsockname()[1]}" for server in servers]
    finally:
        asyncio.run_coroutine_threadsafe(_close(servers), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _close(servers: Sequence[asyncio.Server]) -> None:
    for server in servers:
        server.close()
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
        message = await reader.readexactly(lengths[kind[0]] - 1)
        if kind[0] == UPDATE and not message[0]:
            writer.write(struct.pack("!BxH", 0, 1) + struct.pack("!4Hi", 0, 0, *SIZE, 0))
            writer.write(b"\x60\x40\x20\x00" * (SIZE[0] * SIZE[1]))
            await writer.drain()
