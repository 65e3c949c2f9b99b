"""VLC's tools in the real VLC; what they did is read back over the session bus by busctl."""

import json
import math
import struct
import wave
from io import BytesIO
from typing import Any

import pytest

from host.guest import Guest
from tests.desktop.proofs import proves
from tests.desktop.tool_calls import done, read, refused, stop


def tone(seconds: int) -> bytes:
    """A sound file."""
    content = BytesIO()
    with wave.open(content, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        swing = [int(9000 * math.sin(each / 3)) for each in range(8000)]
        sound.writeframes(struct.pack("<8000h", *swing) * seconds)
    return content.getvalue()


@pytest.fixture(scope="module")
def vlc(guest: Guest) -> Guest:
    """A guest with two sounds, the first of which the tool plays."""
    guest.put("~/Music/first sound.wav", tone(600))
    guest.put("~/Music/second.wav", tone(600))
    assert refused(guest, "vlc_get_status")[0] == "not_running"
    assert done(guest, "vlc_open", uri="~/Music/first sound.wav")["state"] == "playing"
    return guest


def player(guest: Guest, name: str) -> Any:
    """A property of the player, as another program sees it."""
    where = ("org.mpris.MediaPlayer2.vlc", "/org/mpris/MediaPlayer2")
    said = read(
        guest, "busctl", "--user", "--json=short", "get-property", *where,
        "org.mpris.MediaPlayer2.Player", name,
    )  # fmt: skip
    return json.loads(said)["data"]


def test_playback_obeys_and_says_what_it_does(vlc: Guest) -> None:
    status = done(vlc, "vlc_get_status")
    assert status["uri"].endswith("/Music/first%20sound.wav")
    assert done(vlc, "vlc_get_media_duration") == 600
    assert done(vlc, "vlc_pause")["state"] == "paused"
    assert player(vlc, "PlaybackStatus") == "Paused"
    assert done(vlc, "vlc_get_current_time") == pytest.approx(player(vlc, "Position") / 1e6, abs=1)
    assert done(vlc, "vlc_set_volume", percent=40)["volume"] == 40
    assert player(vlc, "Volume") == pytest.approx(0.4, abs=0.01)
    assert done(vlc, "vlc_play")["state"] == "playing"
    assert refused(vlc, "vlc_set_volume", percent=400)[0] == "bad_arguments"
    assert refused(vlc, "vlc_toggle_fullscreen", enable=True)[0] == "no_video"
    assert refused(vlc, "vlc_open", uri="~/Music/none.wav")[0] == "not_found"


@proves(
    "the player's metadata over the session bus",
    vlc_add_to_playlist="it is played next",
    vlc_next="the second file plays",
    vlc_previous="the first file plays again",
)
def test_the_playlist_is_added_to_and_stepped_through(vlc: Guest) -> None:
    done(vlc, "vlc_add_to_playlist", uri="~/Music/second.wav")
    assert done(vlc, "vlc_next")["uri"].endswith("second.wav")
    assert player(vlc, "Metadata")["xesam:url"]["data"].endswith("second.wav")
    assert done(vlc, "vlc_previous")["uri"].endswith("first%20sound.wav")
    assert player(vlc, "Metadata")["xesam:url"]["data"].endswith("first%20sound.wav")


def test_a_vlc_that_hangs_ends_the_call_within_its_bound(vlc: Guest) -> None:
    process = read(vlc, "pgrep", "-x", "vlc")
    stop(vlc, process)
    try:
        assert refused(vlc, "vlc_get_status")[0] == "refused"
    finally:
        read(vlc, "kill", "-CONT", process)
    assert done(vlc, "vlc_get_status")["state"] == "playing"
