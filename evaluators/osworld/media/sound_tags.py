"""Metric on the tags of audio files."""

from __future__ import annotations

import io

import mutagen
from mutagen.easyid3 import EasyID3

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.evidence import BROKEN
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.given import read_bytes
from ambidex.evaluators.osworld.registry import metric
from ambidex.evaluators.osworld.rules import ValueRule, matches
from ambidex.evaluators.values import shown, verdict


@metric()
def check_mp3_meta(result: Value, expected: dict[str, ValueRule]) -> Score:
    """The value rule of each named ID3 tag (title, artist, …) holds. Several values of a tag are
    joined with commas; a missing tag counts as an empty text."""
    content = io.BytesIO(read_bytes(result))
    try:
        tags = EasyID3(content)  # type: ignore[no-untyped-call]
        actual = {name: ",".join(tags[name]) if name in tags else "" for name in expected}
    except (mutagen.MutagenError, *BROKEN) as error:
        raise UnreadableError(f"the file has no readable ID3 tags: {error}") from error
    wrong = [
        f"{name} is {shown(actual[name])}, not {rule['method']} {shown(rule['ref'])}"
        for name, rule in expected.items()
        if not matches(actual[name], rule)
    ]
    return verdict(wrong, f"{', '.join(expected)}: as expected")
