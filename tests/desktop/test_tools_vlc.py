"""VLC's tools in the real VLC, checked over the session bus with busctl."""

import json
import math
import struct
import wave
from io import BytesIO
from typing import Any

import numpy
import pytest
from PIL import Image

from ambidex.host.client.guest import Guest
from ambidex.mcp_tools.waiting import wait_for
from tests.desktop.proofs import proves
from tests.desktop.tool_calls import done, read, refused, stop
from tests.support.films import red_film


def tone(seconds: int) -> bytes:
    """A sound file."""
    content = BytesIO()
    with wave.open(content, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        swing = [int(9000 * math.sin(item / 3)) for item in range(8000)]
        sound.writeframes(struct.pack("<8000h", *swing) * seconds)
    return content.getvalue()


@pytest.fixture(scope="module")
def vlc(guest: Guest, tmp_path_factory: pytest.TempPathFactory) -> Guest:
    """A guest with a video and two audio files, the first of which a tool is playing."""
    guest.put("~/Music/first sound.wav", tone(600))
    guest.put("~/Music/second.wav", tone(600))
    guest.put("~/Music/sub folder/Film.AVI", red_film(tmp_path_factory.mktemp("film")))
    for name in ("status", "playlist", "current_time", "media_duration"):
        assert refused(guest, f"vlc_get_{name}")[0] == "not_running"
    for name in ("play", "pause", "next", "previous", "toggle_fullscreen"):
        assert refused(guest, f"vlc_{name}")[0] == "not_running"
    assert refused(guest, "vlc_add_to_playlist", uri="~/Music/second.wav")[0] == "not_running"
    assert done(guest, "vlc_open", uri="~/Music/first sound.wav")["state"] == "playing"
    return guest


def player(guest: Guest, name: str) -> Any:
    """A property of the player, as read by another program."""
    where = ("org.mpris.MediaPlayer2.vlc", "/org/mpris/MediaPlayer2")
    answer = read(
        guest, "busctl", "--user", "--json=short", "get-property", *where,
        "org.mpris.MediaPlayer2.Player", name,
    )  # fmt: skip
    return json.loads(answer)["data"]


@proves(
    "the player's properties over the session bus",
    vlc_get_status="address and state are the player's",
    vlc_get_media_duration="the length of the file that was made",
    vlc_pause="the player is paused",
    vlc_play="the player plays",
    vlc_get_current_time="the player's position",
    vlc_set_volume="the player's volume",
    vlc_open="the player has that file",
)
def test_playback_is_controlled_and_reported(vlc: Guest) -> None:
    done(vlc, "vlc_open", uri="~/Music/first sound.wav")
    assert player(vlc, "Metadata")["xesam:url"]["data"].endswith("/first%20sound.wav")
    status = done(vlc, "vlc_get_status")
    assert status["uri"].endswith("/Music/first%20sound.wav")
    assert done(vlc, "vlc_get_media_duration") == 600
    assert done(vlc, "vlc_pause")["state"] == "paused"
    assert player(vlc, "PlaybackStatus") == "Paused"
    assert done(vlc, "vlc_get_current_time") == pytest.approx(player(vlc, "Position") / 1e6, abs=1)
    assert done(vlc, "vlc_set_volume", percent=40)["volume"] == 40
    assert player(vlc, "Volume") == pytest.approx(0.4, abs=0.01)
    assert done(vlc, "vlc_play")["state"] == "playing"
    assert player(vlc, "PlaybackStatus") == "Playing"
    assert refused(vlc, "vlc_set_volume", percent=400)[0] == "bad_arguments"
    assert refused(vlc, "vlc_toggle_fullscreen", enable=True)[0] == "no_video"
    assert refused(vlc, "vlc_open", uri="~/Music/none.wav")[0] == "not_found"


@proves(
    "the player's metadata over the session bus",
    vlc_add_to_playlist="it is played next",
    vlc_next="the second file plays",
    vlc_previous="the first file plays again",
    vlc_get_playlist="each entry is played in its turn, the new one was listed at once",
)
def test_the_playlist_is_extended_and_stepped_through(vlc: Guest) -> None:
    added = done(vlc, "vlc_add_to_playlist", uri="~/Music/second.wav")
    assert added["uri"].endswith("/second.wav")
    listed = done(vlc, "vlc_get_playlist")
    assert listed[-1] == added | {"duration": listed[-1]["duration"]}
    current = next(i for i, entry in enumerate(listed) if entry["current"])
    assert listed[current]["uri"] == player(vlc, "Metadata")["xesam:url"]["data"]
    assert current + 1 == len(listed) - 1
    assert done(vlc, "vlc_next")["uri"].endswith("second.wav")
    assert player(vlc, "Metadata")["xesam:url"]["data"] == listed[-1]["uri"]
    listed = done(vlc, "vlc_get_playlist")
    assert [entry["current"] for entry in listed].index(True) == current + 1
    assert listed[-1]["duration"] == 600
    assert done(vlc, "vlc_previous")["uri"].endswith("first%20sound.wav")
    assert player(vlc, "Metadata")["xesam:url"]["data"].endswith("first%20sound.wav")
    assert refused(vlc, "vlc_add_to_playlist", uri="~/Music/none.wav")[0] == "not_found"


@proves("find(1)", vlc_get_media_files="the same files")
def test_media_files_are_found_by_extension(vlc: Guest) -> None:
    result = done(vlc, "vlc_get_media_files", path="~/Music")
    there = read(vlc, "sh", "-c", "find ~/Music -name '*.wav' -o -name '*.AVI' | sort")
    assert sorted(result["files"]) == there.splitlines()
    assert result["left_out"] == 0
    films = done(vlc, "vlc_get_media_files", path=f"{vlc.home}/Music", suffix=[".avi"])
    assert films["files"] == [f"{vlc.home}/Music/sub folder/Film.AVI"]
    assert refused(vlc, "vlc_get_media_files", path="~/None")[0] == "not_found"


def test_a_call_to_a_hung_vlc_times_out(vlc: Guest) -> None:
    process = read(vlc, "pgrep", "-x", "vlc")
    stop(vlc, process)
    try:
        assert refused(vlc, "vlc_get_status")[0] == "refused"
    finally:
        read(vlc, "kill", "-CONT", process)
    assert done(vlc, "vlc_get_status")["state"] == "playing"


@proves(
    "the pixels of the screen",
    vlc_toggle_fullscreen="the red film is at the edge of the screen, and then not",
)
def test_a_film_fills_the_screen(vlc: Guest) -> None:
    done(vlc, "vlc_open", uri="~/Music/sub folder/Film.AVI")
    assert done(vlc, "vlc_toggle_fullscreen", enable=True)["fullscreen"]
    assert wait_for(lambda: red_at_the_edge(vlc), 60)  # VLC reports it before its window is there
    assert done(vlc, "vlc_toggle_fullscreen", enable=True)["fullscreen"]
    assert not done(vlc, "vlc_toggle_fullscreen")["fullscreen"]
    assert wait_for(lambda: not red_at_the_edge(vlc), 60)


def red_at_the_edge(guest: Guest) -> bool:
    """Whether the middle of the screen's left edge is red."""
    screen = Image.open(BytesIO(guest.screenshot().png())).convert("RGB")
    red, green, blue = numpy.asarray(screen)[screen.height // 2, 4].tolist()
    return bool(red > 200 and green < 60 and blue < 60)


SETTINGS = "~/.config/vlc/vlcrc"
ENDED = "until ! pgrep -x -r D,R,S,T vlc >/dev/null; do :; done"


@proves(
    "the settings file, also after VLC ended, and the session bus",
    vlc_set_settings="the line is set, others stay, and VLC plays on where it was",
    vlc_get_settings="what the file says",
)
def test_a_setting_persists_after_vlc_exits(vlc: Guest) -> None:
    before = vlc.get(SETTINGS).decode()
    done(vlc, "vlc_open", uri="~/Music/second.wav")
    done(vlc, "vlc_add_to_playlist", uri="~/Music/first sound.wav")
    where = ("org.mpris.MediaPlayer2.vlc", "/org/mpris/MediaPlayer2")
    seconds = 200_000_000
    seek = ("org.mpris.MediaPlayer2.Player", "Seek", "x", str(seconds))
    read(vlc, "busctl", "--user", "call", *where, *seek)
    done(vlc, "vlc_pause")
    position = player(vlc, "Position")
    assert position >= seconds
    listed = [entry["uri"] for entry in done(vlc, "vlc_get_playlist")]
    changed = done(vlc, "vlc_set_settings", field="qt-max-volume", value="200")
    assert changed == {
        "field": "qt-max-volume", "before": "125", "after": "200", "reopened": True,
    }  # fmt: skip
    lines = vlc.get(SETTINGS).decode().splitlines()
    assert lines.count("qt-max-volume=200") == 1
    assert set(before.splitlines()) <= set(lines)
    assert player(vlc, "PlaybackStatus") == "Paused"
    assert player(vlc, "Metadata")["xesam:url"]["data"].endswith("/second.wav")
    assert player(vlc, "Position") == pytest.approx(position, abs=3e6)
    assert [entry["uri"] for entry in done(vlc, "vlc_get_playlist")] == listed
    assert not done(vlc, "vlc_set_settings", field="qt-max-volume", value="200")["reopened"]

    read(vlc, "busctl", "--user", "call", *where, "org.mpris.MediaPlayer2", "Quit")
    read(vlc, "sh", "-c", ENDED)
    folder = done(vlc, "vlc_set_settings", field="input-record-path", value="/home/a b/é=c")
    assert (folder["before"], folder["reopened"]) == ("", False)
    lines = vlc.get(SETTINGS).decode().splitlines()
    assert {"qt-max-volume=200", "input-record-path=/home/a b/é=c"} <= set(lines)
    reported = {setting["field"]: setting for setting in done(vlc, "vlc_get_settings")["settings"]}
    assert reported["input-record-path"]["value"] == "/home/a b/é=c"
    assert reported["qt-privacy-ask"]["value"] == "0"
    result = done(vlc, "vlc_get_settings", search="bgcone")["settings"]
    assert {"field": "qt-bgcone", "value": "1", "is_set": False}.items() <= result[0].items()
    for field, value, code in (
        ("qt-max-volume", "400", "bad_value"),
        ("qt-bgcone", "perhaps", "bad_value"),
        ("qt-max-volumes", "200", "no_setting"),
    ):
        assert refused(vlc, "vlc_set_settings", field=field, value=value)[0] == code
    assert vlc.get(SETTINGS).decode().splitlines() == lines
    assert refused(vlc, "vlc_get_settings", search="x")[0] == "bad_arguments"
