"""What VLC plays, as it says itself over the session bus (MPRIS).

Evidence is what this prints, one property set of the player as JSON:

    busctl --user --json=short call org.mpris.MediaPlayer2.vlc /org/mpris/MediaPlayer2
        org.freedesktop.DBus.Properties GetAll s org.mpris.MediaPlayer2.Player
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Literal
from urllib.parse import unquote, urlsplit

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.bounded import BoundsError, parse_json
from ambidex.evaluators.evidence import MIB, read_text
from ambidex.evaluators.output import json_field
from ambidex.evaluators.registry import EvidenceName, evaluator
from ambidex.evaluators.values import shown, verdict


@evaluator
def player_is(
    evidence: Path,
    *,
    file: EvidenceName,
    state: Literal["Playing", "Paused", "Stopped"] | None = None,
    media: str | None = None,
    volume: float | None = None,
    volume_tolerance: float = 0.02,
    loop: Literal["None", "Track", "Playlist"] | None = None,
    shuffle: bool | None = None,
    rate: float | None = None,
) -> Score:
    """The player is in this state; what is not named does not count.

    `media` is the name of the file that is open (its last part); `volume` 1.0 is 100 %.
    """
    try:
        said: object = parse_json(read_text(evidence, file, MIB), finite=False)
    except BoundsError as error:
        raise UnreadableError(f"{file} holds no answer of VLC: {error}") from error
    seen = {
        "state": json_field(said, "data.0.PlaybackStatus.data"),
        "media": _name(json_field(_plain(said, "Metadata"), "xesam:url.data")),
        "loop": json_field(said, "data.0.LoopStatus.data"),
        "shuffle": json_field(said, "data.0.Shuffle.data"),
        "rate": json_field(said, "data.0.Rate.data"),
    }
    asked = {"state": state, "media": media, "loop": loop, "shuffle": shuffle, "rate": rate}
    wrong = [
        f"{key} is {shown(seen[key]) or 'not known'}, not {shown(expected)}"
        for key, expected in asked.items()
        if expected is not None and seen[key] != expected
    ]
    if volume is not None:
        loud = json_field(said, "data.0.Volume.data")
        if not isinstance(loud, int | float) or abs(loud - volume) > volume_tolerance:
            wrong.append(f"volume is {shown(loud) or 'not known'}, not {volume}")
    return verdict(wrong, "VLC is as expected")


def _plain(said: object, name: str) -> object:
    return json_field(said, f"data.0.{name}.data")


def _name(url: object) -> str:
    """The last part of a URL's path, decoded."""
    if not isinstance(url, str):
        return ""
    try:
        return PurePosixPath(unquote(urlsplit(url).path)).name
    except ValueError:  # an address such as http://[
        return ""
