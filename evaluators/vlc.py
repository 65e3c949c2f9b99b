"""Evaluators of playlist files, and of VLC's playback state as the session bus reports it (MPRIS).

The evidence of its state is the output of this command, the player's properties as JSON:

    busctl --user --json=short call org.mpris.MediaPlayer2.vlc /org/mpris/MediaPlayer2
        org.freedesktop.DBus.Properties GetAll s org.mpris.MediaPlayer2.Player
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Literal
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.bounded import BoundsError, parse_json
from ambidex.evaluators.evidence import MIB, read_text
from ambidex.evaluators.output import json_field
from ambidex.evaluators.registry import EvidenceName, evaluator
from ambidex.evaluators.values import shown, verdict

XSPF = "{http://xspf.org/ns/0/}"


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
    """The player is in this state; properties that are not given are not checked.

    `media` is the name of the open file without its folder; `volume` 1.0 is 100 %.
    """
    try:
        answer: object = parse_json(read_text(evidence, file, MIB), finite=False)
    except BoundsError as error:
        raise UnreadableError(f"{file} is not an answer of VLC: {error}") from error
    actual = {
        "state": json_field(answer, "data.0.PlaybackStatus.data"),
        "media": _name(json_field(_property(answer, "Metadata"), "xesam:url.data")),
        "loop": json_field(answer, "data.0.LoopStatus.data"),
        "shuffle": json_field(answer, "data.0.Shuffle.data"),
        "rate": json_field(answer, "data.0.Rate.data"),
    }
    expected = {"state": state, "media": media, "loop": loop, "shuffle": shuffle, "rate": rate}
    wrong = [
        f"{key} is {shown(actual[key]) or 'unknown'}, not {shown(value)}"
        for key, value in expected.items()
        if value is not None and actual[key] != value
    ]
    if volume is not None:
        actual_volume = json_field(answer, "data.0.Volume.data")
        if (
            not isinstance(actual_volume, int | float)
            or abs(actual_volume - volume) > volume_tolerance
        ):
            wrong.append(f"volume is {shown(actual_volume) or 'unknown'}, not {volume}")
    return verdict(wrong, "VLC is as expected")


def _property(answer: object, name: str) -> object:
    return json_field(answer, f"data.0.{name}.data")


def _name(url: object) -> str:
    """The last part of a URL's path, decoded."""
    if not isinstance(url, str):
        return ""
    try:
        return PurePosixPath(unquote(urlsplit(url).path)).name
    except ValueError:  # a malformed URL such as http://[
        return ""


@evaluator
def playlist_equals(evidence: Path, *, file: EvidenceName, media: list[str]) -> Score:
    """The playlist file (m3u, m3u8 or xspf) has these media and no others, in this order.

    Media are names of files without their folders: a playlist may have them as paths or as URLs.
    """
    text = read_text(evidence, file, MIB)
    if Path(file).suffix.lower() == ".xspf":
        try:
            root = ElementTree.fromstring(_without_doctype(text, file))
        except ElementTree.ParseError as error:
            raise UnreadableError(f"{file} is not a playlist: {error}") from error
        entries = [element.text or "" for element in root.iter(f"{XSPF}location")]
    else:
        lines = [line.strip() for line in text.splitlines()]
        entries = [line for line in lines if line and not line.startswith("#")]
    found = [_name(entry) if "://" in entry else PurePosixPath(entry).name for entry in entries]
    wrong = [] if found == media else [f"{file} plays {found}, not {media}"]
    return verdict(wrong, f"{file} plays all {len(media)} media in order")


def _without_doctype(text: str, file: str) -> str:
    """The text of an XML file; `UnreadableError` if it declares a document type."""
    if "<!DOCTYPE" in text:
        raise UnreadableError(f"{file} declares a document type")
    return text
