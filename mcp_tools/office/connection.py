"""The bridge to LibreOffice: its process, the UNO connection, and recovery when it hangs.

Every office of the image listens on a UNO pipe, however it was started (a double click, a command,
the autostart that keeps one warm): `ooSetupConnectionURL` in /etc/libreoffice/registry/ambidex.xcd
says so. A pipe is a socket file that only its own user can open; no port listens. What is done with
documents is in `documents`; nothing here knows a spreadsheet from a text.
"""

from __future__ import annotations

import contextlib
import functools
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.waiting import wait_for

__all__ = [
    "EXTENSIONS",
    "answering",
    "desktop",
    "ready",
    "recover",
    "service",
    "singleton",
    "start",
]

PIPE = "pipe,name=ambidex;urp;"
DESKTOP = "com.sun.star.frame.Desktop"
COMMAND = ("soffice", "--nologo", "--nodefault", "--norestore")
"""Starts an office without a window. Not `--invisible`: such an office ignores files that are
opened later by a double click or a command. It ends when its last window is closed, as any
office does.
"""
EXTENSIONS = frozenset(
    {
        "ods",
        "xlsx",
        "xls",
        "csv",
        "ots",
        "fods",
        "odt",
        "docx",
        "doc",
        "rtf",
        "txt",
        "ott",
        "fodt",
        "html",
        "odp",
        "pptx",
        "ppt",
        "odg",
    }
)
HUNG = 10.0
"""Seconds after which an office that took the connection and says nothing counts as hung."""
STARTS_WITHIN = 60.0
LOADS_WITHIN = 20.0


@contextmanager
def answering() -> Iterator[None]:
    """UNO's errors as `ToolError`, in words."""
    import uno  # noqa: F401  com.sun.star can be imported once it is there
    from com.sun.star.lang import DisposedException
    from com.sun.star.uno import Exception as UnoException

    try:
        yield
    except DisposedException:
        message = "LibreOffice or the document was closed during the call."
        raise ToolError(
            message, code="gone", hint="Look at what is open, then call again."
        ) from None
    except UnoException as error:
        said = next(iter(str(error).splitlines()), "").split(" at ./")[0].strip()
        kind = type(error).__name__.rpartition(".")[2]
        raise ToolError(f"LibreOffice refused: {said or kind}.", code="refused") from None


def processes(program: str = "soffice.bin") -> list[int]:
    """Processes of that program, of this user, that have not ended."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            name, _, rest = (entry / "stat").read_text().partition("(")[2].rpartition(")")
            ours = entry.stat().st_uid == os.geteuid()
            if ours and name == program and rest.split()[0] not in "ZX":
                found.append(int(entry.name))
    return found


def files_of(pid: int) -> list[Path]:
    """Documents that process has open: an office keeps a descriptor on each."""
    found: dict[Path, None] = {}
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            path = Path(os.readlink(link))
            hidden = any(part.startswith(".") for part in path.parts)
            if path.suffix[1:].lower() in EXTENSIONS and path.is_file() and not hidden:
                found[path] = None
    return [path for path in found if not path.is_relative_to("/usr")]


def start(*files: Path) -> None:
    """Start an office that outlives this process, opening these files; one that runs is used."""
    subprocess.Popen(
        [*COMMAND, f"--accept={PIPE}", *map(str, files)],
        cwd=Path.home(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def connect() -> Any:
    """The office's context; NoConnectException while it does not listen."""
    import uno

    return made(uno.getComponentContext(), "com.sun.star.bridge.UnoUrlResolver").resolve(
        f"uno:{PIPE}StarOffice.ComponentContext"
    )


def made(context: Any, name: str, *given: object) -> Any:
    """An instance of the service `name`, made where the context is."""
    make = context.ServiceManager.createInstanceWithArgumentsAndContext
    return make(name, given, context)


