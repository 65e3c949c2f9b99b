"""The bridge to Chromium: the Chrome DevTools Protocol over its debugging port on this machine.

/etc/chromium.d/ambidex of the image gives every Chromium that port, however it was started. One
connection per call: what a tool attaches to or opens for itself ends with it. What the port cannot
do (bookmarks, recently closed tabs, settings) the browser's own pages can, in a tab behind the
others that is closed again.
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

__all__ = ["Browser", "browser_page", "connected", "evaluate", "page_of", "running"]

PORT = 9222
PROGRAMS = {"chromium": "chromium", "google-chrome": "google-chrome"}
"""What may be installed, best first, each with its profile's name under ~/.config."""
ANSWERS_WITHIN = 30.0
PAGE_ANSWERS_WITHIN = 15.0
STARTS_WITHIN = 60.0
STARTED = "Startup.AfterStartupTaskCount"
"""The browser's own count that it makes once, when it takes its start for done."""
STARTED_WITHIN = 10.0
EMPTY = "chrome://newtab/"

Answer = dict[str, Any]


@dataclass(frozen=True)
class Browser:
    """A connection to the browser as a whole; `session` of a call names one of its pages."""

    socket: Any
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    events: list[Answer] = field(default_factory=list)

    def call(
        self, method: str, session: str = "", within: float = ANSWERS_WITHIN, **given: object
    ) -> Answer:
        """The answer; `ToolError` if the browser refuses, ends, or says nothing in time."""
        from websockets.exceptions import ConnectionClosed

        number = next(self.numbers)
        asked: Answer = {"id": number, "method": method, "params": given}
        if session:
            asked["sessionId"] = session
        end = time.monotonic() + within
        try:
            self.socket.send(json.dumps(asked))
            while True:
                said: Answer = json.loads(
                    self.socket.recv(timeout=max(0.0, end - time.monotonic()))
                )
                if said.get("id") == number:
                    break
                self.events.append(said)
        except TimeoutError:
            raise _silent(bool(session), within) from None
        except ConnectionClosed:
            hint = "It was closed or it crashed; the next call starts it again."
            raise ToolError("Chromium ended during the call.", code="gone", hint=hint) from None
        if "error" in said:
            message = f"Chromium does not do {method}: {said['error']['message']}."
            raise ToolError(message, code="refused")
        result: Answer = said["result"]
        return result

    def targets(self, kind: str) -> list[Answer]:
        """What is open of that kind: `tab`, `page`, `browser_ui`."""
        found = self.call("Target.getTargets", filter=[{"type": kind}])["targetInfos"]
        return list(found)


def _silent(page: bool, within: float) -> ToolError:
    if page:
        hint = "A dialog of the page may be open: look at the screen and answer it first."
        return ToolError(f"The page says nothing for {within:g} s.", code="page_busy", hint=hint)
    hint = "It hangs or the machine is very busy. Look at the screen."
    return ToolError(f"Chromium says nothing for {within:g} s.", code="hung", hint=hint)


