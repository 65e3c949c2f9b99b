"""Sound and film files of the guest, decoded from memory within bounds.

A format that names other files (a playlist, a list of parts) is not opened: it could lead out of
the evidence.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator

import av
import av.error
import numpy as np
from av.container import InputContainer
from numpy.typing import NDArray
from PIL import Image

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.evidence import MIB
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.given import held

__all__ = ["RATE", "frames", "sound"]

LARGEST_FILM = 512 * MIB
RATE = 22050
"""Samples of sound in a second."""
LONGEST = 20 * 60
"""Seconds of sound; the rest is left out of both sides."""
MOST_PIXELS = 4096 * 2304
FORMATS = (
    "mp3,wav,w64,flac,ogg,aac,aiff,ac3,mov,mp4,m4a,3gp,matroska,webm,avi,asf,mpeg,mpegts,flv,gif"
)


@contextlib.contextmanager
def _opened(given: Value) -> Iterator[InputContainer]:
    source = io.BytesIO(held(given, LARGEST_FILM))
    options = {"format_whitelist": FORMATS, "protocol_whitelist": "none"}
    try:
        with av.open(source, mode="r", options=options) as container:
            yield container
    except (av.error.FFmpegError, ValueError) as error:
        raise UnreadableError(f"no readable sound or film: {error}") from error


def sound(given: Value) -> NDArray[np.float32]:
    """The samples of the first sound track, in one channel at `RATE`, between -1 and 1."""
    parts: list[NDArray[np.float32]] = []
    count = 0
    with _opened(given) as container:
        if not container.streams.audio:
            raise UnreadableError("the file has no sound")
        if container.streams.audio[0].codec_context is None:
            raise UnreadableError("the sound is of a kind that cannot be decoded")
        resampler = av.AudioResampler(format="flt", layout="mono", rate=RATE)
        with contextlib.suppress(av.error.InvalidDataError):  # a torn end: what came before counts
            for frame in container.decode(audio=0):
                for each in resampler.resample(frame):
                    parts.append(each.to_ndarray()[0])
                    count += each.samples
                if count > LONGEST * RATE:
                    break
    if not parts:
        raise UnreadableError("the file has no sound that can be decoded")
    return np.concatenate(parts)[: LONGEST * RATE].astype(np.float32)


def frames(given: Value, most: int) -> Iterator[Image.Image]:
    """Up to `most` frames of a film from its start, upright; it ends where no more can be read."""
    with _opened(given) as container:
        if not container.streams.video:
            raise UnreadableError("the file has no pictures")
        video = container.streams.video[0]
        if video.codec_context is None:
            raise UnreadableError("the film is of a kind that cannot be decoded")
        if video.codec_context.width * video.codec_context.height > MOST_PIXELS:
            raise UnreadableError(f"a film of more than {MOST_PIXELS} pixels")
        with contextlib.suppress(av.error.InvalidDataError):
            for place, frame in enumerate(container.decode(video)):
                if place == most:
                    return
                if frame.width * frame.height > MOST_PIXELS:
                    raise UnreadableError(f"a film of more than {MOST_PIXELS} pixels")
                image = Image.fromarray(frame.to_ndarray(format="rgb24"))
                yield image.rotate(frame.rotation, expand=True) if frame.rotation else image
