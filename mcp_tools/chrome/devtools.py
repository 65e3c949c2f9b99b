"""Chromium through the Chrome DevTools Protocol, over its debugging port on this machine.

/etc/chromium.d/ambidex in the image gives every Chromium that port, however it was started. There
is one connection per call, so whatever a tool attaches to is released with it. What the protocol
does not offer (bookmarks, recently closed tabs, settings) is done on the browser's own pages, in a
temporary background tab.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.display import threads
from ambidex.mcp_tools.waiting import wait_for

__all__ = ["Browser", "attach_to_page", "browser_page", "connected", "evaluate", "profile_in_use"]

PORT = 9222
PROGRAMS = {"chromium": "chromium", "google-chrome": "google-chrome"}
"""Supported programs, preferred one first, with the names of their profiles under ~/.config."""
ANSWERS_WITHIN = 30.0
PAGE_ANSWERS_WITHIN = 15.0
STARTS_WITHIN = 60.0
STARTED = "Startup.AfterStartupTaskCount"
"""Histogram that the browser fills once, when it considers its startup complete."""
STARTED_WITHIN = 60.0
EMPTY = "chrome://newtab/"

Answer = dict[str, Any]


@dataclass(frozen=True)
class Browser:
    """A connection to the browser. Calls address the browser itself, or a page by its `session`."""

    socket: Any
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    events: list[Answer] = field(default_factory=list)

    def call(
        self, method: str, session: str = "", within: float = ANSWERS_WITHIN, **parameters: object
    ) -> Answer:
        """Call a method and return its result; `ToolError` on an error, exit or timeout."""
        from websockets.exceptions import ConnectionClosed

        number = next(self.numbers)
        request: Answer = {"id": number, "method": method, "params": parameters}
        if session:
            request["sessionId"] = session
        end = time.monotonic() + within
        try:
            self.socket.send(json.dumps(request))
            while True:
                reply: Answer = json.loads(
                    self.socket.recv(timeout=max(0.0, end - time.monotonic()))
                )
                if reply.get("id") == number:
                    break
                if "method" in reply:  # otherwise the late reply to a call that timed out
                    self.events.append(reply)
        except TimeoutError:
            raise _no_answer(bool(session), within) from None
        except ConnectionClosed:
            hint = "It was closed or crashed; the next call restarts it."
            raise ToolError("Chromium exited during the call.", code="gone", hint=hint) from None
        if "error" in reply:
            message = f"Chromium refused {method}: {reply['error']['message']}."
            raise ToolError(message, code="refused")
        result: Answer = reply["result"]
        return result

    def targets(self, kind: str) -> list[Answer]:
        """The open targets of a type: `tab`, `page` or `browser_ui`."""
        infos = self.call("Target.getTargets", filter=[{"type": kind}])["targetInfos"]
        return list(infos)


def _no_answer(page: bool, within: float) -> ToolError:
    if page:
        hint = "The page may show a dialog: look at the screen and answer it first."
        return ToolError(
            f"The page did not answer within {within:g} s.", code="page_busy", hint=hint
        )
    hint = "It hangs, or the machine is very busy: look at the screen."
    return ToolError(f"Chromium did not answer within {within:g} s.", code="hung", hint=hint)


def endpoint() -> Optional[str]:
    """The browser's WebSocket URL; None if none is listening. `ToolError` if it hangs."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        url = f"http://127.0.0.1:{PORT}/json/version"
        with direct.open(url, timeout=ANSWERS_WITHIN) as response:
            return str(json.load(response)["webSocketDebuggerUrl"])
    except TimeoutError:
        raise _no_answer(False, ANSWERS_WITHIN) from None
    except urllib.error.URLError as error:
        if isinstance(error.reason, TimeoutError):
            raise _no_answer(False, ANSWERS_WITHIN) from None
        return None
    except (ConnectionError, ValueError, KeyError):
        return None


def profile_in_use(profile: Path) -> bool:
    """Whether a browser is using the profile; its lock is a link to `<host>-<pid>`."""
    with contextlib.suppress(OSError):
        pid = os.readlink(profile / "SingletonLock").rpartition("-")[2]
        return pid.isdecimal() and threads.state(int(pid)) not in ("", "Z", "X")
    return False


