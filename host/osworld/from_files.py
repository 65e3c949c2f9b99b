"""Getters that fetch files: of the guest, of the benchmark, of what steps kept, and from within a
presentation or a workbook."""

from __future__ import annotations

import posixpath
import zipfile
from datetime import datetime
from pathlib import PurePosixPath
from urllib.parse import unquote
from xml.etree import ElementTree

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.evidence import package
from ambidex.host.osworld.getter_context import (
    GetterError,
    Place,
    fetched,
    file_of,
    files_of,
    value,
)
from ambidex.host.osworld.last_row import last_row
from ambidex.tasks.osworld.evidence import Collected, StoredFile
from ambidex.tasks.osworld.getter_types import (
    BackgroundInSlide,
    CacheFile,
    CloudFile,
    ContentOfFile,
    GuestFile,
    SoundInSlide,
)

__all__ = ["cache_file", "cloud_files", "content", "guest_files", "of_slide"]

LARGEST = 64 << 20
"""Bytes of one part of a presentation."""
RELATIONS = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
EMBED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}embed"
BACKGROUND = "{http://schemas.openxmlformats.org/presentationml/2006/main}bgPr"
PICTURE = "{http://schemas.openxmlformats.org/drawingml/2006/main}blip"


def guest_files(place: Place, getter: GuestFile) -> Collected:
    """Files of the guest; one that cannot be read is none."""
    kept: list[StoredFile | None] = []
    for path, name in getter.pairs():
        if getter.time_suffix and not getter.multi:
            moment = datetime.fromisoformat(place.clock).strftime(getter.time_format)
            stem, dot, ending = name.rpartition(".")
            name = f"{stem}_{moment}{dot}{ending}" if dot else f"{name}_{moment}"
        content = fetched(place, path)
        kept.append(None if content is None else place.keep(name, content))
    given = getter.given()
    beside = [each for index, each in enumerate(kept) if index not in given and each is not None]
    return files_of(getter.type, [kept[index] for index in given], beside=beside)


def cloud_files(place: Place, getter: CloudFile) -> Collected:
    """Files of the benchmark, named by their hash: their content stays in the store."""
    kept = []
    for url, name in getter.pairs():
        asset = place.store.known(url)
        if asset is None or place.store.at(url) is None:
            raise GetterError(f"the asset {url} is not in the store")
        plain = PurePosixPath(name).name
        kept.append(StoredFile(name=f"{place.name}/{plain}", sha256=asset.sha256))
    given = getter.given()
    beside = [each for index, each in enumerate(kept) if index not in given]
    return files_of(getter.type, [kept[index] for index in given], beside=beside)


def cache_file(place: Place, getter: CacheFile) -> Collected:
    """What a step kept under that name, the last one first."""
    name = PurePosixPath(getter.path).name
    for folder in place.steps:
        if (folder / name).is_file():
            return file_of(getter.type, place.keep(name, (folder / name).read_bytes()))
    raise GetterError(f"no step kept {getter.path}")


def content(place: Place, getter: ContentOfFile) -> Collected:
    """The last row of a workbook's first sheet, as texts."""
    book = fetched(place, getter.path)
    if book is None:
        raise GetterError(f"there is no {getter.path}")
    name = PurePosixPath(getter.path).name
    place.keep(name, book)
    return value(getter.type, last_row(place.evidence / place.name, name))


def of_slide(place: Place, getter: SoundInSlide | BackgroundInSlide) -> Collected:
    """The sound or the background of a slide: a part of the presentation, or a file that it links
    to; none where the slide has none."""
    deck = fetched(place, getter.ppt_file_path)
    if deck is None:
        raise GetterError(f"there is no {getter.ppt_file_path}")
    place.keep(PurePosixPath(getter.ppt_file_path).name, deck)
    try:
        with zipfile.ZipFile(package(deck, getter.ppt_file_path)) as archive:
            target = _target(archive, getter)
            if target is None:
                return file_of(getter.type, None)
            if not target.startswith("file:"):
                part = posixpath.normpath(posixpath.join("ppt/slides", target)).lstrip("/")
                return file_of(getter.type, place.keep(part, _part(archive, part)))
    except (UnreadableError, KeyError, ElementTree.ParseError) as error:
        raise GetterError(f"{getter.ppt_file_path} is no presentation: {error}") from None
    linked = fetched(place, unquote(target.removeprefix("file://")))
    return file_of(getter.type, None if linked is None else place.keep(getter.dest, linked))


def _target(archive: zipfile.ZipFile, getter: SoundInSlide | BackgroundInSlide) -> str | None:
    number = getter.slide_index + 1
    slide, relations = f"ppt/slides/slide{number}.xml", f"ppt/slides/_rels/slide{number}.xml.rels"
    if relations not in archive.namelist():
        return None
    wanted = None
    if isinstance(getter, BackgroundInSlide):
        drawn = _tree(archive, slide)
        behind = [each for part in drawn.iter(BACKGROUND) for each in part.iter(PICTURE)]
        pictures = [each.get(EMBED) for each in behind]
        wanted = next((id for id in pictures if id), None)
        if wanted is None:
            return None
    kind = "image" if wanted else "audio"
    for each in _tree(archive, relations).iter(RELATIONS):
        if kind in each.get("Type", "") and wanted in (None, each.get("Id")):
            target = each.get("Target", "")
            if not target.startswith(("..", "file://")):
                raise GetterError(f"the slide links to {target!r}")
            return target
    return None


def _tree(archive: zipfile.ZipFile, name: str) -> ElementTree.Element:
    said = _part(archive, name)
    if b"<!DOCTYPE" in said:
        raise GetterError(f"{name} declares a document type")
    return ElementTree.fromstring(said)


def _part(archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > LARGEST:
        raise GetterError(f"{name} is larger than {LARGEST} bytes")
    return archive.read(name)
