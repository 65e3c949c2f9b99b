"""Bounded decoding of audio and video files from memory.

Formats that refer to other files (playlists, lists of parts) are not opened, because they could
point outside the evidence.
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
from ambidex.evaluators.osworld.given import read_bytes

__all__ = ["RATE", "frames", "sound"]

LARGEST_FILM = 512 * MIB
RATE = 22050
"""Audio samples per second."""
LONGEST = 20 * 60
"""Maximum length of audio in seconds; the rest is ignored on both sides."""
MOST_PIXELS = 4096 * 2304
FORMATS = (
    "mp3,wav,w64,flac,ogg,aac,aiff,ac3,mov,mp4,m4a,3gp,matroska,webm,avi,asf,mpeg,mpegts,flv,gif"
)


@contextlib.contextmanager
def _opened(value: Value) -> Iterator[InputContainer]:
    source = io.BytesIO(read_bytes(value, LARGEST_FILM))
    options = {"format_whitelist": FORMATS, "protocol_whitelist": "none"}
    try:
        with av.open(source, mode="r", options=options) as container:
            yield container
    except (av.error.FFmpegError, ValueError) as error:
        raise UnreadableError(f"not a readable audio or video file: {error}") from error


def sound(value: Value) -> NDArray[np.float32]:
    """The samples of the first audio track: shape (samples,), mono at `RATE`, from -1 to 1."""
    parts: list[NDArray[np.float32]] = []
    count = 0
    with _opened(value) as container:
        if not container.streams.audio:
            raise UnreadableError("the file has no audio")
        if container.streams.audio[0].codec_context is None:
            raise UnreadableError("the audio has an unsupported codec")
        resampler = av.AudioResampler(format="flt", layout="mono", rate=RATE)
        with contextlib.suppress(
            av.error.InvalidDataError
        ):  # a damaged end: what came before counts
            for frame in container.decode(audio=0):
                for resampled in resampler.resample(frame):
                    parts.append(resampled.to_ndarray()[0])
                    count += resampled.samples
                if count > LONGEST * RATE:
                    break
    if not parts:
        raise UnreadableError("the file has no audio that can be decoded")
    return np.concatenate(parts)[: LONGEST * RATE].astype(np.float32)


def frames(value: Value, most: int) -> Iterator[Image.Image]:
    """Up to `most` frames from the start of a video, rotated upright; stops at a decoding error."""
    with _opened(value) as container:
        if not container.streams.video:
            raise UnreadableError("the file has no video")
        video = container.streams.video[0]
        if video.codec_context is None:
            raise UnreadableError("the video has an unsupported codec")
        if video.codec_context.width * video.codec_context.height > MOST_PIXELS:
            raise UnreadableError(f"a video of more than {MOST_PIXELS} pixels")
        with contextlib.suppress(av.error.InvalidDataError):
            for place, frame in enumerate(container.decode(video)):
                if place == most:
                    return
                if frame.width * frame.height > MOST_PIXELS:
                    raise UnreadableError(f"a video of more than {MOST_PIXELS} pixels")
                image = Image.fromarray(frame.to_ndarray(format="rgb24"))
                yield image.rotate(frame.rotation, expand=True) if frame.rotation else image
