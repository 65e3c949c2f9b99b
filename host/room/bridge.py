"""A VNC connection through a web socket that filters a viewer's input on the server side, whatever
the page in the browser believes the viewer may do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from starlette.websockets import WebSocket, WebSocketDisconnect

from ambidex.host.records.orders import Act
from ambidex.host.room.gestures import Gestures
from ambidex.host.room.rfb import RFBError, Viewer

__all__ = ["Bridge"]

CHUNK = 1 << 16
REST = 0.1
"""Seconds between two checks whether a person's gesture has ended."""
GONE, REFUSED = 1001, 1008


@dataclass(frozen=True)
class Bridge:
    """A connection between one viewer and the screen of one machine."""

    address: str
    may_act: Callable[[], bool]
    """Called for every chunk that the viewer sends: whether its input may pass."""
    on_acts: Callable[[Sequence[Act]], None]
    """Called with the actions that a person has finished."""

    async def run(self, socket: WebSocket) -> None:
        """Forward data in both directions until one side closes."""
        host, port = self.address.rsplit(":", 1)
        try:
            reader, writer = await asyncio.open_connection(host, int(port))
        except OSError:
            await socket.close(GONE, "the screen does not answer")
            return
        viewer, gestures = Viewer(), Gestures()
        parts = [
            asyncio.create_task(self._to_viewer(reader, socket)),
            asyncio.create_task(self._to_screen(socket, writer, viewer, gestures)),
            asyncio.create_task(self._watch(writer, viewer, gestures)),
        ]
        code, why = GONE, ""
        try:
            done, _ = await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
            for part in done:
                if isinstance(error := part.exception(), RFBError):
                    code, why = REFUSED, str(error)
        finally:
            for part in parts:
                part.cancel()
            await asyncio.gather(*parts, return_exceptions=True)
            self._report(gestures.end())
            writer.write(viewer.let_go())
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()
            with suppress(RuntimeError, WebSocketDisconnect):  # closed by the viewer
                await socket.close(code, why)

    async def _to_viewer(self, reader: asyncio.StreamReader, socket: WebSocket) -> None:
        with suppress(OSError, WebSocketDisconnect, RuntimeError):
            while data := await reader.read(CHUNK):
                await socket.send_bytes(data)

    async def _to_screen(
        self,
        socket: WebSocket,
        writer: asyncio.StreamWriter,
        viewer: Viewer,
        gestures: Gestures,
    ) -> None:
        clock = asyncio.get_running_loop().time
        with suppress(OSError, WebSocketDisconnect):
            while True:
                passed, events = viewer.feed(await socket.receive_bytes(), self.may_act())
                writer.write(passed)
                await writer.drain()
                for event in events:
                    self._report(gestures.take(event, clock()))

    async def _watch(
        self, writer: asyncio.StreamWriter, viewer: Viewer, gestures: Gestures
    ) -> None:
        """End gestures that have come to rest, and release what a viewer that lost the right to act
        still holds down."""
        clock = asyncio.get_running_loop().time
        while True:
            await asyncio.sleep(REST)
            self._report(gestures.rest(clock()))
            if not self.may_act():
                self._report(gestures.end())
                writer.write(viewer.let_go())

    def _report(self, acts: Sequence[Act]) -> None:
        if acts:
            self.on_acts(acts)