def start() -> None:
    """Start the browser with its default profile, detached from this process."""
    program = next((name for name in PROGRAMS if shutil.which(name)), None)
    if program is None:
        raise ToolError("Neither Chromium nor Google Chrome is installed.", code="not_installed")
    profile = Path.home() / ".config" / PROGRAMS[program]
    if profile_in_use(profile):
        message = f"{program} is running without its debugging port, so tools cannot reach it."
        hint = (
            f"Close all its windows; the next call starts it with --remote-debugging-port={PORT}."
        )
        raise ToolError(message, code="no_port", hint=hint)
    options = [f"--remote-debugging-port={PORT}", f"--user-data-dir={profile}", "--no-first-run"]
    subprocess.Popen(
        [program, *options, "--no-default-browser-check", "--password-store=basic"],
        cwd=Path.home(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    if not wait_for(endpoint, STARTS_WITHIN):
        message = f"{program} was started but does not listen on port {PORT}."
        hint = "It may ask something: look at the screen."
        raise ToolError(message, code="not_running", hint=hint)


@contextmanager
def connected(starting: bool = False) -> Iterator[Browser]:
    """Connect to the running browser; with `starting`, start it if necessary."""
    from websockets.exceptions import WebSocketException
    from websockets.sync.client import connect

    url = endpoint()
    new = url is None and starting
    if new:
        start()
        url = endpoint()
    if url is None:
        in_use = any(profile_in_use(Path.home() / ".config" / name) for name in PROGRAMS.values())
        problem = "is running without its debugging port" if in_use else "is not running"
        hint = "Close its windows first; then " if in_use else ""
        raise ToolError(
            f"Chromium {problem}.",
            code="no_port" if in_use else "not_running",
            hint=f"{hint}chrome_open_tabs_setup starts it.",
        )
    try:
        socket = connect(
            url,
            open_timeout=ANSWERS_WITHIN,
            close_timeout=1,
            ping_interval=None,
            compression=None,
            max_size=None,
            proxy=None,
        )
    except TimeoutError:
        raise _no_answer(False, ANSWERS_WITHIN) from None
    except (OSError, WebSocketException) as error:
        raise ToolError(f"Cannot connect to Chromium: {error}.", code="no_port") from None
    with socket as opened:
        browser = Browser(opened)
        if new:
            wait_for(lambda: _has_started(browser), STARTED_WITHIN)
        yield browser


def _has_started(browser: Browser) -> bool:
    """Whether the browser considers its startup complete: once a page was in front and idle, or
    after three minutes. Until then it does not write its bookmarks, and opening one tab after the
    other leaves no page in front long enough.
    """
    try:
        counted = browser.call("Browser.getHistogram", name=STARTED)["histogram"]["count"]
    except ToolError as error:
        return error.code != "refused"  # the histogram does not exist yet
    return bool(counted)


def attach_to_page(browser: Browser, tab: str) -> str:
    """Attach to the page that a tab shows; return the session id."""
    outer = browser.call("Target.attachToTarget", targetId=tab, flatten=True)["sessionId"]
    options = {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True}
    browser.call("Target.setAutoAttach", outer, **options)
    for event in browser.events:
        is_child = event["method"] == "Target.attachedToTarget" and event.get("sessionId") == outer
        if is_child and event["params"]["targetInfo"]["type"] == "page":
            return str(event["params"]["sessionId"])
    raise ToolError("The tab has no page.", code="gone", hint="Check chrome_list_tabs.")


def evaluate(
    browser: Browser,
    session: str,
    function: str,
    *arguments: object,
    within: float = PAGE_ANSWERS_WITHIN,
) -> Any:
    """Call a JavaScript function in a page and return its result, awaiting a promise. Arguments are
    JSON values. An exception of the function becomes a `ToolError`.
    """
    expression = f"({function})(...{json.dumps(arguments)})"
    reply = browser.call(
        "Runtime.evaluate",
        session,
        within,
        expression=expression,
        awaitPromise=True,
        returnByValue=True,
        userGesture=True,
    )
    if "exceptionDetails" in reply:
        details = reply["exceptionDetails"]
        description = details.get("exception", {}).get("description") or details.get("text", "")
        first = next(iter(str(description).splitlines()), "")
        raise ToolError(f"Error in the page: {first}.", code="page_error")
    return reply["result"].get("value")


@contextmanager
def browser_page(browser: Browser, url: str) -> Iterator[str]:
    """Open one of the browser's own pages, such as chrome://bookmarks/, in a background tab; yield
    the session. The tab is emptied before it closes, so that restoring closed tabs can skip it.
    """
    tab = browser.call("Target.createTarget", url=url, background=True)["targetId"]
    session = browser.call("Target.attachToTarget", targetId=tab, flatten=True)["sessionId"]

    def loaded() -> bool:
        with contextlib.suppress(ToolError):  # no document can answer during navigation
            ready = "async u => document.readyState === 'complete' && location.href.startsWith(u)"
            return bool(evaluate(browser, session, ready, url))
        return False

    try:
        if not wait_for(loaded, ANSWERS_WITHIN, 0.05):
            raise ToolError(f"The browser did not open {url}.", code="refused")
        yield session
    finally:
        with contextlib.suppress(ToolError):
            evaluate(browser, session, "async url => location.replace(url)", EMPTY)

            def emptied() -> bool:
                current = browser.call("Target.getTargetInfo", targetId=tab)["targetInfo"]["url"]
                return not str(current).startswith(url)

            wait_for(emptied, 2, 0.05)
        browser.call("Target.closeTarget", targetId=tab)