def endpoint() -> Optional[str]:
    """Where the browser listens; None if nothing does. `ToolError` if it hangs."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        url = f"http://127.0.0.1:{PORT}/json/version"
        with direct.open(url, timeout=ANSWERS_WITHIN) as said:
            return str(json.load(said)["webSocketDebuggerUrl"])
    except TimeoutError:
        raise _silent(False, ANSWERS_WITHIN) from None
    except urllib.error.URLError as error:
        if isinstance(error.reason, TimeoutError):
            raise _silent(False, ANSWERS_WITHIN) from None
        return None
    except (ConnectionError, ValueError, KeyError):
        return None


def running(profile: Path) -> bool:
    """Whether a browser holds that profile: its lock is a link to `<host>-<pid>`."""
    with contextlib.suppress(OSError):
        pid = os.readlink(profile / "SingletonLock").rpartition("-")[2]
        return pid.isdecimal() and threads.state(int(pid)) not in ("", "Z", "X")
    return False


def start() -> None:
    """Start the browser with its usual profile; it outlives this process."""
    program = next((each for each in PROGRAMS if shutil.which(each)), None)
    if program is None:
        raise ToolError("Neither Chromium nor Google Chrome is installed.", code="not_installed")
    profile = Path.home() / ".config" / PROGRAMS[program]
    if running(profile):
        message = f"{program} runs without its debugging port, so no tool can reach it."
        hint = (
            f"Close all its windows; the next call starts it with --remote-debugging-port={PORT}."
        )
        raise ToolError(message, code="no_port", hint=hint)
    ours = [f"--remote-debugging-port={PORT}", f"--user-data-dir={profile}", "--no-first-run"]
    subprocess.Popen(
        [program, *ours, "--no-default-browser-check", "--password-store=basic"],
        cwd=Path.home(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    if not wait_for(endpoint, STARTS_WITHIN):
        message = f"{program} was started and does not listen on port {PORT}."
        hint = "Look at the screen for what it asks."
        raise ToolError(message, code="not_running", hint=hint)


@contextmanager
def connected(starting: bool = False) -> Iterator[Browser]:
    """The running browser, or with `starting` one that is started now."""
    from websockets.exceptions import WebSocketException
    from websockets.sync.client import connect

    url = endpoint()
    new = url is None and starting
    if new:
        start()
        url = endpoint()
    if url is None:
        held = any(running(Path.home() / ".config" / each) for each in PROGRAMS.values())
        said = "runs without its debugging port" if held else "is not running"
        hint = "Close its windows first; then " if held else ""
        raise ToolError(
            f"Chromium {said}.",
            code="no_port" if held else "not_running",
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
        raise _silent(False, ANSWERS_WITHIN) from None
    except (OSError, WebSocketException) as error:
        raise ToolError(f"Chromium takes no connection: {error}.", code="no_port") from None
    with socket as opened:
        browser = Browser(opened)
        if new:
            wait_for(lambda: _started(browser), STARTED_WITHIN)
        yield browser


def _started(browser: Browser) -> bool:
    """Whether the browser takes its start for done, which it does once a page stood in front
    and was idle, or after three minutes. Until then it does not write its bookmarks; and where one
    tab is opened after the other, none stands long enough.
    """
    try:
        counted = browser.call("Browser.getHistogram", name=STARTED)["histogram"]["count"]
    except ToolError as error:
        return error.code != "refused"  # nothing was counted so far
    return bool(counted)


def page_of(browser: Browser, tab: str) -> str:
    """A session with the page that the tab of this id shows."""
    outer = browser.call("Target.attachToTarget", targetId=tab, flatten=True)["sessionId"]
    given = {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True}
    browser.call("Target.setAutoAttach", outer, **given)
    for each in browser.events:
        inside = each["method"] == "Target.attachedToTarget" and each.get("sessionId") == outer
        if inside and each["params"]["targetInfo"]["type"] == "page":
            return str(each["params"]["sessionId"])
    raise ToolError("The tab shows no page.", code="gone", hint="Look at chrome_list_tabs.")


def evaluate(
    browser: Browser,
    session: str,
    function: str,
    *given: object,
    within: float = PAGE_ANSWERS_WITHIN,
) -> Any:
    """What a JavaScript function answers in that page, which may be a promise; its arguments are
    JSON. What it throws is a `ToolError`.
    """
    called = f"({function})(...{json.dumps(given)})"
    said = browser.call(
        "Runtime.evaluate",
        session,
        within,
        expression=called,
        awaitPromise=True,
        returnByValue=True,
        userGesture=True,
    )
    if "exceptionDetails" in said:
        thrown = said["exceptionDetails"]
        words = thrown.get("exception", {}).get("description") or thrown.get("text", "")
        first = next(iter(str(words).splitlines()), "")
        raise ToolError(f"The page answers: {first}.", code="page_error")
    return said["result"].get("value")


@contextmanager
def browser_page(browser: Browser, url: str) -> Iterator[str]:
    """A session with one of the browser's own pages, such as chrome://bookmarks/, in a tab behind
    the others. It closes as an empty one: whoever restores closed tabs can tell it from theirs.
    """
    tab = browser.call("Target.createTarget", url=url, background=True)["targetId"]
    session = browser.call("Target.attachToTarget", targetId=tab, flatten=True)["sessionId"]

    def loaded() -> bool:
        with contextlib.suppress(ToolError):  # between two documents there is nobody to answer
            ready = "async w => document.readyState === 'complete' && location.href.startsWith(w)"
            return bool(evaluate(browser, session, ready, url))
        return False

    try:
        if not wait_for(loaded, ANSWERS_WITHIN, 0.05):
            raise ToolError(f"This browser does not show {url}.", code="refused")
        yield session
    finally:
        with contextlib.suppress(ToolError):
            evaluate(browser, session, "async url => location.replace(url)", EMPTY)

            def emptied() -> bool:
                shown = browser.call("Target.getTargetInfo", targetId=tab)["targetInfo"]["url"]
                return not str(shown).startswith(url)

            wait_for(emptied, 2, 0.05)
        browser.call("Target.closeTarget", targetId=tab)
