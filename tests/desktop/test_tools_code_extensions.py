"""Extension tools in the real VS Code, with a small extension from a file, checked in the
extensions folder and by what a window can do.
"""

import json
import zipfile
from io import BytesIO

import pytest

from ambidex.host.client.guest import Guest
from tests.desktop.proofs import proves
from tests.desktop.tool_calls import done, read, refused

THEME = {"label": "Tiny 小", "uiTheme": "vs-dark", "path": "./tiny.json"}
MANIFEST = """<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
<Metadata><Identity Language="en-US" Id="tiny" Version="{version}" Publisher="somebody"/>
<DisplayName>Tiny</DisplayName><Categories>Themes</Categories></Metadata>
<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
<Dependencies/><Assets><Asset Type="Microsoft.VisualStudio.Code.Manifest"
Path="extension/package.json" Addressable="true"/></Assets></PackageManifest>
"""
TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension=".json" ContentType="application/json"/>
<Default Extension=".js" ContentType="application/javascript"/>
<Default Extension=".vsixmanifest" ContentType="text/xml"/></Types>
"""
COMMAND = """exports.activate = context => {
    const said = () => "here";
    context.subscriptions.push(require("vscode").commands.registerCommand("tiny.say", said));
};
"""


def vsix(version: str) -> bytes:
    """An extension with a theme and a command."""
    about = {
        "name": "tiny",
        "publisher": "somebody",
        "version": version,
        "engines": {"vscode": "^1.60.0"},
        "categories": ["Themes"],
        "main": "./tiny.js",
        "activationEvents": [],
        "contributes": {
            "themes": [THEME],
            "commands": [{"command": "tiny.say", "title": "Say"}],
        },
    }
    content = BytesIO()
    with zipfile.ZipFile(content, "w") as out:
        out.writestr("[Content_Types].xml", TYPES)
        out.writestr("extension.vsixmanifest", MANIFEST.format(version=version))
        out.writestr("extension/package.json", json.dumps(about))
        out.writestr("extension/tiny.js", COMMAND)
        out.writestr("extension/tiny.json", '{"colors": {"editor.background": "#102030"}}')
    return content.getvalue()


@pytest.fixture(scope="module")
def code(guest: Guest) -> Guest:
    """A guest with two versions of an extension, and VS Code's window."""
    guest.put("~/a file/tiny 1.vsix", vsix("0.0.1"))
    guest.put("~/a file/tiny 2.vsix", vsix("0.0.2"))
    guest.put("~/a file/broken.vsix", b"no zip")
    guest.put("~/a file/plain.txt", b"text\n")
    return guest


def folders(guest: Guest) -> list[str]:
    """The folders of the installed extensions."""
    listed = json.loads(read(guest, "cat", "/home/user/.vscode/extensions/extensions.json"))
    return [entry["relativeLocation"] for entry in listed]


@proves(
    "extensions.json and the folder that it names",
    code_install_extension="the version is there",
    code_list_extensions="it lists the installed ones",
    code_uninstall_extension="nothing is left in the list",
)
def test_an_extension_is_installed_from_a_file_and_removed(code: Guest) -> None:
    result = done(code, "code_install_extension", extension_id="~/a file/tiny 1.vsix")
    assert result == {"id": "somebody.tiny", "version": "0.0.1", "enabled": None}
    result = done(code, "code_install_extension", extension_id="~/a file/tiny 2.vsix")
    assert result["version"] == "0.0.2"
    assert folders(code) == ["somebody.tiny-0.0.2"]
    about = read(code, "cat", "/home/user/.vscode/extensions/somebody.tiny-0.0.2/package.json")
    assert json.loads(about)["version"] == "0.0.2"
    unversioned = {"id": "somebody.tiny", "version": None, "enabled": None}
    assert done(code, "code_list_extensions") == [unversioned]
    listed = done(code, "code_list_extensions", show_versions=True, category="themes")
    assert listed == [{**unversioned, "version": "0.0.2"}]
    assert done(code, "code_list_extensions", category="debuggers") == []
    assert refused(code, "code_list_extensions", category="pets")[0] == "bad_category"
    assert done(code, "code_uninstall_extension", extension_id="Somebody.Tiny")
    assert folders(code) == []
    error, text = refused(code, "code_uninstall_extension", extension_id="somebody.tiny")
    assert error == "not_installed"
    assert "Installed: none" in text


def test_an_extension_that_cannot_be_installed_is_refused(code: Guest) -> None:
    arguments = {"extension_id": "ms-python.python", "pre_release": True}
    assert refused(code, "code_install_extension", **arguments)[0] == "offline"
    assert refused(code, "code_install_extension", extension_id="python")[0] == "bad_id"
    assert refused(code, "code_install_extension", extension_id="~/none.vsix")[0] == "not_found"
    broken = "~/a file/broken.vsix"
    assert refused(code, "code_install_extension", extension_id=broken)[0] == "refused"
    assert refused(code, "code_toggle_sync", state="off")[0] == "not_running"
    assert refused(code, "code_disable_extension", extension_id="a.b")[0] == "not_installed"
    assert refused(code, "code_enable_extension", extension_id="a.b")[0] == "not_installed"
    assert refused(code, "code_disable_extension", extension_id="tiny")[0] == "bad_arguments"
    assert refused(code, "code_uninstall_extension", extension_id="tiny")[0] == "bad_arguments"


@proves(
    "a command that only the extension has",
    code_disable_extension="the window no longer has it",
    code_enable_extension="the window has it again",
    code_toggle_sync="it was not turned on: the window has no command for it",
)
def test_an_extension_is_disabled_and_enabled(code: Guest) -> None:
    done(code, "code_install_extension", extension_id="~/a file/tiny 2.vsix")
    assert refused(code, "code_disable_extension", extension_id="somebody.tiny")[0] == (
        "not_running"
    )
    done(code, "code_launch_vscode", path="~/a file/plain.txt")
    [listed] = done(code, "code_list_extensions")
    assert listed["enabled"] is True
    assert done(code, "code_run_command", command="tiny.say")["value"] == "here"
    assert done(code, "code_set_color_theme", theme_name="tiny 小")["new"] == "Tiny 小"
    result = done(code, "code_disable_extension", extension_id="somebody.tiny")
    assert result["enabled"] is False
    assert refused(code, "code_run_command", command="tiny.say")[0] == "unknown_command"
    assert refused(code, "code_disable_extension", extension_id="no.such")[0] == "not_installed"
    # It is permanent: a window opened later does not have the extension either.
    done(code, "code_launch_vscode", path="~/a file")
    assert refused(code, "code_run_command", command="tiny.say")[0] == "unknown_command"
    assert done(code, "code_enable_extension", extension_id="somebody.tiny")["enabled"] is True
    assert done(code, "code_run_command", command="tiny.say")["value"] == "here"
    assert done(code, "code_toggle_sync", state="off")
    assert refused(code, "code_toggle_sync", state="on")[0] == "no_sync"
    assert refused(code, "code_toggle_sync", state="maybe")[0] == "bad_arguments"
    turn_on = "workbench.userDataSync.actions.turnOn"
    assert refused(code, "code_run_command", command=turn_on)[0] == "unknown_command"


@proves("extensions.json", code_update_extensions="an extension from a file is unchanged")
def test_an_update_without_network_changes_nothing(code: Guest) -> None:
    result = done(code, "code_update_extensions")
    assert result["extensions"] == []
    assert folders(code) == ["somebody.tiny-0.0.2"]
    assert refused(code, "code_update_extensions", extension_id="a.b")[0] == "bad_arguments"
