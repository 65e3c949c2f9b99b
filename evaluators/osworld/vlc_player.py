"""VLC as it runs: what it plays, and how large its window is."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated, Literal
from urllib.parse import unquote, urlsplit

from lxml import etree
from pydantic import Field
from typing_extensions import TypedDict

from evaluators import Score
from evaluators.osworld import Value
from evaluators.osworld.answers import fields, tree
from evaluators.osworld.given import held
from evaluators.osworld.registry import metric
from evaluators.values import shown, verdict


class FileName(TypedDict):
    """The file that should be playing."""

    type: Literal["file_name"]
    file_name: str


class Url(TypedDict):
    """The stream that should be playing."""

    type: Literal["url"]
    url: str


Media = Annotated[FileName | Url, Field(discriminator="type")]


@metric(
    repairs=(
        "The name or address is the whole of what VLC says it plays: upstream also takes a"
        " part of that, so `b.mp4` is played while `ab.mp4` is.",
    )
)
def is_vlc_playing(result: Value, expected: Media, *, strict: bool) -> Score:
    """VLC's status says that it plays (not pauses) this file, or this address.

    Of an address VLC may show the name of the file at its end alone.
    """
    status: etree._Element = tree(held(result), "VLC's status")
    state = (status.findtext("state") or "").strip()
    if state != "playing":
        return Score(0.0, f"VLC's state is {shown(state)}")
    seen = _shown_names(status, ("filename", "name", "title") if "file_name" in expected else None)
    if expected["type"] == "file_name":
        wanted = [expected["file_name"]]
    else:
        url = expected["url"]
        wanted = [url, unquote(PurePosixPath(urlsplit(url).path).name)]
    found = any(
        each in (said, PurePosixPath(said).name) or (not strict and each in said)
        for each in wanted
        for said in seen
        if each
    )
    return Score(float(found), f"VLC plays {shown(seen)}")


@metric()
def is_vlc_fullscreen(result: Value, expected: Value) -> Score:
    """The first size (the window's or the screen's) is the second: VLC fills the screen."""
    one, other = (
        tuple(fields(each).get(side) for side in ("width", "height")) for each in (result, expected)
    )
    wrong = [] if one == other and None not in one else [f"{one} is not {other}"]
    return verdict(wrong, f"window and screen are both {one}")


def _shown_names(status: etree._Element, names: tuple[str, ...] | None) -> list[str]:
    """What VLC says of the medium, under these names or (`None`) those that hold addresses."""
    asked = names or ("url", "URI", "location", "filename", "title", "name")
    infos = status.iterfind("information/category[@name='meta']/info")
    texts = [(each.text or "").strip() for each in infos if each.get("name") in asked]
    return [each for each in texts if each]
