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
    seen = _shown_names(status, ("filename", "name", "title") if "file_name" in expected else None)
    if expected["type"] == "file_name":
        wanted = [expected["file_name"]]
    else:
        url = expected["url"]
        wanted = [url, unquote(PurePosixPath(_path(url)).name)]
    found = any(
        each in (said, PurePosixPath(said).name) for each in wanted for said in seen if each
    )
    return Score(float(found), f"VLC plays {shown(seen)}")


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


def _same_stream(wanted: str, said: str) -> bool:
    try:
        asked = urlsplit(wanted)
        if said == posixpath.basename(asked.path):
            return True
        seen = urlsplit(said)
    except ValueError:  # no address
        return False
    return "://" in said and asked.netloc == seen.netloc and asked.path in seen.path


@metric()
def is_vlc_fullscreen(result: Value, expected: Value) -> Score:
    """The first size (the window's or the screen's) is the second: VLC fills the screen."""
    one, other = (
        tuple(fields(each).get(side) for side in ("width", "height")) for each in (result, expected)
    )
    if any(side not in fields(each) for each in (result, expected) for side in ("width", "height")):
        raise UpstreamRaisesError("a size lacks its width or its height")
    wrong = [] if one == other else [f"{one} is not {other}"]
    return verdict(wrong, f"window and screen are both {one}")


def _shown_names(status: etree._Element, names: tuple[str, ...] | None) -> list[str]:
    """What VLC says of the medium, under these names or (`None`) those that hold addresses."""
    asked = names or ("url", "URI", "location", "filename", "title", "name")
    infos = status.iterfind("information/category[@name='meta']/info")
    texts = [(each.text or "").strip() for each in infos if each.get("name") in asked]
    return [each for each in texts if each]
