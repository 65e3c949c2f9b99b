"""VS Code's extensions: installed, listed, disabled; and its settings sync."""

from __future__ import annotations

import json
import re
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.code import app, editor
from ambidex.mcp_tools.code.workspace import file_at
from ambidex.mcp_tools.waiting import wait_for

__all__ = ["app"]

COMMAND_WITHIN = 100.0
OBEYS_WITHIN = 2.0
RELOADS_WITHIN = 60.0
IDENTIFIER = r"[A-Za-z0-9][\w-]*\.[A-Za-z0-9][\w.-]*"
OFFLINE = re.compile(r"getaddrinfo|ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENETUNREACH|fetch failed")

Identifier = Annotated[
    str, Field(pattern=f"^{IDENTIFIER}$", description="publisher.name, such as ms-python.python")
]


@dataclass(frozen=True)
class Extension:
    """An installed extension; `version` where it was asked for, `enabled` where a window is open
    that tells.
    """

    id: str
    version: Optional[str] = None
    enabled: Optional[bool] = None


@dataclass(frozen=True)
class Updated:
    """What `code` said, and the extensions whose version changed."""

    said: str
    extensions: list[Extension]


def code(*arguments: str) -> str:
    """What `code` prints; `ToolError` in its words where it fails or has no network."""
    ran: subprocess.CompletedProcess[str] = editor.command_line(*arguments, within=COMMAND_WITHIN)
    said = [
        line for line in (ran.stdout + ran.stderr).splitlines() if not line.startswith("    at")
    ]
    if any(OFFLINE.search(line) for line in said):
        hint = "A .vsix file on this machine can be installed without network."
        raise ToolError("The extension marketplace cannot be reached.", code="offline", hint=hint)
    if ran.returncode:
        raise ToolError(f"VS Code says: {' '.join(said)[-600:]}", code="refused")
    return ran.stdout.strip()


def installed() -> dict[str, str]:
    """Versions by identifier in lower case."""
    listed = code("--list-extensions", "--show-versions").splitlines()
    return {name.lower(): version for name, _, version in (each.partition("@") for each in listed)}


def enabled() -> Optional[set[str]]:
    """Which are enabled in the last active window, in lower case; None if no window is open."""
    found = editor.windows()
    return {each.lower() for each in editor.ask(found[0][0], "extensions")} if found else None


def the_installed(extension_id: str) -> str:
    """Its identifier as VS Code writes it; `ToolError` names what is installed."""
    listed = code("--list-extensions").splitlines()
    found = next((each for each in listed if each.lower() == extension_id.lower()), None)
    if found is None:
        hint = f"Installed: {', '.join(listed) or 'none'}."
        raise ToolError(f"{extension_id} is not installed.", code="not_installed", hint=hint)
    return found


def described(identifier: str) -> Extension:
    """The extension as it is now."""
    active = enabled()
    known = None if active is None else identifier.lower() in active
    return Extension(identifier, installed().get(identifier.lower()), known)


@app.tool(reads_only=True, timeout=120)
def list_extensions(
    show_versions: Annotated[bool, Field(description="with versions")] = False,
    category: Annotated[
        Optional[str],
        Field(description="only this category, such as themes"),
    ] = None,
) -> list[Extension]:
    """List the extensions (plugins) that are installed, versions on request, without built-in ones;
    with an open window also which are enabled.
    """
    given = ["--show-versions"] if show_versions else []
    said = code("--list-extensions", *given, *(["--category", category] if category else []))
    if said.startswith("Invalid category"):
        hint = "Such as themes, programming languages, snippets, linters, formatters, debuggers."
        raise ToolError(f"No category is {category!r}.", code="bad_category", hint=hint)
    active = enabled()
    found = []
    for line in said.splitlines():
        name, _, version = line.partition("@")
        if re.fullmatch(IDENTIFIER, name):
            known = None if active is None else name.lower() in active
            found.append(Extension(name, version or None, known))
    return found


