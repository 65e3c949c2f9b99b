"""The connection to LibreOffice: its process, the UNO bridge, and recovery when it hangs.

In the image, every LibreOffice listens on a UNO pipe, however it was started (double click, command
line, autostart), because of `ooSetupConnectionURL` in /etc/libreoffice/registry/ambidex.xcd. The
pipe is a socket file that only its owner can open; no port is open. Nothing in this module depends
on the kind of document; see `documents` for that.
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
    "desktop",
    "prepare",
    "recover",
    "service",
    "singleton",
    "start",
    "uno_errors",
]

PIPE = "pipe,name=ambidex;urp;"
DESKTOP = "com.sun.star.frame.Desktop"
COMMAND = ("soffice", "--nologo", "--nodefault", "--norestore")
"""Starts LibreOffice without a window. Not `--invisible`, because it would then ignore files opened
later by a double click or a command. It exits when its last window is closed, as usual.
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
"""Seconds without an answer after which a connected LibreOffice counts as hung."""
STARTS_WITHIN = 60.0
LOADS_WITHIN = 20.0


@contextmanager
def uno_errors() -> Iterator[None]:
    """Convert UNO exceptions into `ToolError`."""
    import uno  # noqa: F401  makes com.sun.star importable
    from com.sun.star.lang import DisposedException
    from com.sun.star.uno import Exception as UnoException

    try:
        yield
    except DisposedException:
        message = "LibreOffice or the document was closed during the call."
        raise ToolError(
            message, code="gone", hint="Check which documents are open, then call again."
        ) from None
    except UnoException as error:
        text = next(iter(str(error).splitlines()), "").split(" at ./")[0].strip()
        kind = type(error).__name__.rpartition(".")[2]
        raise ToolError(f"Error in LibreOffice: {text or kind}.", code="refused") from None


def processes(program: str = "soffice.bin") -> list[int]:
    """PIDs of this user's live processes of a program."""
    pids = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            name, _, rest = (entry / "stat").read_text().partition("(")[2].rpartition(")")
            is_ours = entry.stat().st_uid == os.geteuid()
            if is_ours and name == program and rest.split()[0] not in "ZX":
                pids.append(int(entry.name))
    return pids


def open_files(pid: int) -> list[Path]:
    """Documents that a LibreOffice process has open, from its file descriptors."""
    files: dict[Path, None] = {}
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            path = Path(os.readlink(link))
            hidden = any(part.startswith(".") for part in path.parts)
            if path.suffix[1:].lower() in EXTENSIONS and path.is_file() and not hidden:
                files[path] = None
    return [path for path in files if not path.is_relative_to("/usr")]


def start(*files: Path) -> None:
    """Open files in LibreOffice, started detached from this process unless it is running."""
    subprocess.Popen(
        [*COMMAND, f"--accept={PIPE}", *map(str, files)],
        cwd=Path.home(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def connect() -> Any:
    """LibreOffice's component context; NoConnectException while it does not listen."""
    import uno

    return create(uno.getComponentContext(), "com.sun.star.bridge.UnoUrlResolver").resolve(
        f"uno:{PIPE}StarOffice.ComponentContext"
    )


def create(context: Any, name: str, *arguments: object) -> Any:
    """Create an instance of a service in the process that owns the context."""
    make = context.ServiceManager.createInstanceWithArgumentsAndContext
    return make(name, arguments, context)


def is_answering() -> bool:
    """Whether LibreOffice answers; TimeoutError if it accepted the connection but hangs.

    A call into a hung LibreOffice never returns, so it is made in a thread that can be abandoned:
    the thread ends when that process is killed.
    """
    import uno  # noqa: F401  makes com.sun.star importable
    from com.sun.star.uno import Exception as UnoException

    answers: queue.SimpleQueue[bool] = queue.SimpleQueue()

    def ask() -> None:
        try:
            create(connect(), DESKTOP).getCurrentFrame()
        except UnoException:
            answers.put(False)  # not listening, or exited meanwhile
        else:
            answers.put(True)

    threading.Thread(target=ask, daemon=True).start()
    try:
        return answers.get(timeout=HUNG)
    except queue.Empty:
        raise TimeoutError(f"no answer after {HUNG:g} s") from None


@functools.cache
def _cache() -> dict[str, Any]:
    """This process's connection: its "context" and "desktop"."""
    return {}


def desktop() -> Any:
    """LibreOffice's desktop object. Reconnects after a restart; `ToolError` if none is running."""
    import uno  # noqa: F401  makes com.sun.star importable
    from com.sun.star.connection import NoConnectException
    from com.sun.star.uno import Exception as UnoException

    with contextlib.suppress(KeyError, UnoException):
        _cache()["desktop"].getCurrentFrame()  # one round trip to test the connection
        return _cache()["desktop"]

    def try_connect() -> bool:
        with contextlib.suppress(NoConnectException):
            _cache()["context"] = connect()
            _cache()["desktop"] = create(_cache()["context"], DESKTOP)
            return True
        return not processes()

    _cache().pop("desktop", None)
    if wait_for(try_connect, STARTS_WITHIN) and "desktop" in _cache():
        return _cache()["desktop"]
    raise ToolError(
        "LibreOffice is not running.",
        code="not_running",
        hint="Open a document: calc_open_workbook or writer_open_document starts it.",
    )


def service(name: str, *arguments: object) -> Any:
    """Create an instance of a service in the running LibreOffice, whose objects can go into its
    documents.
    """
    desktop()
    return create(_cache()["context"], name, *arguments)


def singleton(name: str) -> Any:
    """A singleton object of the running LibreOffice."""
    desktop()
    return _cache()["context"].getValueByName(f"/singletons/{name}")


def prepare() -> str:
    """Load UNO and start LibreOffice, so that the first call need not wait for either."""
    if not processes():
        start()
    try:
        answers = wait_for(is_answering, STARTS_WITHIN)
    except TimeoutError as hung:
        return f"LibreOffice hangs: {hung}"
    return "LibreOffice answers" if answers else "LibreOffice does not listen"


def recover() -> str:
    """Restart a hung LibreOffice with its documents, after a worker had to be killed.

    Returns a sentence for the model about what was done.
    """
    with contextlib.suppress(TimeoutError):
        if is_answering():
            return "LibreOffice still answers; check the document before you repeat the call."
    hung = processes()
    files = [path for pid in hung for path in open_files(pid)]
    for pid in hung:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not processes(), HUNG)
    for path in files:
        # Remove the dead process's lock, or the new one would ask the user about it.
        path.with_name(f".~lock.{path.name}#").unlink(missing_ok=True)
    start(*files)

    def is_up() -> bool:
        with contextlib.suppress(TimeoutError):  # still starting
            return is_answering()
        return False

    if not wait_for(is_up, STARTS_WITHIN):
        return "LibreOffice did not answer and was killed, but it did not start again."
    names = {path.as_uri() for path in files}
    all_loaded = wait_for(lambda: names <= _urls(), LOADS_WITHIN)
    opened = ", ".join(map(str, files)) or "no document"
    missing = "" if all_loaded else " (some are still loading)"
    return (
        f"LibreOffice did not answer, so it was restarted with {opened} open{missing}. "
        "Unsaved changes are lost."
    )


def _urls() -> set[str]:
    components = desktop().Components.createEnumeration()
    urls = set()
    while components.hasMoreElements():
        urls.add(getattr(components.nextElement(), "URL", ""))
    return urls
