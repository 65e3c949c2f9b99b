"""Getters that ask a site for what is expected: they take a network, and say so."""

from __future__ import annotations

from ambidex.host.osworld.getter_context import Place, file_of, value
from ambidex.host.osworld.questions import QuestionRefusedError, ask
from ambidex.host.untrusted import LARGEST
from ambidex.host.untrusted.parsing import base64_bytes
from ambidex.tasks.osworld.evidence import Collected
from ambidex.tasks.osworld.web_getter_types import FromSite, PdfFromUrl, RecreationPage

__all__ = ["site"]

LOADS = 60.0
EMPTY = b"%PDF-1.4\n%EOF\n"
"""What OSWorld compares with where a page cannot be printed."""
FAILED = "__EVALUATION_FAILED__"


def site(place: Place, getter: FromSite | PdfFromUrl | RecreationPage) -> Collected:
    """What a site says now."""
    kind = getter.type
    match getter:
        case FromSite():
            infos = [info.model_dump() for info in getter.infos]
            takes = LOADS * (len(infos) + 1)
            try:
                said = ask(place.guest, "information", takes=takes, url=getter.url, infos=infos)
            except QuestionRefusedError as refused:
                return value(kind, getter.backups, f"from the task, since {refused}")
            return value(kind, said, "from the network")
        case PdfFromUrl():
            try:
                said = ask(place.guest, "printed", takes=2 * LOADS, url=getter.path)
            except QuestionRefusedError as refused:
                return file_of(kind, place.keep(getter.dest, EMPTY), f"an empty PDF: {refused}")
            kept = place.keep(getter.dest, base64_bytes(said, LARGEST["file"], "the printed page"))
            return file_of(kind, kept, "from the network")
        case RecreationPage():
            number = 0 if getter.order is None else int(getter.order)
            given = {"name": getter.class_, "number": number}
            try:
                text = ask(place.guest, "recreation", takes=6 * LOADS, **given)
            except QuestionRefusedError:
                text = FAILED
            return value(kind, {"expected": {getter.class_: text}}, "from the network")
