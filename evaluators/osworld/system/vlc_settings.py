"""Metrics on VLC's settings file (`vlcrc`), with VLC's defaults for settings it does not
contain."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypedDict

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.evidence import MIB
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.given import read_bytes
from ambidex.evaluators.osworld.registry import metric
from ambidex.evaluators.values import shown, verdict

SET = (
    "Only a line that sets the key counts: upstream accepts any line that contains the key, such as"
    " comments and longer keys."
)
SLIDER = "153;210;153;20;210;20;255;199;15;245;39;29"
DARK = 100
"""A colour is blackish if its red, green and blue are all below this."""


class Folder(TypedDict):
    """The folder for recordings."""

    recording_file_path: Any


class Cone(TypedDict):
    """Whether the cone is shown: 1 or 0."""

    expected_qt_bgcone: Any


class Volume(TypedDict):
    """The maximum volume in percent."""

    expected_qt_max_volume: Any


class MinimalView(TypedDict):
    """Whether the window hides its controls: 1 or 0."""

    expected_qt_minimal_view: Any


class GlobalKey(TypedDict):
    """Whether a global hotkey is set: 1 or 0."""

    expected_global_key_play_pause: Any


class OneInstance(TypedDict):
    """Whether a file opens in the running VLC: 1 or 0."""

    expected_one_instance_when_started_from_file: Any


class PlayAndExit(TypedDict):
    """Whether VLC exits after playback: 1 or 0."""

    expected_play_and_exit: Any


class Colours(TypedDict, total=False):
    """Colours as VLC writes them, numbers separated by semicolons (`match`), or any nearly black
    colours (`blackish`); other types never match."""

    type: str
    expected_qt_slider_colours: Any


@metric(
    repairs=(
        "The last line that sets the key counts: upstream takes the first line that contains the"
        " key and is not a comment.",
    )
)
def is_vlc_recordings_folder(result: Value, expected: Folder, *, strict: bool) -> Score:
    """Recordings are stored in this folder; comments in the file do not count."""
    key, source = "input-record-path", _source(result)
    if strict:
        return _is(key, _setting(source, key, "", strict=True), expected["recording_file_path"])
    for line in source.split("\n"):
        if not line.startswith("#") and key in line:
            return _is(key, _last(line), expected["recording_file_path"])
    return Score(0.0, f"{key} is not set")


@metric(repairs=(SET,))
def check_qt_bgcone(result: Value, expected: Cone, *, strict: bool) -> Score:
    """The cone in the background is shown (`qt-bgcone` 1, the default) or hidden (0)."""
    actual = _setting(_source(result), "qt-bgcone", "1", strict=strict)
    return _equals("qt-bgcone", actual, expected["expected_qt_bgcone"])


@metric(repairs=(SET,))
def check_qt_max_volume(result: Value, expected: Volume, *, strict: bool) -> Score:
    """The maximum volume (`qt-max-volume`, 125 by default) is this many percent."""
    actual = _setting(_source(result), "qt-max-volume", "125", strict=strict)
    return _equals("qt-max-volume", actual, expected["expected_qt_max_volume"])


@metric(repairs=(SET,))
def check_qt_minimal_view(result: Value, expected: MinimalView, *, strict: bool) -> Score:
    """The window hides its controls (`qt-minimal-view` 1) or shows them (0, the default)."""
    actual = _setting(_source(result), "qt-minimal-view", "0", strict=strict)
    return _equals("qt-minimal-view", actual, expected["expected_qt_minimal_view"])


@metric(repairs=(SET,))
def check_qt_slider_colours(result: Value, expected: Colours, *, strict: bool) -> Score:
    """The colours of the volume slider are the expected ones, or (`blackish`) have red, green and
    blue below 100."""
    key = "qt-slider-colours"
    # For this key, upstream does not require an equals sign.
    actual = _setting(_source(result), key, SLIDER, strict=strict, mark=key)
    if expected.get("type") == "match":
        return _is(key, actual, expected.get("expected_qt_slider_colours"))
    if expected.get("type") != "blackish":
        return Score(0.0, f"unknown type of colours: {shown(expected.get('type'))}")
    try:
        numbers = [int(number) for number in actual.split(";")]
    except ValueError as error:
        raise UnreadableError(
            f"the colours of the slider are not numbers: {shown(actual)}"
        ) from error
    # Upstream checks complete triples only and ignores the rest.
    wrong = (
        [] if all(number < DARK for number in numbers[: len(numbers) // 3 * 3]) else [shown(actual)]
    )
    return verdict(wrong, f"all colours of {shown(actual)} are blackish")


@metric(repairs=(SET,))
def check_global_key_play_pause(result: Value, expected: GlobalKey, *, strict: bool) -> Score:
    """A global hotkey for play and pause is set (`global-key-play-pause`), or none is."""
    actual = _setting(_source(result), "global-key-play-pause", "", strict=strict)
    target = expected["expected_global_key_play_pause"]
    return _equals("global-key-play-pause is set", "1" if actual else "0", target)


@metric(repairs=(SET,))
def check_one_instance_when_started_from_file(
    result: Value, expected: OneInstance, *, strict: bool
) -> Score:
    """A file opens in the running VLC (`one-instance-when-started-from-file` 1, the default) or in
    a new instance (0)."""
    key = "one-instance-when-started-from-file"
    actual = _setting(_source(result), key, "1", strict=strict)
    return _equals(key, actual, expected["expected_one_instance_when_started_from_file"])


@metric(repairs=(SET,))
def check_play_and_exit(result: Value, expected: PlayAndExit, *, strict: bool) -> Score:
    """VLC exits after playback (`play-and-exit` 1) or stays open (0, the default)."""
    actual = _setting(_source(result), "play-and-exit", "0", strict=strict)
    return _equals("play-and-exit", actual, expected["expected_play_and_exit"])


def _source(result: Value) -> str:
    """The text of the file with its original line ends."""
    try:
        return read_bytes(result, 8 * MIB).decode()
    except UnicodeDecodeError as error:
        raise UnreadableError(f"the settings are not UTF-8 text (byte {error.start})") from error


def _setting(source: str, key: str, default: str, *, strict: bool, mark: str = "") -> str:
    """The last value set for the key; without `strict`, that of the last line that contains `mark`
    (by default the key and an equals sign)."""
    for line in reversed(source.splitlines() if strict else source.split("\n")):
        name, equals, value = line.partition("=")
        if equals and name.strip() == key if strict else (mark or f"{key}=") in line:
            return value.strip() if strict else _last(line)
    return default


def _last(line: str) -> str:
    """The text after the last equals sign of a line."""
    return line.rpartition("=")[2].strip()


def _equals(what: str, actual: str, target: object) -> Score:
    return _is(what, actual, str(target) if isinstance(target, int) else target)


def _is(what: str, actual: str, target: object) -> Score:
    wrong = [] if actual == target else [f"{what}: {shown(actual)}, not {shown(target)}"]
    return verdict(wrong, f"{what}: {shown(actual)}")
