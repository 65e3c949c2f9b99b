"""OSWorld's metrics on audio and video; WAV files by the standard library, the rest by FFmpeg."""

from __future__ import annotations

import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from mutagen.id3 import ID3, TIT2, TPE1
from numpy.typing import NDArray

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.osworld.media.media import RATE, sound
from ambidex.evaluators.osworld.media.sound_features import alignment_distance, cepstra
from tests.evaluators.osworld.asked import Case, agrees, file, judge, lacking, nowhere, of

Sound = NDArray[np.float32]
MODULES = ("sounds", "sound_tags")
TIME = np.arange(4 * RATE) / RATE


def tune(speed: float) -> Sound:
    """A square wave with this many steps per second."""
    steps = np.floor(TIME * speed) % 7
    return (0.4 * np.sin(2 * np.pi * np.cumsum(220 * 2 ** (steps / 6)) / RATE)).astype(np.float32)


NOISE = np.random.default_rng(1).normal(0, 0.2, len(TIME)).clip(-1, 1).astype(np.float32)


def waves(samples: Sound, name: str = "result.wav") -> Callable[[Path], Path]:
    def made(folder: Path) -> Path:
        with wave.open(str(folder / name), "wb") as out:
            out.setparams((1, 2, RATE, 0, "NONE", ""))
            out.writeframes((samples * 32767).astype("<i2").tobytes())
        return folder / name

    return made


def mp3(samples: Sound) -> Callable[[Path], Path]:
    def made(folder: Path) -> Path:
        path = folder / "result.mp3"
        with av.open(str(path), "w") as out:
            stream = out.add_stream("mp3", rate=RATE)
            frame = av.AudioFrame.from_ndarray(samples[None], format="fltp", layout="mono")
            frame.rate = RATE
            resampler = av.AudioResampler(format="s16p", layout="stereo", rate=44100)
            for item in resampler.resample(frame):
                out.mux(stream.encode(item))
            out.mux(stream.encode(None))
        return path

    return made


def film(frames: list[NDArray[np.uint8]], name: str = "result.mp4") -> Callable[[Path], Path]:
    def made(folder: Path) -> Path:
        with av.open(str(folder / name), "w") as out:
            stream = out.add_stream("mpeg4", rate=25)
            stream.width, stream.height, stream.pix_fmt = 160, 120, "yuv420p"
            stream.bit_rate = 2_000_000
            for frame in frames:
                out.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="rgb24")))
            out.mux(stream.encode(None))
        return folder / name

    return made


def shots(count: int, unlike: int = 0) -> list[NDArray[np.uint8]]:
    """Frames with moving boxes; the last `unlike` frames are upside down."""
    result = []
    for number in range(count):
        image = np.full((120, 160, 3), 40, np.uint8)
        image[10:50, number % 100 : number % 100 + 40] = 220, 40, 40
        image[80:100, 20:140] = np.linspace(0, 255, 120, dtype=np.uint8)[None, :, None]
        result.append(image[::-1].copy() if number >= count - unlike else image)
    return result


TUNE = waves(tune(3), "gold.wav")
NO_SOUND = file("broken.mp3", b"no sound at all")
PARTS = file("parts.mp3", "ffconcat version 1.0\nfile gold.wav\n")

heard = of("compare_audios")
HEARD = [
    heard("right", "the same", waves(tune(3)), TUNE),
    heard("right", "as an mp3", mp3(tune(3)), TUNE, (0.95, 0.99999), 1),
    heard("near", "at another speed", waves(tune(5)), TUNE, (0.3, 0.95), 0),
    heard("near", "noise", waves(NOISE), TUNE, (0.1, 0.6), 0),
    heard("broken", "one unreadable", NO_SOUND, TUNE),
    heard("broken", "both unreadable", NO_SOUND, NO_SOUND, 1, 0),
    heard("broken", "a list of parts", PARTS, TUNE),
    heard("broken", "missing", nowhere, TUNE),
]

FILM = film(shots(30), "gold.mp4")
seen = of("compare_videos")
SEEN = [
    seen("right", "the same", film(shots(30)), FILM),
    seen("right", "five frames upside down", film(shots(30, unlike=5)), FILM),
    seen("near", "six frames upside down", film(shots(30, unlike=6)), FILM),
    seen("near", "one frame less", film(shots(29)), FILM),
    seen("right", "other after frame 100", film(shots(110, 10)), film(shots(120), "gold.mp4")),
    seen("broken", "one unreadable", file("broken.mp4", b"no film"), FILM),
    seen("broken", "a sound", TUNE, FILM),
    seen("broken", "both unreadable", file("a.mp4", b"no film"), file("b.mp4", b""), 1, 0),
]


