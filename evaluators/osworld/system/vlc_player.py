"""Metrics on a running VLC: what it plays and the size of its window."""

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
from ambidex.evaluators.osworld.given import decode, read_bytes
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
"""Where upstream looks for the name or URL of the medium, in its order."""
Media = Annotated[FileName | Url, Field(discriminator="type")]


@metric(
    repairs=(
        "The name or URL must equal one that VLC reports for the medium: upstream takes the first"
        " name that it finds, and a part of it suffices, so that `b.mp4` passes while `ab.mp4` is"
        " played.",
    )
)
def is_vlc_playing(result: Value, expected: Media, *, strict: bool) -> Score:
    """VLC's status reports that it is playing (not paused) this file or URL.

    For a URL, VLC may report only the name of the file at its end.
    """
    status: etree._Element = tree(decode(read_bytes(result), "VLC's status"), "VLC's status")
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
    matched = any(
        name in (reported, PurePosixPath(reported).name)
        for name in target
        for reported in actual
        if name
    )
    return Score(float(matched), f"VLC plays {shown(actual)}")


def _path(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:  # not a URL
        return ""


def _as_upstream(status: etree._Element, expected: Media) -> Score:
    """Judge by the first name that VLC reports, in upstream's order."""
    by_name = expected["type"] == "file_name"
    paths = [
        f"information/category[@name='{category}']/info[@name='{name}']"
        for category, name in (FIRST_NAMES if by_name else FIRST_ADDRESSES)
    ]
    reported = next((text for text in map(status.findtext, paths) if text), None)
    if reported is None:
        return Score(0.0, "VLC does not report what it plays")
    if expected["type"] == "file_name":
        matched = reported.endswith(expected["file_name"])
    else:
        matched = expected["url"] in reported or _same_stream(expected["url"], reported)
    return Score(float(matched), f"VLC plays {shown(reported)}")


def _same_stream(target: str, reported: str) -> bool:
    try:
        target_url = urlsplit(target)
        if reported == posixpath.basename(target_url.path):
            return True
        actual = urlsplit(reported)
    except ValueError:  # not a URL
        return False
    return (
        "://" in reported and target_url.netloc == actual.netloc and target_url.path in actual.path
    )


@metric()
def is_vlc_fullscreen(result: Value, expected: Value) -> Score:
    """The window has the size of the screen, so VLC is in full screen; the order of the two does
    not matter."""
    one, other = (
        tuple(fields(file).get(side) for side in ("width", "height")) for file in (result, expected)
    )
    if any(side not in fields(file) for file in (result, expected) for side in ("width", "height")):
        raise UpstreamRaisesError("a size lacks its width or its height")
    wrong = [] if one == other else [f"the sizes differ: {one} and {other}"]
    return verdict(wrong, f"window and screen are both {one}")


def _shown_names(status: etree._Element, names: tuple[str, ...] | None) -> list[str]:
    """What VLC reports about the medium under these names or, if `None`, under those for URLs."""
    selected = names or ("url", "URI", "location", "filename", "title", "name")
    infos = status.iterfind("information/category[@name='meta']/info")
    texts = [(info.text or "").strip() for info in infos if info.get("name") in selected]
    return [text for text in texts if text]
