"""Tools for VS Code's extensions and its Settings Sync."""

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
from ambidex.mcp_tools.code.windows import ask, front_window, open_windows
from ambidex.mcp_tools.code.workspace import existing_file
from ambidex.mcp_tools.waiting import wait_for

__all__ = ["app"]

COMMAND_WITHIN = 100.0
TAKES_EFFECT_WITHIN = 2.0
RELOADS_WITHIN = 60.0
IDENTIFIER = r"[A-Za-z0-9][\w-]*\.[A-Za-z0-9][\w.-]*"
OFFLINE = re.compile(r"getaddrinfo|ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENETUNREACH|fetch failed")

Identifier = Annotated[
    str, Field(pattern=f"^{IDENTIFIER}$", description="publisher.name, such as ms-python.python")
]


@dataclass(frozen=True)
class Extension:
    """An installed extension. `version` is None unless requested, `enabled` is None unless a window
    is open.
    """

    id: str
    version: Optional[str] = None
    enabled: Optional[bool] = None


@dataclass(frozen=True)
class UpdateResult:
    """The output of `code`, and the extensions whose version changed."""

    said: str
    extensions: list[Extension]


def run_code(*arguments: str) -> str:
    """Run `code` and return what it prints; `ToolError` if it fails or the network is down."""
    result: subprocess.CompletedProcess[str] = editor.run_code(*arguments, within=COMMAND_WITHIN)
    lines = [
        line
        for line in (result.stdout + result.stderr).splitlines()
        if not line.startswith("    at")
    ]
    if any(OFFLINE.search(line) for line in lines):
        hint = "A local .vsix file can be installed without a network."
        raise ToolError("The extension marketplace cannot be reached.", code="offline", hint=hint)
    if result.returncode:
        raise ToolError(f"Error in VS Code: {' '.join(lines)[-600:]}", code="refused")
    return result.stdout.strip()


def installed_versions() -> dict[str, str]:
    """Versions of the installed extensions by identifier, in lower case."""
    lines = run_code("--list-extensions", "--show-versions").splitlines()
    return {name.lower(): version for name, _, version in (line.partition("@") for line in lines)}


def enabled_extensions() -> Optional[set[str]]:
    """Lower-case identifiers enabled in the last active window; None if no window is open."""
    windows = open_windows()
    return (
        {identifier.lower() for identifier in ask(windows[0][0], "extensions")} if windows else None
    )


def find_installed(extension_id: str) -> str:
    """An installed extension's identifier as VS Code spells it; `ToolError` lists the installed."""
    installed = run_code("--list-extensions").splitlines()
    match = next(
        (identifier for identifier in installed if identifier.lower() == extension_id.lower()), None
    )
    if match is None:
        hint = f"Installed: {', '.join(installed) or 'none'}."
        raise ToolError(f"{extension_id} is not installed.", code="not_installed", hint=hint)
    return match


def current_state(identifier: str) -> Extension:
    """The current state of an extension."""
    active = enabled_extensions()
    is_enabled = None if active is None else identifier.lower() in active
    return Extension(identifier, installed_versions().get(identifier.lower()), is_enabled)


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
    options = ["--show-versions"] if show_versions else []
    output = run_code(
        "--list-extensions", *options, *(["--category", category] if category else [])
    )
    if output.startswith("Invalid category"):
        hint = (
            "Categories: themes, programming languages, snippets, linters, formatters, debuggers …"
        )
        raise ToolError(f"Unknown category: {category!r}.", code="bad_category", hint=hint)
    active = enabled_extensions()
    extensions = []
    for line in output.splitlines():
        name, _, version = line.partition("@")
        if re.fullmatch(IDENTIFIER, name):
            is_enabled = None if active is None else name.lower() in active
            extensions.append(Extension(name, version or None, is_enabled))
    return extensions


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
        target, identifier = str(existing_file(extension_id)), None
    elif match := re.fullmatch(f"({IDENTIFIER}?)(@.+)?", extension_id):
        target, identifier = extension_id, match.group(1)
    else:
        message = f"{extension_id!r} is neither publisher.name nor the path of a .vsix file."
        raise ToolError(message, code="bad_id")
    before = set() if identifier else {*installed_versions()}
    options = ["--pre-release"] if pre_release else []
    output = run_code("--install-extension", target, "--force", *options)
    if identifier is None:
        quoted = re.search(r"'[^']*'", output.rpartition("Extension")[2])
        new = {*installed_versions()} - before
        identifier = new.pop() if new else _identifier_of(target)
        if identifier is None:
            raise ToolError(f"Error in VS Code: {output or quoted}", code="refused")
    return current_state(find_installed(identifier))