def tagged(*, title: str, artists: list[str]) -> Callable[[Path], Path]:
    def made(folder: Path) -> Path:
        path = mp3(tune(3)[:RATE])(folder)
        tags = ID3()
        tags.add(TIT2(text=[title]))
        tags.add(TPE1(text=artists))
        tags.save(path)
        return path

    return made


def meta(title: str, artist: str) -> dict[str, dict[str, str]]:
    return {
        "title": {"method": "eq", "ref": title},
        "artist": {"method": "eq", "ref": artist},
    }


tags = of("check_mp3_meta")
TAGGED = [
    tags("right", "both", tagged(title="Köln", artists=["An"]), meta("Köln", "An")),
    tags("right", "two artists", tagged(title="Köln", artists=["An", "Bo"]), meta("Köln", "An,Bo")),
    tags("near", "a longer title", tagged(title="Köln 2", artists=["An"]), meta("Köln", "An")),
    tags("near", "no title", tagged(title="", artists=["An"]), meta("Köln", "An")),
    tags("broken", "no tags", file("a.mp3", b"\xff\xfb\x90\x00" * 50), meta("Köln", "An")),
    tags("broken", "missing", nowhere, meta("Köln", "An")),
]

CASES = [*HEARD, *SEEN, *TAGGED]


@judge(CASES)
def test_the_verdicts_on_audio_and_video(case: Case, tmp_path: Path) -> None:
    agrees(case, tmp_path)


def test_every_metric_on_audio_and_video_has_a_right_a_near_miss_and_a_broken_case() -> None:
    assert lacking(CASES, *MODULES) == []


def test_a_playlist_is_not_opened(tmp_path: Path) -> None:
    TUNE(tmp_path)
    for content in (
        "ffconcat version 1.0\nfile gold.wav\n",
        f"ffconcat version 1.0\nfile {tmp_path}/gold.wav\n",
        f"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n{tmp_path}/gold.wav\n#EXT-X-ENDLIST\n",
    ):
        with pytest.raises(UnreadableError):
            sound(file("list.mp3", content)(tmp_path))


def test_the_best_alignment_is_found_for_stretched_sounds() -> None:
    rows = np.random.default_rng(2).normal(size=(40, 20))
    assert alignment_distance(rows, rows) == pytest.approx(0, abs=1e-12)
    stretched = np.repeat(rows, 2, axis=0)
    assert alignment_distance(rows, stretched) == pytest.approx(0, abs=0.05)
    others = np.random.default_rng(3).normal(size=(40, 20))
    assert alignment_distance(rows, others) > 0.5


def test_a_short_alignment_is_the_best_of_all_paths() -> None:
    noise = np.random.default_rng(4)
    for height, width in ((1, 1), (1, 5), (2, 7), (2, 2)):
        one, other = noise.normal(size=(height, 6)), noise.normal(size=(width, 6))
        best = min(_paths(one, other, 0, 0))
        total = alignment_distance(one, other)
        assert any(abs(total - best[0] / steps) < 1e-9 for steps in range(1, height + width))


def _paths(
    one: NDArray[Any], other: NDArray[Any], row: int, column: int
) -> list[tuple[float, int]]:
    """Cost and length of every path from a cell to the last one."""
    here = 1 - float(
        one[row] @ other[column] / np.linalg.norm(one[row]) / np.linalg.norm(other[column])
    )
    steps = [(row + 1, column + 1), (row + 1, column), (row, column + 1)]
    inside = [(r, c) for r, c in steps if r < len(one) and c < len(other)]
    if not inside:
        return [(here, 1)]
    further = [path for item in inside for path in _paths(one, other, *item)]
    return [(here + cost, length + 1) for cost, length in further]


def test_silence_and_a_single_click_have_cepstra() -> None:
    for samples in (np.zeros(3000, np.float32), np.eye(1, 3000, 5, dtype=np.float32)[0]):
        assert np.isfinite(cepstra(samples, RATE)).all()