def listens() -> bool:
    """Whether the office answers; TimeoutError when it took the connection and hangs.

    A call into a hung office never returns, so it is made in a thread that may be left behind: it
    ends when that office is killed.
    """
    import uno  # noqa: F401  com.sun.star can be imported once it is there
    from com.sun.star.uno import Exception as UnoException

    said: queue.SimpleQueue[bool] = queue.SimpleQueue()

    def ask() -> None:
        try:
            made(connect(), DESKTOP).getCurrentFrame()
        except UnoException:
            said.put(False)  # nobody listens, or it ended meanwhile
        else:
            said.put(True)

    threading.Thread(target=ask, daemon=True).start()
    try:
        return said.get(timeout=HUNG)
    except queue.Empty:
        raise TimeoutError(f"no answer after {HUNG:g} s") from None


@functools.cache
def held() -> dict[str, Any]:
    """The connection of this process: its "context" and "desktop"."""
    return {}


def desktop() -> Any:
    """The running office; connects again after it was restarted. `ToolError` if there is none."""
    import uno  # noqa: F401  com.sun.star can be imported once it is there
    from com.sun.star.connection import NoConnectException
    from com.sun.star.uno import Exception as UnoException

    with contextlib.suppress(KeyError, UnoException):
        held()["desktop"].getCurrentFrame()  # one round trip tells whether the connection lives
        return held()["desktop"]

    def connected() -> bool:
        with contextlib.suppress(NoConnectException):
            held()["context"] = connect()
            held()["desktop"] = made(held()["context"], DESKTOP)
            return True
        return not processes()

    held().pop("desktop", None)
    if wait_for(connected, STARTS_WITHIN) and "desktop" in held():
        return held()["desktop"]
    raise ToolError(
        "LibreOffice is not running.",
        code="not_running",
        hint="Open a document: calc_open_workbook or writer_open_document start it.",
    )


def service(name: str, *given: object) -> Any:
    """An instance of one of the running office's services; objects it gives can be put into
    documents.
    """
    desktop()
    return made(held()["context"], name, *given)


def singleton(name: str) -> Any:
    """The one object of that name that the running office has."""
    desktop()
    return held()["context"].getValueByName(f"/singletons/{name}")


def ready() -> str:
    """Load UNO and have an office that answers, so that the first call need not wait for either."""
    if not processes():
        start()
    try:
        answers = wait_for(listens, STARTS_WITHIN)
    except TimeoutError as hung:
        return f"LibreOffice gives {hung}"
    return "LibreOffice answers" if answers else "LibreOffice does not listen"


def recover() -> str:
    """After a worker was killed: an office that hangs is killed and started again with its
    documents.

    Says what was done, for the model.
    """
    with contextlib.suppress(TimeoutError):
        if listens():
            return "LibreOffice itself still answers; look at the document before calling again."
    hung = processes()
    files = [path for pid in hung for path in files_of(pid)]
    for pid in hung:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not processes(), HUNG)
    for path in files:
        # The dead process's own lock; the new one would ask the user about it.
        path.with_name(f".~lock.{path.name}#").unlink(missing_ok=True)
    start(*files)

    def up() -> bool:
        with contextlib.suppress(TimeoutError):  # busy with starting
            return listens()
        return False

    if not wait_for(up, STARTS_WITHIN):
        return "LibreOffice did not answer, was killed, and does not start again."
    names = {path.as_uri() for path in files}
    again = wait_for(lambda: names <= _urls(), LOADS_WITHIN)
    opened = ", ".join(map(str, files)) or "no document"
    lost = "" if again else " (not all of them are loaded yet)"
    return (
        f"LibreOffice did not answer: it was killed and started again with {opened} open{lost}. "
        "Changes that were not saved are lost."
    )


def _urls() -> set[str]:
    components = desktop().Components.createEnumeration()
    found = set()
    while components.hasMoreElements():
        found.add(getattr(components.nextElement(), "URL", ""))
    return found