def _identifier_of(vsix: str) -> Optional[str]:
    """The identifier in a .vsix file's manifest; None if it cannot be read."""
    import zipfile

    try:
        with zipfile.ZipFile(vsix) as content:
            manifest = json.loads(content.read("extension/package.json"))
        return f"{manifest.get('publisher', 'undefined_publisher')}.{manifest['name']}"
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        return None


@app.tool(timeout=120)
def uninstall_extension(extension_id: Identifier) -> str:
    """Uninstall an extension: remove (get rid of) a plugin. Returns what was removed."""
    identifier = find_installed(extension_id)
    run_code("--uninstall-extension", identifier)
    if identifier.lower() in installed_versions():
        raise ToolError(f"{identifier} is still installed.", code="refused")
    return f"{identifier} was uninstalled."


@app.tool(timeout=120)
def update_extensions() -> UpdateResult:
    """Update (upgrade) all installed extensions (plugins) to the newest versions; needs network.
    Returns those that changed.
    """
    before = installed_versions()
    output = run_code("--update-extensions")
    after = installed_versions()
    changed = [Extension(name, after[name]) for name in after if before.get(name) != after[name]]
    return UpdateResult(output, changed)


def _set_disabled(extension_id: str, disable: bool) -> Extension:
    identifier = find_installed(extension_id)
    windows = [window for _, window in open_windows()]
    unsaved = [tab.label for window in windows for tab in window.tabs if tab.unsaved]
    if unsaved:
        hint = f"Save or close these first: {', '.join(unsaved)}."
        raise ToolError("The windows would reload and lose changes.", code="unsaved", hint=hint)
    editor.set_disabled(identifier.lower(), disable)

    def has_taken_effect() -> bool:
        try:
            active = enabled_extensions()
        except OSError:  # a window is reloading
            return False
        return active is not None and (identifier.lower() in active) is not disable

    if windows and not wait_for(has_taken_effect, TAKES_EFFECT_WITHIN, 0.3):
        for address, _ in open_windows():
            # The extension that answers goes away with its window.
            with suppress(OSError, ToolError):
                ask(address, "command", name="workbench.action.reloadWindow")
        if not wait_for(has_taken_effect, RELOADS_WITHIN, 0.3):
            state = "enabled" if disable else "disabled"
            hint = "Another extension may depend on it, or a workspace setting may override it."
            raise ToolError(f"{identifier} is still {state}.", code="refused", hint=hint)
    return current_state(identifier)


@app.tool(timeout=300)
def disable_extension(extension_id: Identifier) -> Extension:
    """Disable an extension in all windows: turn the plugin off (deactivate it) but keep it
    installed. Windows reload, so save first. Needs an open window.
    """
    return _set_disabled(extension_id, disable=True)


@app.tool(timeout=300)
def enable_extension(extension_id: Identifier) -> Extension:
    """Enable a disabled extension again: turn the plugin back on (activate it). Windows reload.
    Needs an open window.
    """
    return _set_disabled(extension_id, disable=False)


@app.tool(timeout=240)
def toggle_sync(
    state: Annotated[Literal["on", "off"], Field(description="on or off")],
) -> str:
    """Turn Settings Sync on or off: whether editor settings are synchronised between computers over
    the cloud. Turning it on needs a person to sign in, so it is refused with instructions.
    """
    address, _ = front_window()
    answer = ask(address, "command", name="workbench.userDataSync.actions.turnOff", given=[])
    if state == "off":
        return "Settings Sync is off."
    if not answer["known"]:
        message = "This VS Code has no Settings Sync: no service is configured for it."
        raise ToolError(message, code="no_sync")
    hint = "Run workbench.userDataSync.actions.turnOn with code_run_command; a person must sign in."
    raise ToolError("Settings Sync needs an account.", code="needs_account", hint=hint)
