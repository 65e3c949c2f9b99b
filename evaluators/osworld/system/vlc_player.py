"""VLC as it runs: what it plays, and how large its window is."""

from __future__ import annotations

import posixpath
from pathlib import PurePosixPath
from typing import Annotated, Literal
from urllib.parse import unquote, urlsplit

from lxml import etree
from pydantic import Field
from typing_extensions import TypedDict

from ambidex.evaluators import Score
from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.answers import fields, tree
from ambidex.evaluators.osworld.given import decoded, held
from ambidex.evaluators.osworld.registry import UpstreamRaisesError, metric
from ambidex.evaluators.values import shown, verdict


class FileName(TypedDict):
    """The file that should be playing."""

    type: Literal["file_name"]
    file_name: str


class Url(TypedDict):
    """The stream that should be playing."""

    type: Literal["url"]
    url: str


FIRST_NAMES = [("meta", name) for name in ("filename", "title", "uri", "location", "name")]
FIRST_ADDRESSES = [("meta", name) for name in ("url", "URI", "location", "title", "filename")]
FIRST_ADDRESSES += [("Stream 0", name) for name in ("Codec", "Type", "Language")]
"""Where upstream looks for what is played, in its order."""
Media = Annotated[FileName | Url, Field(discriminator="type")]


@metric(
    repairs=(
        "The name or address is the whole of one thing that VLC says of what it plays: upstream"
        " takes the first that it finds, and a part of it too, so `b.mp4` is played while `ab.mp4`"
        " is.",
    )
)
def is_vlc_playing(result: Value, expected: Media, *, strict: bool) -> Score:
    """VLC's status says that it plays (not pauses) this file, or this address.

    Of an address VLC may show the name of the file at its end alone.
    """
    status: etree._Element = tree(decoded(held(result), "VLC's status"), "VLC's status")
    state = status.findtext("state")
    if (state or "").strip() != "playing" if strict else state != "playing":
        return Score(0.0, f"VLC's state is {shown(state)}")
    if not strict:
        return _as_upstream(status, expected)
    actual = _shown_names(
        status, ("filename", "name", "title") if "file_name" in expected else None
    )
    if expected["type"] == "file_name":
        target = [expected["file_name"]]
    else:
        url = expected["url"]
        target = [url, unquote(PurePosixPath(_path(url)).name)]
    found = any(
        each in (said, PurePosixPath(said).name) for each in target for said in actual if each
    )
    return Score(float(found), f"VLC plays {shown(actual)}")


def _path(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:  # no address
        return ""


def _as_upstream(status: etree._Element, expected: Media) -> Score:
    """By the first name that VLC gives, in upstream's order."""
    by_name = expected["type"] == "file_name"
    paths = [
        f"information/category[@name='{category}']/info[@name='{name}']"
        for category, name in (FIRST_NAMES if by_name else FIRST_ADDRESSES)
    ]
    said = next((each for each in map(status.findtext, paths) if each), None)
    if said is None:
        return Score(0.0, "VLC does not say what it plays")
    if expected["type"] == "file_name":
        found = said.endswith(expected["file_name"])
    else:
        found = expected["url"] in said or _same_stream(expected["url"], said)
    return Score(float(found), f"VLC plays {shown(said)}")


def _same_stream(target: str, said: str) -> bool:
    try:
        asked = urlsplit(target)
        if said == posixpath.basename(asked.path):
            return True
        actual = urlsplit(said)
    except ValueError:  # no address
        return False
    return "://" in said and asked.netloc == actual.netloc and asked.path in actual.path


@metric()
def is_vlc_fullscreen(result: Value, expected: Value) -> Score:
    """The first size (the window's or the screen's) is the second: VLC fills the screen."""
    one, other = (
        tuple(fields(file).get(side) for side in ("width", "height")) for file in (result, expected)
    )
    if any(side not in fields(file) for file in (result, expected) for side in ("width", "height")):
        raise UpstreamRaisesError("a size lacks its width or its height")
    wrong = [] if one == other else [f"{one} is not {other}"]
    return verdict(wrong, f"window and screen are both {one}")


def _shown_names(status: etree._Element, names: tuple[str, ...] | None) -> list[str]:
    """What VLC says of the medium, under these names or (`None`) those that hold addresses."""
    asked = names or ("url", "URI", "location", "filename", "title", "name")
    infos = status.iterfind("information/category[@name='meta']/info")
    texts = [(info.text or "").strip() for info in infos if info.get("name") in asked]
    return [text for text in texts if text]
