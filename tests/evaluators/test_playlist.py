"""Playlist files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ambidex.evaluators import Score

Judge = Callable[..., Score]
XSPF = """<?xml version="1.0" encoding="UTF-8"?>
<playlist xmlns="http://xspf.org/ns/0/" version="1"><trackList>
<track><location>file:///home/user/Videos/a%20b.ogg</location></track>
<track><location>file:///home/user/Videos/c.ogg</location></track>
</trackList></playlist>"""
M3U = "#EXTM3U\n#EXTINF:12,A\n/home/user/Videos/a b.ogg\n\nc.ogg\r\n"


@pytest.mark.parametrize(("name", "text"), [("l.xspf", XSPF), ("l.m3u", M3U), ("l.m3u8", M3U)])
@pytest.mark.parametrize(
    ("media", "score"),
    [
        (["a b.ogg", "c.ogg"], 1),
        (["c.ogg", "a b.ogg"], 0),
        (["a b.ogg"], 0),
        (["a b.ogg", "c.ogg", "d.ogg"], 0),
    ],
)
def test_media_are_compared_by_name_and_order(
    judge: Judge, tmp_path: Path, name: str, text: str, media: list[str], score: float
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert judge("vlc.playlist_equals", file=name, media=media).value == score


@pytest.mark.parametrize(
    "text", ["<playlist", '<!DOCTYPE a [<!ENTITY b "c">]><playlist/>', "\0", ""]
)
def test_a_file_that_is_no_playlist_scores_0(judge: Judge, tmp_path: Path, text: str) -> None:
    (tmp_path / "l.xspf").write_text(text)
    assert judge("vlc.playlist_equals", file="l.xspf", media=["a.ogg"]).value == 0
