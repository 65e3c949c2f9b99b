"""A VNC connection through a web socket. What a viewer may not do does not pass, whatever the page
in the viewer's browser believes.
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
"""Seconds between two looks whether something a person did has ended."""
GONE, REFUSED = 1001, 1008


@dataclass(frozen=True)
class Bridge:
    """Between one viewer and the screen of one machine."""

    address: str
    may_act: Callable[[], bool]
    """Asked of every piece that the viewer sends."""
    acted: Callable[[Sequence[Act]], None]
    """Told what a person did."""

    async def run(self, socket: WebSocket) -> None:
        """Pass on what goes to and fro until one side ends."""
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
            self._tell(gestures.end())
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
                    self._tell(gestures.take(event, clock()))

    async def _watch(
        self, writer: asyncio.StreamWriter, viewer: Viewer, gestures: Gestures
    ) -> None:
        """End what has come to rest, and what is held down by somebody who may no more."""
        clock = asyncio.get_running_loop().time
        while True:
            await asyncio.sleep(REST)
            self._tell(gestures.rest(clock()))
            if not self.may_act():
                self._tell(gestures.end())
                writer.write(viewer.let_go())

    def _tell(self, acts: Sequence[Act]) -> None:
        if acts:
            self.acted(acts)