@app.tool(timeout=120)
def install_extension(
    extension_id: Annotated[
        str,
        Field(
            min_length=1,
            description="publisher.name, publisher.name@version, or the path of a .vsix file",
        ),
    ],
    pre_release: Annotated[bool, Field(description="install the pre-release")] = False,
) -> Extension:
    """Install (add) an extension (plugin), or update it, from the marketplace (needs network) or a
    .vsix file; pre-release on request. Returns it with its version.
    """
    if extension_id.lower().endswith(".vsix"):
        target, named = str(file_at(extension_id)), None
    elif match := re.fullmatch(f"({IDENTIFIER}?)(@.+)?", extension_id):
        target, named = extension_id, match.group(1)
    else:
        message = f"{extension_id!r} is neither publisher.name nor the path of a .vsix file."
        raise ToolError(message, code="bad_id")
    before = set() if named else {*installed()}
    given = ["--pre-release"] if pre_release else []
    said = code("--install-extension", target, "--force", *given)
    if named is None:
        quoted = re.search(r"'[^']*'", said.rpartition("Extension")[2])
        new = {*installed()} - before
        named = new.pop() if new else _name_in(target)
        if named is None:
            raise ToolError(f"VS Code says: {said or quoted}", code="refused")
    return described(the_installed(named))


def _name_in(vsix: str) -> Optional[str]:
    """The identifier that a .vsix file gives itself."""
    import zipfile

    try:
        with zipfile.ZipFile(vsix) as content:
            about = json.loads(content.read("extension/package.json"))
        return f"{about.get('publisher', 'undefined_publisher')}.{about['name']}"
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        return None


@app.tool(timeout=120)
def uninstall_extension(extension_id: Identifier) -> str:
    """Uninstall an extension: remove (get rid of) a plugin. Returns what was removed."""
    identifier = the_installed(extension_id)
    code("--uninstall-extension", identifier)
    if identifier.lower() in installed():
        raise ToolError(f"{identifier} is still installed.", code="refused")
    return f"{identifier} is uninstalled."


@app.tool(timeout=120)
def update_extensions() -> Updated:
    """Update (upgrade) all installed extensions (plugins) to the newest versions; needs network.
    Returns those that changed.
    """
    before = installed()
    said = code("--update-extensions")
    after = installed()
    changed = [Extension(name, after[name]) for name in after if before.get(name) != after[name]]
    return Updated(said, changed)


def _switched(extension_id: str, disable: bool) -> Extension:
    identifier = the_installed(extension_id)
    found = [window for _, window in editor.windows()]
    unsaved = [tab.label for window in found for tab in window.tabs if tab.unsaved]
    if unsaved:
        hint = f"Save or close these first: {', '.join(unsaved)}."
        raise ToolError("The windows have to reload for that.", code="unsaved", hint=hint)
    editor.keep_disabled(identifier.lower(), disable)

    def obeyed() -> bool:
        try:
            active = enabled()
        except OSError:  # A window just reloads.
            return False
        return active is not None and (identifier.lower() in active) is not disable

    if found and not wait_for(obeyed, OBEYS_WITHIN, 0.3):
        for address, _ in editor.windows():
            # Who answers goes with its window.
            with suppress(OSError, ToolError):
                editor.ask(address, "command", name="workbench.action.reloadWindow")
        if not wait_for(obeyed, RELOADS_WITHIN, 0.3):
            kept = "enabled" if disable else "disabled"
            hint = "Another extension may depend on it, or the workspace's own choice stands above."
            raise ToolError(f"{identifier} is still {kept}.", code="refused", hint=hint)
    return described(identifier)


@app.tool(timeout=120)
def disable_extension(extension_id: Identifier) -> Extension:
    """Disable an extension in all windows: turn the plugin off (deactivate it) but keep it
    installed. Windows reload, so save first. Needs an open window.
    """
    return _switched(extension_id, disable=True)


@app.tool(timeout=120)
def enable_extension(extension_id: Identifier) -> Extension:
    """Enable a disabled extension again: turn the plugin back on (activate it). Windows reload.
    Needs an open window.
    """
    return _switched(extension_id, disable=False)


@app.tool(timeout=60)
def toggle_sync(
    state: Annotated[Literal["on", "off"], Field(description="on or off")],
) -> str:
    """Turn Settings Sync on or off: whether editor settings are synchronised between computers over
    the cloud. Turning it on needs a person to sign in, so it is refused with instructions.
    """
    address, _ = editor.front()
    known = editor.ask(address, "command", name="workbench.userDataSync.actions.turnOff", given=[])
    if state == "off":
        return "Settings sync is off."
    if not known["known"]:
        message = "This VS Code has no settings sync: no service for it is set up."
        raise ToolError(message, code="no_sync")
    hint = "Use code_run_command workbench.userDataSync.actions.turnOn and the window's dialogs."
    raise ToolError("Settings sync needs an account.", code="needs_account", hint=hint)
