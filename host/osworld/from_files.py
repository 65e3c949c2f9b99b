"""Getters that fetch files: from the guest, from the benchmark's assets, from what setup steps
stored, and from inside a presentation or workbook."""

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
    GetterContext,
    GetterError,
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
"""Largest size of one part of a presentation, in bytes."""
RELATIONS = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
EMBED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}embed"
BACKGROUND = "{http://schemas.openxmlformats.org/presentationml/2006/main}bgPr"
PICTURE = "{http://schemas.openxmlformats.org/drawingml/2006/main}blip"


def guest_files(context: GetterContext, getter: GuestFile) -> Collected:
    """Answer with files of the guest; one that cannot be read is None."""
    kept: list[StoredFile | None] = []
    for path, name in getter.pairs():
        if getter.time_suffix and not getter.multi:
            moment = datetime.fromisoformat(context.clock).strftime(getter.time_format)
            stem, dot, ending = name.rpartition(".")
            name = f"{stem}_{moment}{dot}{ending}" if dot else f"{name}_{moment}"
        content = fetched(context, path)
        kept.append(None if content is None else context.keep(name, content))
    requested = getter.given()
    beside = [
        file for index, file in enumerate(kept) if index not in requested and file is not None
    ]
    return files_of(getter.type, [kept[index] for index in requested], beside=beside)


def cloud_files(context: GetterContext, getter: CloudFile) -> Collected:
    """Answer with files of the benchmark, identified by hash; their content stays in the store."""
    kept = []
    for url, name in getter.pairs():
        asset = context.store.known(url)
        if asset is None or context.store.at(url) is None:
            raise GetterError(f"the asset {url} is not in the store")
        plain = PurePosixPath(name).name
        kept.append(StoredFile(name=f"{context.name}/{plain}", sha256=asset.sha256))
    requested = getter.given()
    beside = [file for index, file in enumerate(kept) if index not in requested]
    return files_of(getter.type, [kept[index] for index in requested], beside=beside)


def cache_file(context: GetterContext, getter: CacheFile) -> Collected:
    """Answer with the file that a step stored under this name; the latest step wins."""
    name = PurePosixPath(getter.path).name
    for folder in context.steps:
        if (folder / name).is_file():
            return file_of(getter.type, context.keep(name, (folder / name).read_bytes()))
    raise GetterError(f"no step stored {getter.path}")


def content(context: GetterContext, getter: ContentOfFile) -> Collected:
    """Answer with the last row of a workbook's first sheet, as texts."""
    book = fetched(context, getter.path)
    if book is None:
        raise GetterError(f"no such file: {getter.path}")
    name = PurePosixPath(getter.path).name
    context.keep(name, book)
    return value(getter.type, last_row(context.evidence / context.name, name))


def of_slide(context: GetterContext, getter: SoundInSlide | BackgroundInSlide) -> Collected:
    """Answer with the sound or background of a slide: a part of the presentation or a linked file;
    None if the slide has none."""
    deck = fetched(context, getter.ppt_file_path)
    if deck is None:
        raise GetterError(f"no such file: {getter.ppt_file_path}")
    context.keep(PurePosixPath(getter.ppt_file_path).name, deck)
    try:
        with zipfile.ZipFile(package(deck, getter.ppt_file_path)) as archive:
            target = _target(archive, getter)
            if target is None:
                return file_of(getter.type, None)
            if not target.startswith("file:"):
                part = posixpath.normpath(posixpath.join("ppt/slides", target)).lstrip("/")
                return file_of(getter.type, context.keep(part, _part(archive, part)))
    except (UnreadableError, KeyError, ElementTree.ParseError) as error:
        raise GetterError(f"not a presentation: {getter.ppt_file_path}: {error}") from None
    linked = fetched(context, unquote(target.removeprefix("file://")))
    return file_of(getter.type, None if linked is None else context.keep(getter.dest, linked))


def _target(archive: zipfile.ZipFile, getter: SoundInSlide | BackgroundInSlide) -> str | None:
    number = getter.slide_index + 1
    slide, relations = f"ppt/slides/slide{number}.xml", f"ppt/slides/_rels/slide{number}.xml.rels"
    if relations not in archive.namelist():
        return None
    picture = None
    if isinstance(getter, BackgroundInSlide):
        tree = _tree(archive, slide)
        fills = [fill for part in tree.iter(BACKGROUND) for fill in part.iter(PICTURE)]
        pictures = [fill.get(EMBED) for fill in fills]
        picture = next((id for id in pictures if id), None)
        if picture is None:
            return None
    kind = "image" if picture else "audio"
    for relation in _tree(archive, relations).iter(RELATIONS):
        if kind in relation.get("Type", "") and picture in (None, relation.get("Id")):
            target = relation.get("Target", "")
            if not target.startswith(("..", "file://")):
                raise GetterError(f"the slide links to {target!r}")
            return target
    return None


def _tree(archive: zipfile.ZipFile, name: str) -> ElementTree.Element:
    xml = _part(archive, name)
    if b"<!DOCTYPE" in xml:
        raise GetterError(f"{name} declares a document type")
    return ElementTree.fromstring(xml)


def _part(archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > LARGEST:
        raise GetterError(f"{name} is larger than {LARGEST} bytes")
    return archive.read(name)
