"""Getters that query a web site for the expected value. They need a network; a note says whether
the value came from it."""

from __future__ import annotations

from ambidex.host.osworld.getter_context import GetterContext, file_of, value
from ambidex.host.osworld.questions import QuestionRefusedError, ask
from ambidex.host.untrusted import LARGEST
from ambidex.host.untrusted.parsing import base64_bytes
from ambidex.tasks.osworld.evidence import Collected
from ambidex.tasks.osworld.web_getter_types import FromSite, PdfFromUrl, RecreationPage

__all__ = ["site"]

LOADS = 60.0
EMPTY = b"%PDF-1.4\n%EOF\n"
"""The file that OSWorld compares with if a page cannot be printed."""
FAILED = "__EVALUATION_FAILED__"


def site(context: GetterContext, getter: FromSite | PdfFromUrl | RecreationPage) -> Collected:
    """Answer with the current content of a site."""
    kind = getter.type
    match getter:
        case FromSite():
            infos = [info.model_dump() for info in getter.infos]
            takes = LOADS * (len(infos) + 1)
            try:
                answer = ask(context.guest, "information", takes=takes, url=getter.url, infos=infos)
            except QuestionRefusedError as refused:
                return value(kind, getter.backups, f"from the task, because {refused}")
            return value(kind, answer, "from the network")
        case PdfFromUrl():
            try:
                answer = ask(context.guest, "printed", takes=2 * LOADS, url=getter.path)
            except QuestionRefusedError as refused:
                return file_of(kind, context.keep(getter.dest, EMPTY), f"an empty PDF: {refused}")
            kept = context.keep(
                getter.dest, base64_bytes(answer, LARGEST["file"], "the printed page")
            )
            return file_of(kind, kept, "from the network")
        case RecreationPage():
            number = 0 if getter.order is None else int(getter.order)
            arguments = {"name": getter.class_, "number": number}
            try:
                text = ask(context.guest, "recreation", takes=6 * LOADS, **arguments)
            except QuestionRefusedError:
                text = FAILED
            return value(kind, {"expected": {getter.class_: text}}, "from the network")
